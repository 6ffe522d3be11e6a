// Goal: a node that follows has what the log says, whatever happened to its files and to the objects before, and takes over only at its end.

import { expect, test } from "bun:test";
import { lstatSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/kit/error.ts";
import { entryKey, LEADER } from "../../../src/kit/replication/places.ts";
import { until } from "../../kit/eventually.ts";
import { unreachable } from "../../kit/memory-storage.ts";
import { addUnlogged, isAnswering, led, replicas, type Leading, type Replicas } from "../../kit/replicas.ts";

/** A node that does not see the heartbeats of a leader with two entries, and falls asleep right before it takes over with the third one. */
async function asleepAtTakeover(all: Replicas) {
  const asleep = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  const { get } = all.storage;
  let isAwake = true;
  all.storage.before = (operation, key) => {
    if (operation !== "create" || key !== entryKey(3) || !isAwake) return undefined;
    isAwake = false;
    asleep.resolve();
    return woken.promise;
  };
  all.storage.get = (key, bytesMax) =>
    isAwake && key === "leader" ? Promise.resolve(undefined) : get.call(all.storage, key, bytesMax);
  const b = all.following("b");
  await all.passing(asleep.promise);
  return { b, wake: woken.resolve };
}

test("a node that crashed while it led copies the data again, and forgets what only it had", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.add("two"));
  await addUnlogged(all, a, "in the WAL of this node only");
  a.crash();
  all.storage.before = () => {};
  await using b = await all.takesOver("b");
  await all.passing(b.add("three"));
  await all.passing(b.end());
  await using a2 = await all.takesOver("a");
  await all.passing(a2.end());
  expect(all.texts("a")).toEqual(["one", "two", "three"]);
});

test("a node goes on when the storage answers again, and its takeover may have succeeded without an answer", async () => {
  await using all = await replicas();
  await using a = await led(all);
  await all.passing(a.end());
  let failures = 0;
  const fails = () => {
    if ((failures += 1) < 20) throw unreachable();
  };
  all.storage.before = (operation) => (operation === "create" ? undefined : fails());
  all.storage.after = (operation) => (operation === "create" ? fails() : undefined);
  await using b = await all.takesOver("b");
  await all.passing(b.end());
  expect(all.texts("b")).toEqual(["one"]);
});

test("a node leaves a leader alone that took over a moment ago, before its first heartbeat", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.end());
  let b: Promise<Leading> | undefined;
  const isHung = (operation: string, key: string) => b && operation === "put" && key === "leader";
  all.storage.before = (operation, key) => (isHung(operation, key) ? new Promise(() => {}) : undefined);
  // This node has seen that nobody leads when the other one takes over.
  const prepare = async () => {
    await (b ??= all.takesOver("b"));
  };
  const c = all.following("c", { prepare });
  await all.passing(until(() => b));
  await using leading = await b!;
  await all.pass(11_000);
  const { seq } = leading.taken.position;
  expect(all.storage.keys("log/").at(-1)).toBe(entryKey(seq));
  // Without any heartbeat, it is replaced in the end.
  const taken = await all.passing(c.taken);
  expect(taken!.position.seq).toBe(seq + 1);
});

test("a leader that ends well before its first entry is replaced at the next look", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.end());
  const b = await all.takesOver("b");
  const c = all.following("c");
  await c.reaches(b.leader.position.seq);
  let looks = 0;
  all.storage.before = (operation, key) => {
    if (key === "leader") looks = operation === "put" ? 0 : looks + 1;
  };
  await all.passing(b.end());
  expect((await all.passing(c.taken))!.position.seq).toBe(b.leader.position.seq + 1);
  expect(looks).toBeLessThan(4);
});

test("two nodes that start together do not depose each other", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.end());
  const nodes = [all.following("b"), all.following("c")];
  const taken = await all.passing(Promise.race(nodes.map((node) => node.taken)));
  await all.pass(11_000);
  expect(all.storage.keys("log/").at(-1)).toBe(entryKey(taken!.position.seq));
  for (const node of nodes) void node.stop();
});

test("a node that slept while its next number was written and trimmed does not lead a fork", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const { b, wake } = await asleepAtTakeover(all);
  for (const text of ["two", "three", "four"]) {
    await all.passing(a.add(text));
    await all.passing(a.snapshot());
  }
  wake();
  await all.passing(until(() => b.position === a.leader.position.seq));
  expect(await b.stop()).toBeUndefined();
  expect(all.texts("b")).toEqual(["one", "two", "three", "four"]);
});

test("a snapshot that is removed while it is copied is replaced by the newest", async () => {
  await using all = await replicas();
  await using a = await led(all);
  let isFirst = true;
  all.storage.before = async (operation) => {
    if (operation !== "read" || !isFirst) return;
    isFirst = false;
    for (const text of ["two", "three"]) {
      await a.add(text);
      await a.snapshot();
    }
  };
  const b = all.following("b");
  await all.passing(until(() => (b.position ?? 0) >= 3));
  await b.stop();
  expect(all.texts("b")).toEqual(["one", "two", "three"]);
});

test("a snapshot whose entries are trimmed while it is copied is replaced by the newest", async () => {
  await using all = await replicas();
  await using a = await led(all);
  await all.passing(a.add("two"));
  await all.passing(a.snapshot(() => a.add("three")));
  let isFirst = true;
  all.storage.after = async (operation) => {
    if (operation !== "read" || !isFirst) return;
    isFirst = false;
    for (const text of ["four", "five"]) {
      await a.add(text);
      await a.snapshot();
    }
  };
  const b = all.following("b");
  await all.passing(until(() => (b.position ?? 0) >= 6));
  await b.stop();
  expect(all.texts("b")).toEqual(["one", "two", "three", "four", "five"]);
});

test.each([
  ["a file of the snapshot", "snapshots/"],
  ["an entry that belongs to it", "log/"],
])("a node that crashed while it led keeps its data while %s is damaged", async (_, prefix) => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.add("two"));
  a.crash();
  const kept = new Map(all.storage.objects);
  const damaged = all.storage
    .keys(prefix)
    .filter((key) => !key.endsWith(".json"))
    .at(-1)!;
  all.storage.objects.set(damaged, Buffer.from("damaged"));
  await expect(all.passing(all.following("a").taken)).rejects.toMatchObject({ code: "invalid" });
  for (const [key, bytes] of kept) all.storage.objects.set(key, bytes);
  await using again = await all.takesOver("a");
  await all.passing(again.end());
  expect(all.texts("a")).toEqual(["one", "two"]);
});

test("after the storage failed for all nodes, the one that led goes on", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const b = all.following("b");
  await b.reaches(2);
  all.storage.before = () => {
    throw unreachable();
  };
  await all.pass(60_000);
  all.storage.before = () => {};
  await all.pass(6_000);
  await all.passing(a.add("two"));
  await b.reaches(3);
  expect(await b.stop()).toBeUndefined();
});

test("a leader that comes back while another node prepares to take over is left alone", async () => {
  await using all = await replicas();
  await using a = await led(all);
  let isCutOff = false;
  all.storage.before = (operation, key) => {
    if (isCutOff && operation === "put" && key === "leader") throw unreachable();
  };
  let isPrepared = false;
  const prepare = async () => {
    if (!isCutOff || isPrepared) return;
    // It lasts long, and the leader is back meanwhile.
    isPrepared = true;
    isCutOff = false;
    await all.pass(6_000);
  };
  const b = all.following("b", { prepare });
  await b.reaches(2);
  isCutOff = true;
  // No heartbeat tells of this entry, so that there is something to prepare.
  await all.passing(a.add("two"));
  await all.passing(until(() => isPrepared));
  await all.pass(8_000);
  await all.passing(a.add("three"));
  await b.reaches(4);
  expect(await b.stop()).toBeUndefined();
});

test("a node that took a trimmed number while it slept copies the data again, and so does one that followed it", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const { b, wake } = await asleepAtTakeover(all);
  // The entry after the trimmed one stays.
  for (const text of ["two", "three"]) {
    await all.passing(a.add(text));
    await all.passing(a.snapshot());
  }
  await all.passing(a.add("four"));
  expect(all.storage.keys("log/").slice(0, 2)).toEqual([entryKey(1), entryKey(4)]);
  wake();
  await all.passing(until(() => b.position === a.leader.position.seq));
  expect(await b.stop()).toBeUndefined();
  expect(all.texts("b")).toEqual(["one", "two", "three", "four"]);
});

test("a node that was away takes no number that was trimmed meanwhile, although no heartbeat tells of it", async () => {
  await using all = await replicas();
  const a = await led(all);
  const b = all.following("b");
  await b.reaches(2);
  await b.stop();
  const { put } = all.storage;
  all.storage.put = (key, bytes) =>
    key === "leader" ? Promise.resolve() : put.call(all.storage, key, bytes);
  for (const text of ["two", "three"]) {
    await all.passing(a.add(text));
    await all.passing(a.snapshot());
  }
  a.crash();
  const tried: string[] = [];
  all.storage.before = (operation, key) => void (operation === "create" && tried.push(key));
  await using again = await all.takesOver("b");
  expect(tried).toEqual([entryKey(5)]);
  await all.passing(again.end());
  expect(all.texts("b")).toEqual(["one", "two", "three"]);
});

test("a node that cannot prepare the data follows, and does not lead", async () => {
  await using all = await replicas();
  const a = await led(all);
  const prepare = () => Promise.reject(new AppError("unavailable", "of a newer version"));
  const b = all.following("b", { prepare });
  await b.reaches(2);
  await all.passing(a.add("two"));
  await b.reaches(3);
  await all.passing(a.end());
  await all.pass(30_000);
  expect(all.storage.objects.has(entryKey(4))).toBe(false);
  expect(await b.stop()).toBeUndefined();
});

test("a node does not lead if the leader gave a heartbeat while its takeover was on its way", async () => {
  await using all = await replicas();
  await using a = await led(all);
  let isCutOff = true;
  const created = Promise.withResolvers<void>();
  const arrives = Promise.withResolvers<void>();
  all.storage.before = (operation, key) => {
    if (isCutOff && operation === "put" && key === "leader") throw unreachable();
    if (operation !== "create") return undefined;
    created.resolve();
    return arrives.promise;
  };
  const state = { leads: false };
  const b = all.following("b");
  void b.taken.then((taken) => (state.leads = taken !== undefined));
  await all.passing(created.promise);
  isCutOff = false;
  // Two heartbeats, and its lease begins again.
  await all.passing(until(() => isAnswering(a)));
  arrives.resolve();
  await until(() => all.storage.objects.has(entryKey(3)));
  for (let passed = 0; passed < 10_000 && isAnswering(a); passed += 100) {
    expect(state.leads).toBe(false);
    await all.pass(100);
  }
  expect(isAnswering(a)).toBe(false);
  expect((await all.passing(b.taken))!.position.seq).toBe(4);
});

test("a node whose disk takes nothing more leaves the lead to others, and leads when it does", async () => {
  await using all = await replicas();
  const a = await led(all);
  const stop = new AbortController();
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.position === 2));
  // A file cannot be written there. The probe removes the link each time.
  const probe = join(all.directory("b"), ".health");
  all.storage.before = (_, key) => {
    if (key === LEADER && !lstatSync(probe, { throwIfNoEntry: false }))
      symlinkSync(join(all.directory("b"), "none", "none"), probe);
  };
  a.crash();
  await all.pass(30_000);
  expect(all.storage.objects.has(entryKey(3))).toBe(false);
  expect(b.problem).toContain("ENOENT");
  all.storage.before = () => {};
  expect(await all.passing(following)).toMatchObject({ position: { seq: 3 } });
});
