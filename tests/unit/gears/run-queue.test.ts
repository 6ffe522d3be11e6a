// Goal: concurrent runs are limited, the rest are queued in order up to a limit, and a run stopped while queued never starts.

import { expect, test } from "bun:test";
import { RunQueue } from "../../../src/service/gears/run-queue.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";

const never = new AbortController().signal;

test("starts queued work in order as places become free", async () => {
  const queue = new RunQueue(2, 10);
  const started: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const starts = ends.map(() => Promise.withResolvers<void>());
  const runs = ends.map((end, index) =>
    queue.run(never, async () => (started.push(index), starts[index]!.resolve(), end.promise)),
  );
  await Promise.all([starts[0]!.promise, starts[1]!.promise]);
  expect(started).toEqual([0, 1]);
  ends[1]!.resolve();
  await Promise.all([runs[1], starts[2]!.promise]);
  expect(started).toEqual([0, 1, 2]);
  ends.forEach((end) => end.resolve());
  await Promise.all(runs);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test("refuses work over the limit, and a failure frees its place", async () => {
  const queue = new RunQueue(1, 1);
  const end = Promise.withResolvers<void>();
  const first = queue.run(never, () => end.promise);
  const second = queue.run(never, async () => "second");
  expect(await refusalText(() => queue.run(never, async () => {}))).toBe(
    "unavailable: 1 gear is running and 1 is queued; try again later",
  );
  end.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  expect(await second).toBe("second");
});

test("never starts work that is stopped while queued, and gives its place to the next", async () => {
  const queue = new RunQueue(1, 5);
  const end = Promise.withResolvers<void>();
  const stop = new AbortController();
  const first = queue.run(never, () => end.promise);
  let ran = false;
  const stopped = queue.run(stop.signal, async () => (ran = true));
  const third = queue.run(never, async () => "third");
  stop.abort();
  await refusal(() => stopped, "unavailable", "stopped before it began; gear not executed");
  end.resolve();
  await first;
  expect(await third).toBe("third");
  expect(ran).toBe(false);
  expect(await refusalText(() => queue.run(stop.signal, async () => {}))).toBe(
    "unavailable: stopped before it began; gear not executed",
  );
});
