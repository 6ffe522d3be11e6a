// Goal: daemons bring a saved file to the other copy without being asked, come back after the server was away, and leave an edit alone that a person
// makes meanwhile.

import { existsSync, linkSync, renameSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import { Daemon } from "../../src/context/replica/daemon.ts";
import { daemonLogWriter, lastLines } from "../../src/context/replica/daemon-log.ts";
import {
  daemonStatus,
  isDaemonRunning,
  lockDaemon,
  lockDaemonSoon,
  nudgeDaemon,
  writeStatus,
  type DaemonStatus,
} from "../../src/context/replica/daemon-status.ts";
import { systemClock, systemTimers, type Timers } from "../../src/kit/clock.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import { silent } from "../kit/silent.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { within } from "../kit/within.ts";
import { refusal } from "../kit/http/refusal.ts";
import { replica, treeOf, type Replica } from "../kit/context/replica.ts";

const RETRY_MS = 50;
const TICK_MS = 20;
const STATUS: DaemonStatus = {
  pid: 1,
  started_at: "2026-01-01T00:00:00.000Z",
  connected: true,
  synced_at: null,
  failures: 0,
  problem: null,
  next_try_at: null,
};

interface Kept extends AsyncDisposable {
  readonly copy: Replica;
  stop(): Promise<void>;
}

async function kept(
  server: ContextServer,
  directory: string,
  name: string,
  options: Partial<ConstructorParameters<typeof Daemon>[0]> = {},
): Promise<Kept> {
  const { token } = await server.user(name, "contributor");
  const copy = replica({ directory, url: () => server.url, token });
  await copy.join();
  const lock = lockDaemon(directory);
  const connect = async () => new Client(networkTransport(server.url, token));
  const daemon = new Daemon({
    directory,
    connect,
    clock: systemClock,
    log: silent,
    pid: 1,
    intervalMs: RETRY_MS,
    noticesEveryChange: () => true,
    ...options,
  });
  const running = daemon.run();
  const stop = async () => {
    daemon.stop();
    await running;
    lock[Symbol.dispose]();
  };
  return { copy, stop, [Symbol.asyncDispose]: stop };
}

test("a saved file, a delete and a new directory reach the other copy; and again after the server was away", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "a.md": "one\n" } });
  await using ann = await kept(server, join(folder.path, "ann"), "ann");
  await using bob = await kept(server, join(folder.path, "bob"), "bob");
  const connected = ({ copy }: Kept) => daemonStatus(copy.directory)?.connected;
  await eventually(() => [ann, bob].map(connected), [true, true]);
  ann.copy.write("a.md", "one, ann\n");
  await eventually(() => bob.copy.tree(), { "a.md": "one, ann\n" });
  bob.copy.write("new/deep/b.md", "two\n");
  await eventually(() => ann.copy.tree(), { "a.md": "one, ann\n", "new/deep/b.md": "two\n" });
  ann.copy.write("new/deep/b.md", "two, ann\n");
  await eventually(() => bob.copy.tree()["new/deep/b.md"], "two, ann\n");
  ann.copy.remove("a.md");
  await eventually(() => bob.copy.tree(), { "new/deep/b.md": "two, ann\n" });

  await server.stop();
  ann.copy.write("c.md", "three\n");
  const failures = () => daemonStatus(ann.copy.directory)?.failures ?? 0;
  await until(() => failures() > 1);
  await server.restart();
  await eventually(() => bob.copy.tree()["c.md"], "three\n");
  await eventually(() => [ann, bob].map(connected), [true, true]);
  expect(daemonStatus(ann.copy.directory)).toMatchObject({ failures: 0, problem: null });
});

test("a renamed, moved or deleted directory is so on the other copy, by its notices alone", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "docs/a.md": "one\n", "docs/deep/b.md": "two\n" } });
  await using ann = await kept(server, join(folder.path, "ann"), "ann");
  const paths = async () => (await server.admin.get("/spaces/team/files")).map(({ path }) => path).sort();
  const rename = (from: string, to: string) =>
    renameSync(join(ann.copy.directory, from), join(ann.copy.directory, to));
  await eventually(() => daemonStatus(ann.copy.directory)?.connected, true);
  rename("docs", "pages");
  await eventually(paths, ["pages/a.md", "pages/deep/b.md"]);
  rename("pages/deep", "flat");
  await eventually(paths, ["flat/b.md", "pages/a.md"]);
  rename("flat", "Flat");
  await eventually(paths, ["Flat/b.md", "pages/a.md"]);
  ann.copy.remove("Flat");
  await eventually(paths, ["pages/a.md"]);
});

test("on a disk that others write to without a notice, the folder is looked at again and again", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "a.md": "one\n" } });
  await using ann = await kept(server, join(folder.path, "ann"), "ann", {
    noticesEveryChange: () => false,
  });
  await eventually(() => daemonStatus(ann.copy.directory)?.connected, true);
  // Through its other name, a file changes without a notice in the folder.
  linkSync(join(ann.copy.directory, "a.md"), join(folder.path, "other name"));
  let text = "one\n";
  for (const line of ["two\n", "three\n"]) {
    text += line;
    await appendFile(join(folder.path, "other name"), line);
    await eventually(() => server.admin.read("a.md"), text);
  }
});

test("scratch files of editors stay here, and one daemon runs at a time", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const directory = join(folder.path, "ann");
  await using ann = await kept(server, directory, "ann");
  await refusal(() => lockDaemon(directory), "conflict", `the daemon of ${directory} is already running`, {
    in_use: true,
  });
  ann.copy.write(".a.md.swp", "half");
  ann.copy.write("a.md~", "before");
  ann.copy.write("a.md", "one\n");
  const paths = async () => (await server.admin.get("/spaces/team/files")).map(({ path }) => path);
  await eventually(paths, ["a.md"]);
  expect(existsSync(join(directory, ".a.md.swp"))).toBe(true);
  expect(isDaemonRunning(directory)).toBe(true);
  await ann.stop();
  expect([isDaemonRunning(directory), daemonStatus(directory)]).toEqual([false, undefined]);
});

test("a name that some system cannot store stays here, and holds up no other file", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await using ann = await kept(server, join(folder.path, "ann"), "ann");
  await eventually(() => daemonStatus(ann.copy.directory)?.connected, true);
  const paths = async () => (await server.admin.get("/spaces/team/files")).map(({ path }) => path).sort();
  ann.copy.write("plan: next.md", "no\n");
  ann.copy.write("aux/a.md", "no\n");
  ann.copy.write("a.md", "one\n");
  await eventually(paths, ["a.md"]);
  ann.copy.write("docs/why?.md", "no\n");
  ann.copy.write("docs/b.md", "two\n");
  await eventually(paths, ["a.md", "docs/b.md"]);
  await ann.stop();
  expect(daemonStatus(ann.copy.directory)?.problem ?? null).toBeNull();
  expect((await ann.copy.sync()).refused.map(({ path, code }) => [path, code])).toEqual([
    ["aux/", "bad_name"],
    ["docs/why?.md", "bad_name"],
    ["plan: next.md", "bad_name"],
  ]);
});

test("a delete of many files that takes a while is asked about, and a sync by hand ends the wait", async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 100 }, (_, index) => `${index}.md`);
  await using server = await contextServer({ files: Object.fromEntries(names.map((name) => [name, name])) });
  let left: string[] = [];
  // During the wait for files that an editor is saving.
  const after: Timers["after"] = (ms, act) => {
    for (const name of left.splice(0)) ann.copy.remove(name);
    return systemTimers.after(ms, act);
  };
  await using ann = await kept(server, join(folder.path, "ann"), "ann", {
    intervalMs: 3_600_000,
    timers: { ...systemTimers, after },
  });
  await eventually(() => daemonStatus(ann.copy.directory)?.connected, true);
  left = names.slice(15, 30);
  for (const name of names.slice(0, 15)) ann.copy.remove(name);
  const problem = () => daemonStatus(ann.copy.directory)?.problem?.message;
  await until(() => problem() !== undefined);
  expect(problem()).toStartWith("this sync would delete 30 of 100 files on the server; nothing was changed;");
  expect((await ann.copy.sync({ confirmed: true })).withdrawn).toHaveLength(30);
  nudgeDaemon(ann.copy.directory);
  await eventually(() => daemonStatus(ann.copy.directory)?.problem, null);
});

test("the status of a daemon that was killed is not that of the next one", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  const killed = lockDaemon(directory);
  killed[Symbol.dispose]();
  writeStatus(directory, STATUS);
  // The next one has its lock, and has not said anything yet.
  using _lock = lockDaemon(directory);
  expect(daemonStatus(directory)).toBeUndefined();
  writeStatus(directory, { ...STATUS, pid: 2 });
  expect(daemonStatus(directory)?.pid).toBe(2);
});

test("a daemon starts although a command looks for one at that moment, and not beside another daemon", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  // A look that takes long, because the machine stands still.
  const look = lockDaemon(directory);
  const starting = lockDaemonSoon(directory, systemClock);
  look[Symbol.dispose]();
  using _lock = await within("the daemon has its lock", starting);
  writeStatus(directory, STATUS);
  await refusal(
    lockDaemonSoon(directory, systemClock),
    "conflict",
    `the daemon of ${directory} is already running`,
  );
});

test("after sleep, the daemon connects again", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const directory = join(folder.path, "ann");
  const { token } = await server.user("ann", "contributor");
  await replica({ directory, url: server.url, token }).join();
  let slept = 0;
  const streams: string[] = [];
  const clock = { now: () => systemClock.now() + slept, elapsed: () => systemClock.elapsed() };
  const connect = async () => {
    const network = networkTransport(server.url, token);
    const send: typeof network.send = (method, path, ...rest) => {
      if (path.includes("/events")) streams.push(path);
      return network.send(method, path, ...rest);
    };
    return new Client({ ...network, send });
  };
  const deps = { directory, connect, clock, log: silent, pid: 1, intervalMs: RETRY_MS, tickMs: TICK_MS };
  using _lock = lockDaemon(directory);
  const daemon = new Daemon(deps);
  const running = daemon.run();
  await eventually(() => daemonStatus(directory)?.connected, true);
  expect(streams).toHaveLength(1);
  slept = 3_600_000;
  await eventually(() => streams.length, 2);
  await server.admin.write("a.md", "while you slept\n");
  await eventually(() => treeOf(directory), { "a.md": "while you slept\n" });
  daemon.stop();
  await running;
});

test("the log of a folder that was moved or deleted makes no new folder", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "moved", ".sync", "daemon.log");
  daemonLogWriter(path)("a line\n");
  expect(existsSync(join(folder.path, "moved"))).toBe(false);
});

test("the log is bounded and keeps one earlier file", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "daemon.log");
  expect(lastLines(path, 1)).toBeUndefined();
  const write = daemonLogWriter(path, 100);
  for (let line = 1; line <= 30; line += 1) write(`line ${line}\n`);
  expect(lastLines(path, 12)!.at(-1)).toBe("line 30");
  expect(lastLines(path, 12)).toHaveLength(12);
  expect(lastLines(path, 1_000)!.length).toBeLessThan(30);
});
