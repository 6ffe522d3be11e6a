// Goal: a node that follows has what the log says, whatever happened to its files and to the objects before, and takes over only at its end.

import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import { entryKey } from "../../../src/kit/replication/places.ts";
import { until } from "../../kit/eventually.ts";
import { unreachable } from "../../kit/memory-storage.ts";
import { addUnlogged, isAnswering, led, replicas, type Leading } from "../../kit/replicas.ts";

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
  const stop = new AbortController();
  const following = all.follower("c", { prepare }).follow(stop.signal);
  await all.passing(until(() => b));
  await using leading = await b!;
  await all.pass(11_000);
  const { seq } = leading.taken.position;
  expect(all.storage.keys("log/").at(-1)).toBe(entryKey(seq));
  // Without any heartbeat, it is replaced in the end.
  const taken = await all.passing(following);
  expect(taken!.position.seq).toBe(seq + 1);
});

test("two nodes that start together do not depose each other", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.end());
  const stop = new AbortController();
  const names = ["b", "c"];
  const taken = await all.passing(Promise.race(names.map((name) => all.follower(name).follow(stop.signal))));
  await all.pass(11_000);
  expect(all.storage.keys("log/").at(-1)).toBe(entryKey(taken!.position.seq));
  stop.abort();
});

test("a node that slept while its next number was written and trimmed does not lead a fork", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const woken = Promise.withResolvers<void>();
  const asleep = Promise.withResolvers<void>();
  let isB = true;
  all.storage.before = (operation) => {
    if (operation !== "create" || !isB) return undefined;
    isB = false;
    asleep.resolve();
    return woken.promise;
  };
  const stop = new AbortController();
  const { get } = all.storage;
  // This node does not see the heartbeats.
  all.storage.get = (key) =>
    isB && key === "leader" ? Promise.resolve(undefined) : get.call(all.storage, key);
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(asleep.promise);
  for (const text of ["two", "three", "four"]) {
    await all.passing(a.add(text));
    await all.passing(a.snapshot());
  }
  woken.resolve();
  await all.passing(until(() => b.position === a.leader.position.seq));
  stop.abort();
  expect(await following).toBeUndefined();
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
  const stop = new AbortController();
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(until(() => (b.position ?? 0) >= 3));
  stop.abort();
  await following;
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
  const stop = new AbortController();
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(until(() => (b.position ?? 0) >= 6));
  stop.abort();
  await following;
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
  const stop = new AbortController();
  const followed = all.passing(all.follower("a").follow(stop.signal));
  await expect(followed).rejects.toMatchObject({ code: "invalid" });
  for (const [key, bytes] of kept) all.storage.objects.set(key, bytes);
  await using again = await all.takesOver("a");
  await all.passing(again.end());
  expect(all.texts("a")).toEqual(["one", "two"]);
});

test("after the storage failed for all nodes, the one that led goes on", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const stop = new AbortController();
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.position === 2));
  all.storage.before = () => {
    throw unreachable();
  };
  await all.pass(60_000);
  all.storage.before = () => {};
  await all.pass(6_000);
  await all.passing(a.add("two"));
  await all.passing(until(() => b.position === 3));
  stop.abort();
  expect(await following).toBeUndefined();
});

test("a leader that comes back while another node prepares to take over is left alone", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const stop = new AbortController();
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
  const b = all.follower("b", { prepare });
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.position === 2));
  isCutOff = true;
  // No heartbeat tells of this entry, so that there is something to prepare.
  await all.passing(a.add("two"));
  await all.passing(until(() => isPrepared));
  await all.pass(8_000);
  await all.passing(a.add("three"));
  await all.passing(until(() => b.position === 4));
  stop.abort();
  expect(await following).toBeUndefined();
});

test("a node that took a trimmed number while it slept copies the data again, and so does one that followed it", async () => {
  await using all = await replicas();
  await using a = await led(all);
  const stop = new AbortController();
  const slept = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  const { get } = all.storage;
  let isAsleep = true;
  all.storage.before = (operation, key) => {
    if (operation !== "create" || key !== entryKey(3) || !isAsleep) return undefined;
    isAsleep = false;
    slept.resolve();
    return woken.promise;
  };
  all.storage.get = (key) =>
    isAsleep && key === "leader" ? Promise.resolve(undefined) : get.call(all.storage, key);
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(slept.promise);
  // The entry after the trimmed one stays.
  for (const text of ["two", "three"]) {
    await all.passing(a.add(text));
    await all.passing(a.snapshot());
  }
  await all.passing(a.add("four"));
  expect(all.storage.keys("log/").slice(0, 2)).toEqual([entryKey(1), entryKey(4)]);
  woken.resolve();
  await all.passing(until(() => b.position === a.leader.position.seq));
  stop.abort();
  expect(await following).toBeUndefined();
  expect(all.texts("b")).toEqual(["one", "two", "three", "four"]);
});

test("a node that was away takes no number that was trimmed meanwhile, although no heartbeat tells of it", async () => {
  await using all = await replicas();
  const a = await led(all);
  const stop = new AbortController();
  const b = all.follower("b");
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.position === 2));
  stop.abort();
  await following;
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
  const stop = new AbortController();
  const prepare = () => Promise.reject(new AppError("unavailable", "of a newer version"));
  const b = all.follower("b", { prepare });
  const following = b.follow(stop.signal);
  await all.passing(until(() => b.position === 2));
  await all.passing(a.add("two"));
  await all.passing(until(() => b.position === 3));
  await all.passing(a.end());
  await all.pass(30_000);
  expect(all.storage.objects.has(entryKey(4))).toBe(false);
  stop.abort();
  expect(await following).toBeUndefined();
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
  const stop = new AbortController();
  const state = { leads: false };
  const following = all.follower("b").follow(stop.signal);
  void following.then((taken) => (state.leads = taken !== undefined));
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
  expect((await all.passing(following))!.position.seq).toBe(4);
});
