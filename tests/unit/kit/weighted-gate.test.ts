// Goal: work enters in order while it fits, and the rest waits.

import { expect, test } from "bun:test";
import { WeightedGate } from "../../../src/kit/weighted-gate.ts";

test("the weights inside never exceed the capacity, and nobody overtakes", async () => {
  const gate = new WeightedGate(10);
  const order: string[] = [];
  const enter = async (name: string, weight: number) => {
    const leave = await gate.enter(weight);
    order.push(name);
    return leave;
  };
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
