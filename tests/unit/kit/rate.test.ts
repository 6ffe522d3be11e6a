// Goal: a key gets its requests per minute and no more, is told how many are left, and a flood of keys evicts the oldest.

import { expect, test } from "bun:test";
import { RateLimit } from "../../../src/kit/http/rate.ts";
import { manualClock } from "../../kit/manual-clock.ts";

test("the minute begins with the first, and after it all are there again", () => {
  const clock = manualClock();
  const limit = new RateLimit(clock, { perMinute: 2, of: "attempts" });
  const told: unknown[] = [];
  const take = (key: string) =>
    limit.take(key, (left, firstRefusal) =>
      told.push([key, left.remaining, left.resetSeconds, firstRefusal?.code]),
    );
  take("a");
  clock.advance(20_000);
  take("a");
  expect(() => take("a")).toThrow("too many attempts; try again in 40 s");
  expect(() => take("a")).toThrow("too many attempts; try again in 40 s");
  take("b");
  clock.advance(40_000);
  take("a");
  expect(told).toEqual([
    ["a", 1, 60, undefined],
    ["a", 0, 40, undefined],
    ["a", 0, 40, "rate_limited"],
    ["a", 0, 40, undefined],
    ["b", 1, 60, undefined],
    ["a", 1, 60, undefined],
  ]);
});

test("the oldest of very many keys is forgotten, not the newest", () => {
  const limit = new RateLimit(manualClock(), { perMinute: 1, of: "requests" });
  for (let key = 0; key <= 20_000; key += 1) limit.take(String(key));
  limit.take("0");
  expect(() => limit.take("20000")).toThrow("too many requests");
});
