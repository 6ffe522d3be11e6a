// Goal: a block of the event loop is measured while something happens, and nothing is when nothing does.

import { expect, test } from "bun:test";
import { LoopDelay } from "../../../src/kit/metrics/loop-delay.ts";
import { eventually } from "../../kit/eventually.ts";

const bucketOf = (delay: LoopDelay, limit: string) =>
  Number(
    delay.histogram
      .lines("x")
      .find((line) => line.includes(`le="${limit}"`))!
      .split(" ")[1],
  );

test("a block counts with its length", async () => {
  let now = 0;
  const delay = new LoopDelay(() => now);
  delay.wake();
  now = 420;
  await eventually(() => delay.histogram.count > 0, true);
  // However many moments without a block follow.
  const { count } = delay.histogram;
  expect([count - bucketOf(delay, "0.25"), count - bucketOf(delay, "0.5")]).toEqual([1, 0]);
});

test("measuring ends a second after the last event, unless other work goes on", async () => {
  let now = 0;
  let isBusy = true;
  const delay = new LoopDelay(
    () => now,
    () => isBusy,
  );
  expect(delay.isAwake).toBe(false);
  delay.wake();
  now = 2_000;
  await eventually(() => delay.histogram.count > 3, true);
  expect(delay.isAwake).toBe(true);
  isBusy = false;
  await eventually(() => delay.isAwake, false);
  delay.wake();
  expect(delay.isAwake).toBe(true);
});
