// Goal: a long list is sorted as the language sorts it, equal items stay in order, and others have their turn meanwhile.

import { expect, test } from "bun:test";
import { sortedInTurns } from "../../../src/kit/concurrency/sort-in-turns.ts";

const isBefore = (one: { key: number }, other: { key: number }) => one.key < other.key;
const shuffled = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ key: (place * 7_919) % 1_009, place }));

test.each([0, 1, 2, 1_000, 8_192, 8_193, 50_001])("sorts %i items", async (count) => {
  const items = shuffled(count);
  expect(await sortedInTurns(items, isBefore)).toEqual(items.toSorted((a, b) => a.key - b.key));
});

test("yields to other work", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  await sortedInTurns(shuffled(100_000), isBefore);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
