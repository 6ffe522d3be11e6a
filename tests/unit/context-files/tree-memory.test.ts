// Goal: what a look at a folder found counts only while nothing can have changed since the look began, and one look serves everyone who asks meanwhile.

import { expect, test } from "bun:test";
import { TreeMemory } from "../../../src/context/versioned-store/tree-memory.ts";
import { manualClock } from "../../kit/manual-clock.ts";

function remembered() {
  const clock = manualClock();
  const watch = { changes: 0 as number | undefined, settled: () => Promise.resolve() };
  const later: (() => Promise<void>)[] = [];
  const memory = new TreeMemory({ clock, watch, onRecall: () => {}, later: (look) => void later.push(look) });
  const head = { epoch: "e", seq: 1 };
  let looks = 0;
  const look = async () => (looks += 1);
  const ask = (more: { head?: typeof head; isTrue?: (found: number) => boolean } = {}) =>
    memory.recall("graph", more.head ?? head, look, more.isTrue);
  return { clock, watch, later, memory, head, look, ask };
}

test("a look counts until a file, the log or the time of day makes it wrong", async () => {
  const { watch, memory, head, ask } = remembered();
  expect([await ask(), await ask()]).toEqual([1, 1]);
  watch.changes = 1;
  expect([await ask(), await ask()]).toEqual([2, 2]);
  expect(await ask({ head: { ...head, seq: 2 } })).toBe(3);
  expect(await ask({ head: { epoch: "other", seq: 2 } })).toBe(4);
  expect(await ask({ head: { epoch: "other", seq: 2 }, isTrue: (found) => found > 4 })).toBe(5);
  memory.forget();
  expect([await ask(), await ask()]).toEqual([6, 6]);
});

test("without reports of the system nothing is remembered", async () => {
  const { watch, ask } = remembered();
  watch.changes = undefined;
  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test("a change during a look makes another one necessary", async () => {
  const { watch, memory, head, ask } = remembered();
  const slow = Promise.withResolvers<number>();
  const first = memory.recall("graph", head, () => slow.promise);
  const same = ask();
  await Bun.sleep(0);
  watch.changes = 1;
  const after = ask();
  slow.resolve(0);
  expect(await Promise.all([first, same, after])).toEqual([0, 0, 1]);
  expect(await ask()).toBe(1);
});

test("a look that fails is not kept, and everyone who waited for it hears of it", async () => {
  const { memory, head, ask } = remembered();
  const fails = () => Promise.reject(new Error("no disk"));
  const asked = [memory.recall("graph", head, fails), ask()];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask()).toBe(1);
});

test("an old look is shown with its time while the next one runs, which a failure does not end", async () => {
  const { clock, later, memory, head, look, ask } = remembered();
  await ask();
  const begun = clock.now();
  clock.advance(30_001);
  expect([await ask(), memory.lookedAt("graph"), later.length]).toEqual([1, begun, 1]);
  await later[0]!();
  expect([await ask(), memory.lookedAt("graph")]).toEqual([2, clock.now()]);
  clock.advance(30_001);
  let isOpen = false;
  const closed = () => (isOpen ? look() : Promise.reject(new Error("closed")));
  expect(await memory.recall("graph", head, closed)).toBe(2);
  await later[1]!();
  isOpen = true;
  expect(await memory.recall("graph", head, closed)).toBe(2);
  await later[2]!();
  expect(await ask()).toBe(3);
});
