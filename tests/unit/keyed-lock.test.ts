// Goal: work with one key goes one after the other in the order asked, other keys side by side, and a failure stops nobody else.

import { expect, test } from "bun:test";
import { KeyedLock } from "../../src/kit/concurrency/keyed-lock.ts";

test("runs work on one key in order, keys independently, and goes on after a failure", async () => {
  const lock = new KeyedLock<string>();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (name: string, wait?: Promise<void>) => async () => {
    seen.push(`${name} begins`);
    await wait;
    seen.push(`${name} ends`);
    return name;
  };
  const first = lock.run("a", work("first", gate.promise));
  const second = lock.run("a", () => Promise.reject(new Error("no")));
  const third = lock.run("a", work("third"));
  expect(await lock.run("b", work("other"))).toBe("other");
  expect(seen).toEqual(["first begins", "other begins", "other ends"]);
  gate.resolve();
  expect(await Promise.allSettled([first, second, third])).toEqual([
    { status: "fulfilled", value: "first" },
    { status: "rejected", reason: new Error("no") },
    { status: "fulfilled", value: "third" },
  ]);
  expect(seen.slice(3)).toEqual(["first ends", "third begins", "third ends"]);
});
