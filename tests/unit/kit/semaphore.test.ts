// Goal: work enters in order while it fits, the rest waits, and nobody who gave up or was turned away takes room from another.

import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import { Semaphore } from "../../../src/kit/concurrency/semaphore.ts";

/** Enters under a name, and notes it in `order`. */
function entering(gate: Semaphore, order: string[]) {
  return async (name: string, weight?: number, signal?: AbortSignal) => {
    const leave = await gate.enter({ ...(weight && { weight }), ...(signal && { signal }) });
    order.push(name);
    return leave;
  };
}

test("the weights inside never exceed the capacity, and nobody overtakes", async () => {
  const order: string[] = [];
  const enter = entering(new Semaphore(10), order);
  const first = await enter("first", 6);
  const second = enter("second", 50);
  const third = enter("third", 1);
  await Promise.resolve();
  expect(order).toEqual(["first"]);
  first();
  (await second)();
  (await third)();
  expect(order).toEqual(["first", "second", "third"]);
  (await enter("fourth", 10))();
});

test("leaving twice frees one place only", async () => {
  const order: string[] = [];
  const enter = entering(new Semaphore(1), order);
  const first = await enter("first");
  const others = [enter("second"), enter("third")];
  first();
  first();
  await others[0];
  expect(order).toEqual(["first", "second"]);
});

test("an aborted wait raises the signal's reason and lets later ones in", async () => {
  const order: string[] = [];
  const enter = entering(new Semaphore(2), order);
  await enter("first");
  const stop = new AbortController();
  const large = enter("large", 2, stop.signal);
  const small = enter("small");
  const reason = new Error("enough");
  stop.abort(reason);
  await expect(large).rejects.toBe(reason);
  await small;
  expect(order).toEqual(["first", "small"]);
  await expect(enter("late", 1, stop.signal)).rejects.toBe(reason);
});

test("refuses a caller when the queue is full", async () => {
  const refusal = () => new AppError("unavailable", "too many");
  const gate = new Semaphore(1, { waitingMax: 1, refusal });
  const leave = await gate.enter();
  const waiting = gate.enter();
  await expect(gate.enter()).rejects.toMatchObject({ code: "unavailable", message: "too many" });
  leave();
  (await waiting)();
});

test("failed work frees its place", async () => {
  const gate = new Semaphore(1);
  await expect(gate.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await gate.run(async () => 7)).toBe(7);
});
