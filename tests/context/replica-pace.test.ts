// Goal: a daemon asks its server no more often than it has to: changes travel at once after a pause and are paced in a row, its own changes are no news,
// a server that refuses, fails or is silent is left alone for the right time, and an idle daemon asks nothing before its regular look.

import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { turnOfOthers } from "../../src/kit/clock.ts";
import { AppError } from "../../src/kit/error.ts";
import type { Transport } from "../../src/context/client/client.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { frontOf, never } from "../kit/http/front.ts";
import { manualClock, MINUTE_MS, type ManualClock } from "../kit/manual-clock.ts";
import {
  FULL_LOOK_MS,
  isStream,
  scriptedStreams,
  settled,
  timedDaemon,
  type TimedDaemon,
} from "../kit/context/timed-daemon.ts";

const HEARTBEAT_MS = 15_000;
const QUIET_MS = 45_000;
const DEFAULT_LIMIT = 120;

interface Place {
  readonly server: ContextServer;
  readonly folder: Folder;
  readonly clock: ManualClock;
}

async function daemonOf(
  { server, folder, clock }: Place,
  name: string,
  more: { readonly url?: string; readonly through?: (transport: Transport) => Transport } = {},
): Promise<TimedDaemon> {
  const { token } = await server.user(name, "contributor");
  return timedDaemon({ directory: join(folder.path, name), url: server.url, token, clock, ...more });
}

/** The most requests of any minute. */
function busiest(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length));
}

test("a save each second uses less than half of the default limit, the first one travels at once, and the last one arrives", async () => {
  await using folder = await temporaryFolder();
  const clock = manualClock();
  await using server = await contextServer({ clock, config: { rate_limit: { enabled: true } } });
  const place = { server, folder, clock };
  await using ann = await daemonOf(place, "ann");
  await using bob = await daemonOf(place, "bob");
  await settled(clock, ann, bob);
  ann.copy.write("auto.md", "save 0");
  await eventually(() => bob.copy.tree(), { "auto.md": "save 0" });
  const served = () => server.admin.raw("GET", "/spaces/team/files/auto.md").then((found) => found.text());
  const isPaced = () => clock.waits().some((ms) => ms > 0 && ms < HEARTBEAT_MS);
  for (let second = 1; second <= 65; second += 1) {
    ann.copy.write("auto.md", `save ${second}`);
    await until(async () => isPaced() || (await served()) === `save ${second}`);
    clock.advance(1_000);
  }
  await eventually(() => {
    clock.advance(1_000);
    return bob.copy.read("auto.md");
  }, "save 65");
  for (const { times } of [ann, bob]) expect(busiest(times)).toBeLessThan(DEFAULT_LIMIT / 2 - 10);
  expect([ann.status()?.problem, bob.status()?.problem]).toEqual([null, null]);
});

test("the event of its own change causes no request", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const clock = manualClock();
  let heard = "";
  const hear = new TextDecoder();
  const through = (network: Transport): Transport => ({
    ...network,
    async send(...request) {
      const answer = await network.send(...request);
      if (!isStream(request[1])) return answer;
      const listener = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          controller.enqueue(piece);
          heard += hear.decode(piece);
        },
      });
      return new Response(answer.body!.pipeThrough(listener));
    },
  });
  await using ann = await daemonOf({ server, folder, clock }, "ann", { through });
  await settled(clock, ann);
  ann.copy.write("a.md", "ann\n");
  await until(() => heard.includes("space.push"));
  await server.admin.write("b.md", "root\n");
  await eventually(() => ann.copy.tree(), { "a.md": "ann\n", "b.md": "root\n" });
  expect(ann.requests).toEqual(["GET /changes", "POST /push", "GET /changes", "POST /pull"]);
});

test("a server that allows no more requests is asked again when it says, and then everything arrives", async () => {
  await using folder = await temporaryFolder();
  const clock = manualClock();
  const config = { rate_limit: { enabled: true, requests_per_minute: 30 } };
  await using server = await contextServer({ clock, config });
  const { token } = await server.user("ann", "contributor");
  const client = server.as(token);
  const place = { directory: join(folder.path, "ann"), url: server.url, token, clock };
  await using ann = await timedDaemon(place);
  await settled(clock, ann);
  clock.advance(18_000);
  await until(async () => (await client.raw("GET", "/auth/whoami")).status === 429);
  ann.copy.write("a.md", "one\n");
  await eventually(() => ann.status()?.problem?.code, "rate_limited");
  await until(() => clock.waits().includes(42_000));
  expect(ann.requests).toEqual(["GET /changes"]);
  clock.advance(41_999);
  // The stream was quiet, and its next try is refused as well.
  await eventually(() => ann.status()?.connected, false);
  expect(ann.requests).toEqual(["GET /changes"]);
  clock.advance(1);
  await eventually(() => ann.requests, ["GET /changes", "GET /changes", "POST /push"]);
  await eventually(() => ann.status()?.problem, null);
  expect(await server.admin.read("a.md")).toBe("one\n");
});

test("a server that is away is asked after the intervals of the back-off, and no sooner", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const clock = manualClock();
  let isAway = false;
  const through = (network: Transport): Transport => ({
    ...network,
    async send(...request) {
      if (!isAway) return network.send(...request);
      await turnOfOthers();
      throw new AppError("unavailable", "away");
    },
  });
  await using ann = await daemonOf({ server, folder, clock }, "ann", { through });
  await settled(clock, ann);
  isAway = true;
  ann.copy.write("a.md", "one\n");
  const intervals = [1, 2, 4, 8, 15, 15];
  for (const [index, minutes] of intervals.entries()) {
    const failures = index + 1;
    await eventually(() => ann.status()?.failures, failures);
    await until(() => clock.waits().includes(minutes * MINUTE_MS));
    expect(ann.requests).toHaveLength(failures);
    clock.advance(minutes * MINUTE_MS - 1);
    expect(ann.requests).toHaveLength(failures);
    expect(clock.waits()[0]).toBe(1);
    isAway = failures < intervals.length;
    clock.advance(1);
  }
  await eventually(() => ann.status()?.problem, null);
  expect(await server.admin.read("a.md")).toBe("one\n");
});

test("a folder that is gone after sleep is looked at once, and again after the interval", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const still = manualClock();
  let slept = 0;
  const clock = { ...still, now: () => still.now() + slept };
  await using ann = await daemonOf({ server, folder, clock }, "ann");
  await settled(clock, ann);
  const state = join(folder.path, "ann/.sync/state.db");
  renameSync(state, `${state}.away`);
  slept = 60 * MINUTE_MS;
  clock.advance(MINUTE_MS);
  await eventually(() => ann.status()?.problem?.code, "refused");
  await until(() => clock.waits().includes(MINUTE_MS));
  expect(ann.status()?.failures).toBe(1);
  renameSync(`${state}.away`, state);
  clock.advance(MINUTE_MS);
  await eventually(() => ann.status()?.problem, null);
});

for (const [code, isOver] of [
  ["unavailable", true],
  ["epoch_changed", false],
  ["forbidden", false],
] as const)
  test(`a stream that opens again ${isOver ? "ends" : "does not end"} the wait after the failure ${code}`, async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    const clock = manualClock();
    const streams = scriptedStreams();
    let isFailing = false;
    const through = (network: Transport): Transport => {
      const scripted = streams.through(network);
      return {
        ...scripted,
        async send(...request) {
          if (!isFailing || isStream(request[1])) return scripted.send(...request);
          await turnOfOthers();
          throw new AppError(code, "refused for a test");
        },
      };
    };
    await using ann = await daemonOf({ server, folder, clock }, "ann", { through });
    await settled(clock, ann);
    clock.advance(QUIET_MS - 1);
    isFailing = true;
    ann.copy.write("a.md", "one\n");
    await until(() => clock.waits().includes(MINUTE_MS));
    clock.advance(1);
    await eventually(() => ann.status()?.connected, false);
    await until(() => clock.waits().includes(5_000));
    expect([ann.status()?.problem?.code, ann.status()?.failures, ann.requests]).toEqual([
      code,
      1,
      ["GET /changes"],
    ]);
    clock.advance(5_000);
    await eventually(() => [ann.status()?.connected, streams.opened.length], [true, 2]);
    if (isOver) return eventually(() => [ann.status()?.failures, ann.requests.length], [2, 2]);
    await until(() => clock.waits().includes(MINUTE_MS - 5_001));
    expect([ann.status()?.failures, ann.requests]).toEqual([1, ["GET /changes"]]);
    isFailing = false;
    clock.advance(MINUTE_MS - 5_001);
    await eventually(() => ann.status()?.problem, null);
    expect(await server.admin.read("a.md")).toBe("one\n");
  });

test("an idle daemon asks nothing until its regular look, which finds what no event announced", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const clock = manualClock();
  const streams = scriptedStreams();
  await using ann = await daemonOf({ server, folder, clock }, "ann", { through: streams.through });
  await settled(clock, ann);
  await server.admin.write("a.md", "unannounced\n");
  const beat = async () => {
    clock.advance(HEARTBEAT_MS);
    streams.beat();
    await until(() => clock.waits().includes(QUIET_MS));
  };
  for (let passed = HEARTBEAT_MS; passed < FULL_LOOK_MS; passed += HEARTBEAT_MS) await beat();
  expect(ann.requests).toEqual([]);
  await beat();
  await eventually(() => ann.copy.tree(), { "a.md": "unannounced\n" });
  expect(ann.requests).toEqual(["GET /changes", "POST /pull"]);
  expect(streams.opened).toHaveLength(1);
});

test("an event stream without heartbeats is given up and opened again", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const clock = manualClock();
  const streams = scriptedStreams();
  await using ann = await daemonOf({ server, folder, clock }, "ann", { through: streams.through });
  await settled(clock, ann);
  await server.admin.write("a.md", "unannounced\n");
  clock.advance(QUIET_MS - 1);
  expect([ann.status()?.connected, streams.opened.length]).toEqual([true, 1]);
  clock.advance(1);
  await eventually(() => ann.status()?.connected, false);
  await until(() => clock.waits().includes(5_000));
  clock.advance(5_000);
  await eventually(() => [ann.status()?.connected, streams.opened.length], [true, 2]);
  await eventually(() => ann.copy.tree(), { "a.md": "unannounced\n" });
});

test("a file that is gone for less than half a second is not deleted", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const clock = manualClock();
  await server.admin.write("a.md", "one\n");
  await using ann = await daemonOf({ server, folder, clock }, "ann");
  await settled(clock, ann);
  ann.copy.remove("a.md");
  await until(() => clock.waits().includes(500));
  ann.copy.write("a.md", "two\n");
  clock.advance(500);
  await eventually(() => server.admin.read("a.md"), "two\n");
  const { versions } = await server.admin.get("/spaces/team/history/a.md");
  expect(versions.map(({ version, deleted }) => [version, deleted])).toEqual([
    [2, false],
    [1, false],
  ]);
  ann.copy.remove("a.md");
  await until(() => clock.waits().includes(500));
  clock.advance(500);
  await eventually(async () => (await server.admin.get("/spaces/team/files")).length, 0);
});

test("a server that never answers counts as a failure after half a minute", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await using front = frontOf(() => server.url);
  const clock = manualClock();
  const streams = scriptedStreams();
  const more = { url: front.url, through: streams.through };
  await using ann = await daemonOf({ server, folder, clock }, "ann", more);
  await settled(clock, ann);
  front.answer = (path) => (isStream(path) ? undefined : never());
  ann.copy.write("a.md", "one\n");
  await eventually(() => ann.requests, ["GET /changes"]);
  await until(() => clock.waits().filter((ms) => ms === 30_000).length === 2);
  expect(ann.status()?.problem).toBeNull();
  clock.advance(30_000);
  await eventually(() => ann.status()?.problem, {
    code: "unavailable",
    message: `${front.url} does not answer: nothing arrived within 30 s; check that it works, then try again`,
  });
  front.answer = () => undefined;
  await until(() => clock.waits().includes(MINUTE_MS));
  clock.advance(MINUTE_MS);
  await eventually(() => ann.status()?.problem, null);
  expect(await server.admin.read("a.md")).toBe("one\n");
});
