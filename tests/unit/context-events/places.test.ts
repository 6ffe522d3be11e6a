// Goal: few deliveries run at once, those of receivers that failed never fill all places, and none waits for ever.

import { expect, test } from "bun:test";
import {
  AFTER_FAILURE_AT_ONCE_MAX,
  AT_ONCE_MAX,
  Places,
  type Lane,
} from "../../../src/context/webhooks/delivery-slots.ts";

test("runs eight deliveries at once, at most four of them after a failure", async () => {
  const places = new Places();
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (lane: Lane, name: string) =>
    places.run(lane, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
    });
  const settled = async () => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  const end = (name: string) => {
    ends.get(name)!();
    return settled();
  };
  const slow = Array.from({ length: 10 }, (_, i) => begin("after failure", `slow${i}`));
  await settled();
  const fast = Array.from({ length: 10 }, (_, i) => begin("first", `fast${i}`));
  await settled();
  expect(running.filter((name) => name.startsWith("slow")).length).toBe(AFTER_FAILURE_AT_ONCE_MAX);
  expect(running.length).toBe(AT_ONCE_MAX);
  await end("fast0");
  expect(running.at(-1)).toBe("fast4");
  await end("slow0");
  // The fifth slow one may go now, behind those that wait already.
  for (let index = 5; index < 10; index += 1) {
    expect(running.at(-1)).toBe(`fast${index}`);
    await end(`fast${index}`);
  }
  expect(running.at(-1)).toBe("slow4");
  while (running.length > 0) await end(running[0]!);
  await Promise.all([...slow, ...fast]);
});
