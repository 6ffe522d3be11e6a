// Goal: a leader whose storage is slow answers without pauses as long as its heartbeats allow it, and says so when they do not.

import { expect, test } from "bun:test";
import { TIMING } from "../../../src/kit/replication/beat.ts";
import { entryHash } from "../../../src/kit/replication/entry.ts";
import { Leader } from "../../../src/kit/replication/leader.ts";
import { entryKey } from "../../../src/kit/replication/places.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { MemoryStorage } from "../../kit/memory-storage.ts";
import { silent } from "../../kit/silent.ts";

/** The times, in ms, at which a leader does not answer during a minute, and what it logs. `requestMs`: of the request with this number. */
async function minuteOf(requestMs: (request: number) => number) {
  const [storage, clock] = [new MemoryStorage(), manualClock()];
  const takeover = Buffer.from("the entry by which it took over");
  storage.objects.set(entryKey(1), takeover);
  let requests = 0;
  storage.before = () => new Promise((resolve) => void clock.after(requestMs((requests += 1)), resolve));
  const errors: unknown[] = [];
  const log = {
    ...silent,
    error: (message: string, facts?: object) => void errors.push({ message, ...facts }),
  };
  const position = { seq: 1, hash: await entryHash(takeover) };
  const begun = { elapsed: clock.elapsed(), now: clock.now() };
  const parts = { storage, clock, timers: clock, timing: TIMING, log };
  const leader = new Leader({ ...parts, node: "a", term: "t", position, begun });
  const pauses: number[] = [];
  for (let passed = 0; passed < 60_000; passed += 100) {
    await Bun.sleep(1);
    clock.advance(100);
    try {
      leader.requireLead();
    } catch {
      pauses.push(passed);
    }
  }
  leader.abandon();
  return { pauses, errors };
}

test("a leader whose storage takes 1.7 s for a request answers without a pause", async () => {
  expect(await minuteOf(() => 1_700)).toEqual({ pauses: [], errors: [] });
});

test("a leader whose storage is too slow for its heartbeats says so once", async () => {
  const { pauses, errors } = await minuteOf(() => 2_500);
  expect(pauses.length).toBeGreaterThan(0);
  expect(errors).toEqual([
    {
      message: "the object storage is too slow, so this node repeatedly stops answering",
      heartbeat_ms: expect.any(Number) as unknown,
      heartbeat_ms_max: 4_000,
    },
  ]);
});

test("a leader with a single slow heartbeat does not blame the storage", async () => {
  expect(await minuteOf((request) => (request === 4 ? 5_000 : 10))).toEqual({ pauses: [], errors: [] });
});
