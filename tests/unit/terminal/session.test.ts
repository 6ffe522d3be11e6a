// Goal: a slow reader pauses the other side, and a session ends once, for its first reason, at any time.

import { expect, test } from "bun:test";
import type { TerminalProcess } from "../../../src/kit/processes/process.ts";
import { INPUT_BYTES_MAX } from "../../../src/service/terminal/schema.ts";
import { Session } from "../../../src/service/terminal/session.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";

const HOUR_MS = 60 * MINUTE_MS;

interface Bench {
  session: Session;
  /** Calls of the shell and socket, in order. */
  happened: string[];
  clock: ReturnType<typeof manualClock>;
  ran: Promise<void>;
  created: (ok: boolean) => Promise<void>;
  shell: { output: (text: string) => void; took: () => void; ends: () => void };
  /** Stops or resumes the viewer's reading. */
  slow: boolean;
}

function bench(): Bench {
  const happened: string[] = [];
  const clock = manualClock();
  const made = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<void>();
  let [output, took]: [(chunk: Uint8Array) => void, () => void] = [() => {}, () => {}];
  const shell: TerminalProcess = {
    ended: ended.promise,
    write: (data) => void happened.push(`write ${Buffer.from(data).toString()}`),
    resize: (columns, rows) => void happened.push(`resize ${columns}x${rows}`),
    pause: () => void happened.push("pause"),
    resume: () => void happened.push("resume"),
    kill: () => void happened.push("kill"),
  };
  const session = new Session(
    "name",
    {
      create: (name, files) => (happened.push(`create ${name} ${files?.folder}`), made.promise),
      attach: (name, options) => {
        happened.push(`attach ${name} ${options.columns}x${options.rows}`);
        [output, took] = [options.output, options.drained];
        return shell;
      },
    },
    clock,
  );
  const at: Bench = {
    session,
    happened,
    clock,
    ran: session.run({ folder: "folder", user: "1:1" }),
    created: async (ok) => (made.resolve(ok), await Bun.sleep(0)),
    shell: { output: (text) => output(Buffer.from(text)), took: () => took(), ends: () => ended.resolve() },
    slow: false,
  };
  session.opened({
    send: (data) => (happened.push(`send ${Buffer.from(data as Uint8Array).toString()}`), !at.slow),
    close: (code) => void happened.push(`close ${code}`),
  });
  return at;
}

test("buffers input and size until the shell starts, then writes one piece at a time", async () => {
  const at = bench();
  at.session.message('{"type":"resize","cols":100,"rows":40}');
  at.session.message(Buffer.from("a"));
  at.session.message(Buffer.from("b"));
  await at.created(true);
  at.session.message(Buffer.from("c"));
  at.session.message(Buffer.from("d"));
  at.shell.took();
  at.shell.took();
  at.session.message('{"type":"resize","cols":80,"rows":24}');
  expect(at.happened).toEqual([
    "create name folder",
    "attach name 100x40",
    "write ab",
    "write cd",
    "resize 80x24",
  ]);
});

test("pauses the shell once until a slow viewer has caught up", async () => {
  const at = bench();
  await at.created(true);
  at.shell.output("1");
  at.slow = true;
  at.shell.output("2");
  at.shell.output("3");
  at.slow = false;
  at.session.drained();
  at.session.drained();
  at.shell.output("4");
  expect(at.happened.slice(2)).toEqual(["send 1", "send 2", "pause", "send 3", "resume", "send 4"]);
});

test("bounds input that the shell does not read", async () => {
  const at = bench();
  await at.created(true);
  at.session.message(Buffer.from("x"));
  for (let left = INPUT_BYTES_MAX; left > 0; left -= 65_536) at.session.message(new Uint8Array(65_536));
  expect(at.session.reason).toBe("");
  at.session.message(new Uint8Array(1));
  await at.ran;
  expect([at.session.reason, at.happened.slice(-2)]).toEqual([
    "input arrived faster than the shell reads it",
    ["kill", "close 1008"],
  ]);
});

test("ends once, for the first reason", async () => {
  const at = bench();
  await at.created(true);
  at.shell.ends();
  await at.ran;
  at.session.end("stop");
  at.session.closed();
  expect([at.session.reason, at.happened.slice(2)]).toEqual(["the shell ended", ["kill", "close 1000"]]);
});

test("waits for the container if it ends during creation, and does not attach", async () => {
  const at = bench();
  at.session.closed();
  let over = false;
  void at.ran.then(() => (over = true));
  await Bun.sleep(0);
  expect(over).toBe(false);
  await at.created(true);
  await at.ran;
  expect([at.session.reason, at.happened]).toEqual(["the connection was closed", ["create name folder"]]);
});

test("ends the session if there is no container", async () => {
  const at = bench();
  await at.created(false);
  await at.ran;
  expect([at.session.reason, at.happened]).toEqual([
    "the terminal could not be started; see the service's log",
    ["create name folder", "close 1011"],
  ]);
});

test("counts output as activity, but ends after twelve hours", async () => {
  const at = bench();
  await at.created(true);
  for (let passed = 0; passed < 12 * HOUR_MS; passed += 29 * MINUTE_MS) {
    at.session.checkLimits();
    expect(at.session.reason).toBe("");
    at.shell.output(".");
    at.clock.advance(29 * MINUTE_MS);
  }
  at.session.checkLimits();
  expect(at.session.reason).toBe("a session lasts 12 hours at most");
});
