// Goal: a command that starts a server or a daemon in the background waits as long as that process lives, and says so when it takes long.

import { expect, test } from "bun:test";
import { untilItRuns } from "../../src/cli/starting.ts";
import { refusal } from "../kit/http/refusal.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { manualClock } from "../kit/manual-clock.ts";

const PID = 17;
const LOG = "/srv/logs/server.log";

/** A server that runs, or ends, after these seconds of a clock that needs none. */
function starting({ runsAfter = Infinity, endsAfter = Infinity, log = LOG, logged = 0 }) {
  const clock = manualClock();
  const begun = clock.elapsed();
  const is = (seconds: number) => clock.elapsed() - begun >= seconds * 1_000;
  const notes: string[] = [];
  const timers = {
    after: (ms: number, run: () => void) => {
      queueMicrotask(() => {
        clock.advance(ms);
        run();
      });
      return () => {};
    },
  };
  const door = untilItRuns(
    {
      name: "server",
      pid: PID,
      log,
      logged,
      status: "cairn server status",
      look: async () => (is(runsAfter) ? "door" : undefined),
    },
    {
      clock,
      timers,
      isRunning: (pid) => pid === PID && !is(endsAfter),
      note: async (text) => void notes.push(text),
    },
  );
  return { door, notes };
}

const still = (after: string) =>
  `the server (process ${PID}) is still starting after ${after}; see its log, ${LOG}`;

test("a quick start is silent", async () => {
  const { door, notes } = starting({ runsAfter: 9 });
  expect([await door, notes]).toEqual(["door", []]);
});

test("a slow start is waited for, with a note after ten seconds and every minute", async () => {
  const { door, notes } = starting({ runsAfter: 150 });
  expect([await door, notes]).toEqual(["door", ["10 s", "1 minute", "2 minutes"].map(still)]);
});

test("a process that ends after a long start says why", async () => {
  await using folder = await temporaryFolder();
  const log = await folder.write("server.log", "an earlier start failed\nrefused: the disk is full\n");
  const logged = "an earlier start failed\n".length;
  await refusal(
    starting({ endsAfter: 30, log, logged }).door,
    "refused",
    `the server did not start; see its log, ${log}, which ends with: refused: the disk is full`,
  );
});

test("one that hangs holds no script for ever", async () => {
  await refusal(
    starting({}).door,
    "unavailable",
    `the server (process ${PID}) still does not run after 30 minutes; see its log, ${LOG}; cairn server status says when it does`,
  );
});

test("one that runs and ends at once is not taken for one that did not start", async () => {
  expect(await starting({ runsAfter: 5, endsAfter: 5 }).door).toBe("door");
});
