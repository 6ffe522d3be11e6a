// Goal: few deliveries run at once, those of receivers that failed never fill all places, and whoever came first goes first.

import { expect, test } from "bun:test";
import {
  AFTER_FAILURE_AT_ONCE_MAX,
  AT_ONCE_MAX,
  Places,
  type Lane,
} from "../../../src/context/webhooks/places.ts";

test("eight at once, four of them after a failure", async () => {
  const places = new Places();
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (lane: Lane, name: string) =>
    places.run(lane, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
    });
  const end = async (name: string) => {
    ends.get(name)!();
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  const all = [
    ...Array.from({ length: 10 }, (_, i) => begin("after failure", `slow${i}`)),
    ...Array.from({ length: 10 }, (_, i) => begin("first", `fast${i}`)),
  ];
  await Promise.resolve();
  expect(running.filter((name) => name.startsWith("slow")).length).toBe(AFTER_FAILURE_AT_ONCE_MAX);
  expect(running.length).toBe(AT_ONCE_MAX);
  await end("fast0");
  expect(running.at(-1)).toBe("fast4");
  await end("slow0");
  // The fifth slow one came before the sixth fast one.
  expect(running.at(-1)).toBe("slow4");
  while (running.length > 0) await end(running[0]!);
  await Promise.all(all);
});
