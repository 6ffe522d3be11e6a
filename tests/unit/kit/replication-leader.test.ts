// Goal: a node that leads appends all changes in order, says so only when they are in the log, and notices when it no longer leads.

import { expect, test } from "bun:test";
import { AppError, messageOf } from "../../../src/kit/error.ts";
import type { Log } from "../../../src/kit/log.ts";
import { decodeEntry, entryHash } from "../../../src/kit/replication/entry.ts";
import { Leader } from "../../../src/kit/replication/leader.ts";
import { entryKey } from "../../../src/kit/replication/places.ts";
import { TIMING } from "../../../src/kit/replication/beat.ts";
import { until } from "../../kit/eventually.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { MemoryStorage, unreachable } from "../../kit/memory-storage.ts";
import { silent } from "../../kit/silent.ts";

const AUDIT = "audit.jsonl";
/** Larger than the entry by which a node takes over. */
const LARGE_BYTES = 100_000;

/** `age`: of its takeover, in ms. `lag`: by how much its monotonic clock is behind the wall clock. */
async function leading({
  age = 0,
  monotonicAge = age,
  lag = () => 0,
  log = silent,
  onSilent = () => {},
}: { age?: number; monotonicAge?: number; lag?: () => number; log?: Log; onSilent?: () => void } = {}) {
  const storage = new MemoryStorage();
  const manual = manualClock();
  const clock = { ...manual, elapsed: () => manual.elapsed() - lag() };
  const takeover = Buffer.from("the entry by which it took over");
  storage.objects.set(entryKey(1), takeover);
  const position = { seq: 1, hash: await entryHash(takeover) };
  const parts = { storage, clock, timers: clock, timing: TIMING, log, onSilent };
  const begun = { elapsed: clock.elapsed() - monotonicAge, now: clock.now() - age };
  const leader = new Leader({ ...parts, node: "a", term: "t", position, begun });
  let at = 0;
  return {
    storage,
    clock,
    leader,
    append(text: string) {
      const bytes = Buffer.from(text);
      leader.append(AUDIT, at, bytes);
      at += bytes.length;
    },
    /** The texts of the log, by entry. */
    async texts() {
      const texts: string[] = [];
      for (const [index, key] of storage.keys("log/").slice(1).entries()) {
        expect(key).toBe(entryKey(2 + index));
        const { parts: all } = await decodeEntry(storage.objects.get(key)!, 2 + index);
        texts.push(
          all.map((part) => (part.kind === "append" ? Buffer.from(part.content).toString() : "")).join(),
        );
      }
      return texts;
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        await Bun.sleep(1);
        clock.advance(100);
      }
    },
    [Symbol.dispose]: () => leader.abandon(),
  };
}

test("an answer waits until the log has every change so far, and not for later ones", async () => {
  using at = await leading();
  expect(at.leader.settled()).toBeUndefined();
  const held = Promise.withResolvers<void>();
  at.append("one");
  at.storage.before = () => held.promise;
  const told: string[] = [];
  const first = at.leader.settled()!.then(() => told.push("one"));
  await Bun.sleep(5);
  at.append("two");
  at.append(" and three");
  const second = at.leader.settled()!.then(async () => told.push(...(await at.texts())));
  expect(told).toEqual([]);
  held.resolve();
  await Promise.all([first, second]);
  expect(told).toEqual(["one", "one", "two and three"]);
  expect(at.leader.settled()).toBeUndefined();
  expect(at.leader.position.seq).toBe(3);
});

test("a change that follows at once on an answer does not wait for the next one", async () => {
  using at = await leading();
  at.append("one");
  await at.leader.settled();
  at.append("two");
  await at.leader.settled();
  expect(await at.texts()).toEqual(["one", "two"]);
});

test("changes of one step are in one entry, however many they are", async () => {
  using at = await leading();
  const large = "x".repeat(5 * 1024 * 1024);
  at.append(large);
  at.append(large);
  at.append("end");
  await at.leader.settled();
  expect(await at.texts()).toHaveLength(1);
});

test("a change that nobody waits for is in the log within a second", async () => {
  using at = await leading();
  at.append("one");
  await at.pass(1_100);
  await until(async () => (await at.texts()).length === 1);
});

test("an append is tried again until the storage takes it, and a lost answer makes no second entry", async () => {
  using at = await leading();
  let failures = 0;
  at.storage.before = (operation) => {
    if (operation === "create" && (failures += 1) <= 3) throw unreachable();
  };
  at.append("one");
  const settled = at.leader.settled()!;
  await at.pass(2_000);
  await settled;
  expect(failures).toBe(4);
  expect(await at.texts()).toEqual(["one"]);
});

test("a node whose next number is taken no longer leads, and nobody who waits is told that all is well", async () => {
  using at = await leading();
  at.storage.objects.set(entryKey(2), Buffer.from("of another node"));
  at.append("one");
  await expect(at.leader.settled()).rejects.toMatchObject({ code: "unavailable" });
  expect(await at.leader.lost).toMatchObject({ reason: "superseded" });
  expect(() => at.leader.settled()).toThrow("this node no longer leads");
});

test("a node that only reads notices that it was replaced", async () => {
  using at = await leading();
  await at.pass(4_000);
  at.storage.objects.set(entryKey(2), Buffer.from("of another node"));
  await at.pass(4_000);
  expect(() => at.leader.settled()).toThrow("this node no longer leads");
  expect(await at.leader.lost).toMatchObject({ reason: "superseded" });
});

test("its own append does not pass for that of another node", async () => {
  using at = await leading();
  const appended: Promise<void>[] = [];
  for (let count = 0; count < 50; count += 1) {
    at.append("x");
    appended.push(at.leader.settled()!);
    await at.pass(200);
  }
  await Promise.all(appended);
  expect(at.leader.settled()).toBeUndefined();
});

test("a node that does not reach the storage answers nobody after its lease, and goes on when it does", async () => {
  using at = await leading();
  await at.pass(1_000);
  at.storage.before = () => {
    throw unreachable();
  };
  at.append("one");
  const settled = at.leader.settled()!;
  settled.catch(() => {});
  await at.pass(TIMING.leaseMs + TIMING.beatEvery);
  // An event is told later instead.
  let isTold = false;
  const told = at.leader.stored()!.then(() => (isTold = true));
  const refusal = { code: "unavailable", details: { reason: "out_of_touch" } };
  await expect(settled).rejects.toMatchObject(refusal);
  await at.pass(60_000);
  expect(() => at.leader.settled()).toThrow("cannot reach the object storage");
  expect(isTold).toBe(false);
  at.storage.before = () => {};
  await at.pass(3 * TIMING.beatEvery);
  await at.leader.settled();
  expect(await at.texts()).toEqual(["one"]);
  await told;
});

test("a node that was replaced meanwhile does not go on", async () => {
  using at = await leading();
  await at.pass(1_000);
  at.storage.before = () => {
    throw unreachable();
  };
  await at.pass(TIMING.leaseMs + TIMING.beatEvery);
  at.storage.objects.set(entryKey(2), Buffer.from("of another node"));
  at.storage.before = () => {};
  await at.pass(2 * TIMING.beatEvery);
  expect(await at.leader.lost).toMatchObject({ reason: "superseded" });
});

test("a heartbeat that arrives late is worth nothing, and the next one ends the silence", async () => {
  using at = await leading();
  await at.pass(1_000);
  const held = Promise.withResolvers<void>();
  at.storage.before = (operation) => (operation === "put" ? held.promise : undefined);
  await at.pass(TIMING.leaseMs + TIMING.beatEvery);
  held.resolve();
  await Bun.sleep(5);
  expect(() => at.leader.settled()).toThrow("cannot reach the object storage");
  await at.pass(2 * TIMING.beatEvery);
  expect(at.leader.settled()).toBeUndefined();
});

test("a node that hands over has everything in the log, and is silent from then on", async () => {
  using at = await leading();
  at.append("one");
  await at.leader.release();
  expect(await at.texts()).toEqual(["one"]);
  const beat = JSON.parse(Buffer.from(at.storage.objects.get("leader")!).toString());
  expect(beat).toMatchObject({ position: 2, released: true });
  await at.pass(10_000);
  expect(JSON.parse(Buffer.from(at.storage.objects.get("leader")!).toString())).toEqual(beat);
});

test("a node that gave up asks the storage for nothing more", async () => {
  using at = await leading();
  let asked = 0;
  at.storage.before = () => {
    asked += 1;
    throw unreachable();
  };
  at.append("one");
  void at.leader.settled()!.catch(() => {});
  await at.pass(500);
  at.leader.abandon();
  await Bun.sleep(5);
  const before = asked;
  await at.pass(5_000);
  expect(asked).toBe(before);
});

test("a quiet change, such as the proof of a health check, makes nobody wait, and is in the log at the end", async () => {
  using at = await leading();
  const quiet = { pageSize: 4, size: 1, pages: new Map([[1, Buffer.from("page")]]) };
  at.leader.pages("x.db").changed(quiet, true);
  expect(at.leader.settled()).toBeUndefined();
  await at.pass(5_000);
  expect(await at.texts()).toEqual([]);
  await at.leader.release();
  expect(at.storage.keys("log/")).toEqual([entryKey(1), entryKey(2)]);
});

test("an answer waits for a commit that is still being read, and its entry has all of it", async () => {
  using at = await leading();
  at.append("before");
  const read = at.leader.pages("x.db").changing();
  let isTold = false;
  const told = at.leader.settled()!.then(() => (isTold = true));
  at.append(" and after");
  await at.pass(2_000);
  expect({ isTold, texts: await at.texts() }).toEqual({ isTold: false, texts: [] });
  read({ pageSize: 512, size: 1, pages: new Map([[1, Buffer.alloc(512)]]) });
  await told;
  const { parts } = await decodeEntry(at.storage.objects.get(entryKey(2))!, 2);
  expect(parts.map(({ kind }) => kind).toSorted()).toEqual(["append", "pages"]);
});

test("a node that is replaced while a commit is read refuses who waits", async () => {
  using at = await leading();
  at.leader.pages("x.db").changing();
  const refusal = at.leader.settled()!.catch(messageOf);
  at.leader.abandon();
  expect(await refusal).toStartWith("this node no longer leads");
});

test.each([
  ["took long to learn that it leads", {}],
  ["slept before it learned that it leads", { monotonicAge: 0 }],
])("a node that %s answers nobody before it knows that it still does", async (_, ages) => {
  using at = await leading({ age: TIMING.leaseMs + 1, ...ages });
  expect(() => at.leader.settled()).toThrow("another one may lead");
  await at.pass(2 * TIMING.beatEvery);
  expect(at.leader.settled()).toBeUndefined();
  at.storage.objects.set(entryKey(2), Buffer.from("of another node"));
  await at.pass(2 * TIMING.beatEvery);
  expect(await at.leader.lost).toMatchObject({ reason: "superseded" });
});

test("a node whose machine slept answers nobody when it wakes, although its monotonic clock stood still", async () => {
  let asleep = 0;
  using at = await leading({ lag: () => asleep });
  await at.pass(1_000);
  expect(at.leader.settled()).toBeUndefined();
  at.storage.before = () => new Promise(() => {});
  asleep = 60_000;
  at.clock.advance(asleep);
  expect(() => at.leader.settled()).toThrow("another one may lead");
});

test("heartbeats do not extend the lease while it cannot tell whether the next entry is its own", async () => {
  using at = await leading();
  await at.pass(1_000);
  at.storage.objects.set(entryKey(2), Buffer.alloc(LARGE_BYTES));
  at.storage.before = (operation) => (operation === "create" ? new Promise(() => {}) : undefined);
  const quiet = { pageSize: 4, size: 1, pages: new Map([[1, Buffer.from("page")]]) };
  at.leader.pages("x.db").changed(quiet, true);
  // As a snapshot does: readers do not wait for quiet changes.
  void at.leader.allSettled()!.catch(() => {});
  await at.pass(TIMING.leaseMs + TIMING.beatEvery);
  expect(() => at.leader.settled()).toThrow("another one may lead");
});

test.each([
  ["refuses", "AccessDenied"],
  ["gets no answer to", "interrupted"],
])(
  "a node of which the storage %s every entry lets another one lead, and sees that it does",
  async (_, reason) => {
    const errors: string[] = [];
    using at = await leading({ log: { ...silent, error: (message) => void errors.push(message) } });
    at.storage.before = (operation) => {
      if (operation === "create") throw new AppError("unavailable", "cannot use the storage", { reason });
    };
    at.append("one");
    const refusal = at.leader.settled()!.catch(messageOf);
    await at.pass(2 * TIMING.leaseMs + 2 * TIMING.beatEvery);
    // Heartbeats arrive, but without a log nobody may be answered.
    expect(await refusal).toContain("another one may lead");
    const beat = () => Buffer.from(at.storage.objects.get("leader")!).toString();
    const last = beat();
    await at.pass(TIMING.takeoverAfter);
    expect(beat()).toBe(last);
    expect(errors).toEqual([
      "the object storage takes no change of this node, which stops answering until it does",
    ]);
    at.storage.objects.set(entryKey(2), Buffer.from("of another node"));
    await at.pass(2 * TIMING.beatEvery);
    expect(await at.leader.lost).toMatchObject({ reason: "superseded" });
  },
);

test("a node goes on when the storage takes its entries again", async () => {
  using at = await leading();
  at.storage.before = (operation) => {
    if (operation === "create") throw new AppError("unavailable", "no", { reason: "EntityTooLarge" });
  };
  at.append("one");
  void at.leader.settled()!.catch(() => {});
  await at.pass(2 * TIMING.leaseMs + 2 * TIMING.beatEvery);
  expect(() => at.leader.settled()).toThrow("another one may lead");
  at.storage.before = () => {};
  await at.pass(3 * TIMING.beatEvery);
  expect(at.leader.settled()).toBeUndefined();
  expect(await at.texts()).toEqual(["one"]);
});

test("a node drops a change that is too large for the storage when no other node takes over", async () => {
  let silenced = 0;
  using at = await leading({ onSilent: () => void (silenced += 1) });
  at.storage.before = (operation) => {
    if (operation === "create") throw new AppError("unavailable", "no", { reason: "not_s3", status: 413 });
  };
  at.append("one");
  const refusal = at.leader.settled()!.catch(messageOf);
  await at.pass(2 * TIMING.leaseMs + TIMING.takeoverAfter);
  expect(silenced).toBe(1);
  expect(() => at.leader.settled()).toThrow("another one may lead");
  await at.pass(2 * TIMING.takeoverAfter);
  expect(await refusal).toContain("may or may not have taken effect");
  expect(await at.leader.lost).toMatchObject({
    reason: "broken",
    message: expect.stringContaining("whose changes are dropped; raise its limit for a body: no") as unknown,
  });
});

test("a node whose log is lost goes on and says so, unless it was out of touch, or another log is there", async () => {
  const cases = [
    { isCutOff: false, found: undefined, loss: undefined },
    {
      isCutOff: true,
      found: undefined,
      loss: "the bucket lost the replication log while this node was out of touch",
    },
    { isCutOff: false, found: "of another log", loss: "the bucket holds another replication log now" },
  ];
  for (const { isCutOff, found, loss } of cases) {
    using at = await leading();
    await at.pass(1_000);
    if (isCutOff)
      at.storage.before = () => {
        throw unreachable();
      };
    at.storage.objects.clear();
    if (found !== undefined) at.storage.objects.set(entryKey(1), Buffer.from(found));
    if (isCutOff) await at.pass(TIMING.leaseMs + TIMING.beatEvery);
    at.storage.before = () => {};
    await at.pass(2 * TIMING.beatEvery);
    if (loss === undefined) {
      expect(at.leader.damaged.aborted).toBe(true);
      expect(at.leader.lack).toBe(entryKey(1));
      expect(at.leader.settled()).toBeUndefined();
    } else {
      expect(await at.leader.lost).toMatchObject({
        reason: "broken",
        message: expect.stringContaining(loss),
      });
      expect(() => at.leader.settled()).toThrow("this node no longer leads");
    }
  }
});

test("a node that stops does not wait for a storage that takes nothing", async () => {
  using at = await leading();
  at.storage.before = () => {
    throw unreachable();
  };
  at.append("one");
  const told = at.leader.stored()!.catch(messageOf);
  await at.pass(60_000);
  at.leader.hurry();
  await at.pass(5_000);
  expect(await told).toContain("another one may lead");
  // Nor for the next failure of an append.
  expect(() => at.leader.stored()).toThrow("another one may lead");
  await expect(at.leader.release()).rejects.toMatchObject({ code: "unavailable" });
});

test("a node that stops does not wait for an append that gets no answer, if one failed before", async () => {
  using at = await leading();
  const held = Promise.withResolvers<void>();
  let tries = 0;
  at.storage.before = (operation) => {
    if (operation !== "create") return undefined;
    if ((tries += 1) === 1) throw unreachable();
    return held.promise;
  };
  at.append("one");
  const told = at.leader.stored()!.catch(messageOf);
  await at.pass(1_000);
  at.leader.hurry();
  await at.pass(5_000);
  expect(await told).toContain("another one may lead");
  expect(tries).toBe(2);
  held.resolve();
});

test("a node that stops slowly still hands over what is left", async () => {
  using at = await leading();
  const quiet = { pageSize: 4, size: 1, pages: new Map([[1, Buffer.from("page")]]) };
  at.leader.hurry();
  await at.pass(9_000);
  at.leader.pages("x.db").changed(quiet, true);
  await at.leader.release();
  expect(at.storage.keys("log/")).toEqual([entryKey(1), entryKey(2)]);
});
