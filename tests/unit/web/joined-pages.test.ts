// Goal: a list whose newest page is read again loses nothing that new items moved out of that page, and never hides a gap.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { joined } from "../../../web/kit/joined-pages.ts";

const numbers = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index);
const join = (page: readonly number[], known: readonly number[]) => joined(page, known, (one) => one);

test.each([
  ["nothing was known", numbers(10, 1), [], numbers(10, 1)],
  ["nothing is new", numbers(10, 6), numbers(10, 1), numbers(10, 1)],
  ["one new item moves one out", numbers(11, 7), numbers(10, 1), numbers(11, 1)],
  ["as many are new as a page holds, but one", numbers(14, 10), numbers(10, 1), numbers(14, 1)],
  ["so many are new that others may be missing", numbers(16, 12), numbers(10, 1), numbers(16, 12)],
  ["the list is empty now", [], numbers(10, 1), []],
])("%s", (_, page, known, expected) => {
  expect(join(page, known)).toEqual(expected);
});

test("whatever is read in whatever steps, the list is the newest items without a gap", () => {
  const step = fc.record({ more: fc.nat(12), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let newest = 20;
      let list: readonly number[] = numbers(20, 1);
      for (const { more, isRead } of steps) {
        newest += more;
        if (!isRead) continue;
        list = join(numbers(newest, newest - 9), list);
        expect(list).toEqual(numbers(newest, list.at(-1)!));
      }
    }),
  );
});
