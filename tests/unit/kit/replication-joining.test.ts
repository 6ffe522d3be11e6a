// Goal: exactly one node begins a log, with its data; others join it or say why they cannot. A disk that fails stops no node.

import { expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/kit/error.ts";
import { encodeEntry } from "../../../src/kit/replication/entry.ts";
import { CLUSTER, entryKey, LEADER } from "../../../src/kit/replication/places.ts";
import { until } from "../../kit/eventually.ts";
import { unreachable } from "../../kit/memory-storage.ts";
import { silent } from "../../kit/silent.ts";
import { addUnlogged, led, replicas, type Leading, type Replicas } from "../../kit/replicas.ts";

/** Follows for some time. */
async function followed(all: Replicas, name: string, ms = 30_000) {
  const node = all.following(name);
  await all.pass(ms);
  return { node, taken: await node.stop() };
}

/** Follows until the node has everything that the leader has. */
async function caughtUp(all: Replicas, name: string, { leader }: Leading): Promise<void> {
  const node = all.following(name);
  await all.passing(until(() => node.position === leader.position.seq));
  await node.stop();
}

test("a node without data begins no log, and joins when the one with the data has begun", async () => {
  await using all = await replicas();
  const b = all.following("b");
  await all.pass(60_000);
  expect(all.storage.objects.size).toBe(0);
  all.withData("a");
  await using a = await all.takesOver("a");
  await all.passing(a.add("one"));
  await all.pass(60_000);
  expect(b.position).toBeUndefined();
  await all.passing(a.snapshot());
  await b.reaches(2);
  await b.stop();
  expect(all.texts("b")).toEqual(["one"]);
});

test("a node that ends while it begins the log goes on with it", async () => {
  for (const moment of ["before", "after"] as const) {
    await using all = await replicas();
    all.withData("a");
    all.storage[moment] = (operation, key) => {
      if (operation === "create" && key === CLUSTER) throw unreachable();
    };
    expect((await followed(all, "a", 500)).taken).toBeUndefined();
    expect(all.storage.objects.has(CLUSTER)).toBe(moment === "after");
    all.storage[moment] = () => {};
    await using a = await all.takesOver("a");
    expect(a.taken.position.seq).toBe(1);
  }
});

test("of two nodes with data, one begins the log, and the other refuses, also the next time", async () => {
  await using all = await replicas();
  for (const node of ["a", "b"]) all.withData(node);
  let other: Promise<unknown> | undefined;
  all.storage.before = async (operation, key) => {
    if (operation !== "create" || key !== CLUSTER || other) return;
    // Right before this node creates it.
    other = Promise.resolve();
    other = all.takesOver("b");
    await other;
  };
  const refusal = { code: "refused", message: expect.stringContaining("has data of its own") as unknown };
  for (let start = 0; start < 2; start += 1)
    await expect(all.passing(all.following("a").taken)).rejects.toMatchObject(refusal);
  await using _ = (await other) as AsyncDisposable;
});

test("a node that belongs to another log refuses, and keeps its data", async () => {
  await using all = await replicas();
  all.withData("a");
  const a = await all.takesOver("a");
  await all.passing(a.add("one"));
  await all.passing(a.end());
  const refused = (text: string) => {
    const refusal = { code: "refused", message: expect.stringContaining(text) as unknown };
    return expect(all.passing(all.following("a").taken)).rejects.toMatchObject(refusal);
  };
  all.storage.objects.set(CLUSTER, Buffer.from("another"));
  await refused("another replication log");
  all.storage.objects.clear();
  await refused("holds no replication log");
  expect(all.texts("a")).toEqual(["one"]);
});

test("a node that refuses another log still notices afterwards that a file was replaced", async () => {
  const warnings: string[] = [];
  const log = { ...silent, warn: (message: string) => void warnings.push(message) };
  await using all = await replicas();
  await using a = await led(all);
  await caughtUp(all, "b", a);
  const database = join(all.directory("b"), "x.db");
  cpSync(database, `${database}.old`);
  utimesSync(`${database}.old`, 0, 0);
  renameSync(`${database}.old`, database);
  const identity = all.storage.objects.get(CLUSTER)!;
  all.storage.objects.set(CLUSTER, Buffer.from("another"));
  await expect(all.passing(all.following("b").taken)).rejects.toThrow("another replication log");
  all.storage.objects.set(CLUSTER, identity);
  const b = all.following("b", { log });
  await all.passing(until(() => warnings.length > 0));
  await b.stop();
  expect(warnings).toEqual(["a file was changed while this node was stopped; copying all data again"]);
});

test("a node whose preparation refuses leaves marks for its next start", async () => {
  await using all = await replicas();
  await using a = await led(all);
  await caughtUp(all, "b", a);
  const marks = join(all.directory("b"), "replication-files.json");
  expect(existsSync(marks)).toBe(true);
  const refused = all.following("b", {
    prepare: () => Promise.reject(new AppError("refused", "another key")),
  });
  await expect(all.passing(refused.taken)).rejects.toThrow("another key");
  expect(existsSync(marks)).toBe(true);
});

test("a node whose disk is full names the directory, and says what to do", async () => {
  await using all = await replicas();
  await using _ = await led(all);
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const prepare = () => Promise.reject(full);
  const b = all.follower("b", { prepare });
  const stop = new AbortController();
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.problem !== undefined));
  expect(b.problem).toBe(`${all.directory("b")}: the disk is full; free some space and try again`);
  stop.abort();
  await following;
});

test("a node that lags when the bucket loses everything waits for the leader to restore the log", async () => {
  const warnings: unknown[] = [];
  const log = { ...silent, warn: (_: string, facts?: object) => void warnings.push(facts) };
  await using all = await replicas();
  await using a = await led(all);
  await caughtUp(all, "b", a);
  // Both at once, so that this node cannot read the entry.
  all.storage.after = (operation, key) => {
    if (operation !== "create" || key !== entryKey(3)) return;
    for (const lost of [key, ...all.storage.keys("snapshots/")]) all.storage.objects.delete(lost);
  };
  const b = all.following("b", { log });
  await all.passing(a.add("two"));
  await all.passing(until(() => warnings.length > 0));
  expect(warnings).toEqual([
    { error: "entry 3 of the replication log is missing; waiting until a leader restores it" },
  ]);
  await all.passing(a.snapshot());
  await b.reaches(a.leader.position.seq);
  await b.stop();
  expect(all.texts("b")).toEqual(["one", "two"]);
});

test("a node that waits for a lost file of the snapshot does not copy the others every second", async () => {
  await using all = await replicas();
  await using _ = await led(all);
  const [file] = all.storage.keys("snapshots/").filter((key) => key.endsWith(".zst"));
  all.storage.objects.delete(file!);
  let reads = 0;
  all.storage.before = (operation) => void (operation === "read" && (reads += 1));
  const b = all.following("b");
  await all.passing(until(() => reads > 0));
  await all.pass(30_000);
  await b.stop();
  expect(reads).toBeLessThanOrEqual(4);
});

test("a leader that ended before its first snapshot goes on, because nobody else has its data", async () => {
  await using all = await replicas();
  all.withData("a");
  const a = await all.takesOver("a");
  await all.passing(a.add("one"));
  a.crash();
  expect((await followed(all, "b")).taken).toBeUndefined();
  await using again = await all.takesOver("a");
  await all.passing(again.add("two"));
  await all.passing(again.snapshot());
  await caughtUp(all, "b", again);
  expect(all.texts("b")).toEqual(["one", "two"]);
});

test("two nodes with one name: the second one refuses", async () => {
  await using all = await replicas();
  await using a = await led(all);
  mkdirSync(`${all.directory("a")}/twin`);
  const twin = all.following("a", { directory: `${all.directory("a")}/twin` });
  await expect(all.passing(twin.taken)).rejects.toThrow('another node has the name "a"');
  await all.passing(a.add("two"));
});

test("a heartbeat of a newer version counts", async () => {
  await using all = await replicas();
  const a = await led(all);
  a.crash();
  const b = all.following("b");
  for (let beat = 0; beat < 15; beat += 1) {
    all.storage.objects.set(LEADER, Buffer.from(JSON.stringify({ format: 2, beat })));
    await all.pass(2_000);
  }
  expect(all.storage.objects.has(entryKey(3))).toBe(false);
  expect(await all.passing(b.taken)).toMatchObject({ position: { seq: 3 } });
});

test("an entry that is damaged, foreign, or of a file that nodes do not share stops a node before it changes anything", async () => {
  const entry = { seq: 3, kind: "changes", node: "a", parts: [] } as const;
  const append = { kind: "append", file: "server.yaml", at: 0, content: Buffer.from("x") } as const;
  const cases = [
    [async () => Buffer.from("no entry"), "entry 3 of the replication log is damaged"],
    [() => encodeEntry({ ...entry, previous: "other" }), "does not follow from entry 2"],
    [(previous: string) => encodeEntry({ ...entry, previous, seq: 4 }), "is damaged"],
    [(previous: string) => encodeEntry({ ...entry, previous, parts: [append] }), "server.yaml"],
  ] as const;
  for (const [bytesOf, message] of cases) {
    await using all = await replicas();
    const a = await led(all);
    a.crash();
    all.storage.objects.set(entryKey(3), await bytesOf(a.leader.position.hash));
    await expect(all.passing(all.following("b").taken)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(message) as unknown,
    });
    expect(existsSync(join(all.directory("b"), "server.yaml"))).toBe(false);
    expect(all.texts("b")).toEqual(["one"]);
  }
});

test("a node whose disk fails goes on when it works again", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const b = all.following("b");
  const database = join(all.directory("b"), "x.db");
  await b.reaches(2);
  // A folder in the place of the database.
  renameSync(database, `${database}.kept`);
  mkdirSync(database);
  await all.passing(a.add("two"));
  await all.pass(20_000);
  expect(b.position).toBe(2);
  rmdirSync(database);
  renameSync(`${database}.kept`, database);
  await b.reaches(3);
  expect(await b.stop()).toBeUndefined();
  expect(all.texts("b")).toEqual(["one", "two"]);
});

test("a node that crashed at any step of a copy or of following has the same in the end", async () => {
  await using all = await replicas();
  all.withData("a");
  await using a = await all.takesOver("a");
  await all.passing(a.add("one"));
  await all.passing(a.snapshot(() => a.add("two")));
  await all.passing(a.add("three"));
  const moments: string[] = [];
  const isOwn = new AsyncLocalStorage<boolean>();
  const remember = () => {
    if (!isOwn.getStore()) return;
    const name = `b${moments.length}`;
    cpSync(all.directory("b"), all.directory(name), { recursive: true });
    moments.push(name);
  };
  all.storage.before = all.storage.after = remember;
  const b = isOwn.run(true, () => all.following("b"));
  await all.passing(until(() => b.position === a.leader.position.seq));
  for (const text of ["four", "five"]) await all.passing(a.add(text));
  await all.passing(until(() => b.position === a.leader.position.seq));
  await b.stop();
  expect(moments.length).toBeGreaterThan(20);
  // Half of them find only the newest snapshot.
  for (const [index, name] of moments.entries()) {
    if (index === Math.floor(moments.length / 2)) {
      await all.passing(a.snapshot());
      await all.passing(a.snapshot());
    }
    await caughtUp(all, name, a);
    expect(all.texts(name)).toEqual(["one", "two", "three", "four", "five"]);
  }
});

test("a node whose files were deleted copies them again instead of writing pages into nothing", async () => {
  await using all = await replicas();
  await using a = await led(all);
  await caughtUp(all, "b", a);
  expect(all.texts("b")).toEqual(["one"]);
  rmSync(join(all.directory("b"), "x.db"));
  await all.passing(a.add("two"));
  await caughtUp(all, "b", a);
  expect(all.texts("b")).toEqual(["one", "two"]);
});

/** Makes a snapshot whose manifest arrives when the function is called that it returns. */
async function lateSnapshot({ storage, passing }: Replicas, { snapshot }: Leading): Promise<() => void> {
  const { put } = storage;
  let arrives = () => {};
  storage.put = (key, bytes) => {
    if (!key.endsWith("manifest.json")) return put.call(storage, key, bytes);
    arrives = () => void storage.objects.set(key, bytes);
    return Promise.reject(unreachable());
  };
  await expect(passing(snapshot())).rejects.toThrow("cannot use the storage");
  storage.put = put;
  return arrives;
}

test("a snapshot that arrives after its leader crashed and began again is worth nothing", async () => {
  for (const reader of ["a", "b"]) {
    await using all = await replicas();
    all.withData("a");
    const a = await all.takesOver("a");
    await all.passing(a.add("one"));
    const arrives = await lateSnapshot(all, a);
    await addUnlogged(all, a, "in the WAL of this node only");
    a.crash();
    all.storage.before = () => {};
    const again = await all.takesOver("a");
    await all.passing(again.add("two"));
    arrives();
    const texts = ["one", "in the WAL of this node only", "two"];
    if (reader === "a") {
      again.crash();
      const third = await all.takesOver("a");
      await all.passing(third.end());
    } else {
      expect((await followed(all, "b")).node.position).toBeUndefined();
      await all.passing(again.snapshot());
      await caughtUp(all, "b", again);
      await again[Symbol.asyncDispose]();
    }
    expect(all.texts(reader)).toEqual(texts);
  }
});

test("a node that crashed between its beginning and its note of it does not take an older snapshot for its data", async () => {
  await using all = await replicas();
  all.withData("a");
  const a = await all.takesOver("a");
  await all.passing(a.add("one"));
  const arrives = await lateSnapshot(all, a);
  await all.passing(a.add("two"));
  a.crash();
  const state = readFileSync(join(all.directory("a"), "replication.json"));
  (await all.takesOver("a")).crash();
  writeFileSync(join(all.directory("a"), "replication.json"), state);
  arrives();
  const again = await all.takesOver("a");
  await all.passing(again.end());
  expect(all.texts("a")).toEqual(["one", "two"]);
});

test("a leader that crashed joins another one that writes as often as it reads", async () => {
  await using all = await replicas();
  const a = await led(all);
  await caughtUp(all, "b", a);
  a.crash();
  await using b = await all.takesOver("b");
  for (let index = 0; index < 12; index++) await all.passing(b.add(`written ${index}`));
  let written = 12;
  let isReading = false;
  all.storage.before = async (operation, key) => {
    if (operation !== "get" || !key.startsWith("log/") || isReading) return;
    isReading = true;
    await b.add(`written ${written++}`);
    isReading = false;
  };
  const again = all.following("a");
  const state = () => readFileSync(join(all.directory("a"), "replication.json"), "utf8");
  await all.passing(until(() => JSON.parse(state()).files === "exact"));
  await again.stop();
  expect(written).toBeLessThan(60);
  expect(all.texts("a").slice(0, 3)).toEqual(["one", "written 0", "written 1"]);
});

test("heartbeats of this node that the storage applies late and again are not those of another one", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.pass(12_000);
  const last = JSON.parse(Buffer.from(all.storage.objects.get(LEADER)!).toString()) as { number: number };
  a.crash();
  const again = all.following("a");
  for (const number of [0, -3, 0, -2, 0, -1]) {
    const late = { ...last, number: last.number + number };
    all.storage.objects.set(LEADER, Buffer.from(JSON.stringify(late)));
    await all.pass(2_000);
  }
  expect((await all.passing(again.taken))!.position.seq).toBe(3);
});

test("a copy of the directory of the leader refuses to run beside it", async () => {
  await using all = await replicas();
  await using a = await led(all);
  cpSync(all.directory("a"), all.directory("copy"), { recursive: true });
  const copy = all.following("a", { directory: all.directory("copy") });
  await expect(all.passing(copy.taken)).rejects.toThrow('another node has the name "a"');
  await all.passing(a.add("two"));
});

test("a node with the name of the leader gives it as much time as any other", async () => {
  await using all = await replicas();
  await using a = await led(all);
  let isCutOff = false;
  all.storage.before = (operation, key) => {
    if (isCutOff && operation === "put" && key === LEADER) throw unreachable();
  };
  const twin = all.following("a", { directory: all.directory("twin") });
  isCutOff = true;
  for (let passed = 0; passed < 7_000; passed += 100) await all.pass(100);
  a.leader.requireLead();
  expect(all.storage.objects.has(entryKey(3))).toBe(false);
  await twin.stop();
});
