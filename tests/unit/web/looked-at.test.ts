// Goal: a filtered list of turns misses none and has none twice, in whatever order its newest page, earlier pages and new turns arrive.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Looked, withEarlier, withNewest } from "../../../web/screens/activity/looked-at.ts";

const turns = (...ids: number[]) => ids.map((id) => ({ id }));
const looked = (newest: number, before: number | null, ...ids: number[]) => ({
  items: turns(...ids),
  before,
  newest,
});

const turnsFrom = (newest: number, to: number) =>
  turns(...Array.from({ length: Math.max(0, newest - to + 1) }, (_, index) => newest - index));

test.each([
  ["nothing was known", undefined, looked(10, 6, 8), looked(10, 6, 8)],
  ["earlier turns stay", looked(10, 3, 8, 4), looked(11, 7, 11, 8), looked(11, 3, 11, 8, 4)],
  ["one that no longer matches goes", looked(10, 3, 9, 8, 4), looked(11, 7, 11), looked(11, 3, 11, 4)],
  ["a search without a match is not forgotten", looked(10, 3), looked(11, 7), looked(11, 3)],
  ["so many are new that others may be missing", looked(10, 3, 8), looked(20, 12, 15), looked(20, 12, 15)],
  ["the page reaches further", looked(10, 8, 9), looked(11, 2, 9, 3), looked(11, 2, 9, 3)],
  ["the page has all", looked(10, 8, 9), looked(11, null, 9, 1), looked(11, null, 9, 1)],
])("%s", (_, known, page, expected) => {
  expect(withNewest(known, page)).toEqual(expected);
});

test("an earlier page for a list that begins elsewhere by now is not added", () => {
  const known = looked(20, 12, 15);
  expect(withEarlier(known, 3, { items: turns(2), before: 1 })).toBe(known);
  expect(withEarlier(known, 12, { items: turns(10), before: null })).toEqual(looked(20, null, 15, 10));
});

test("whatever answers arrive in whatever order, the list is the newest turns without a gap", () => {
  const page = (newest: number, size: number, below = newest + 1) => {
    const items = turnsFrom(Math.min(newest, below - 1), 1).slice(0, size);
    const last = items.at(-1)?.id ?? 0;
    return { items, before: last > 1 ? last : null };
  };
  const step = fc.record({
    more: fc.nat(6),
    act: fc.constantFrom("ask newest", "ask earlier", "answer", "late"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let newest = 20;
      let list: Looked<{ id: number }> = { ...page(newest, 5), newest };
      const answers: ((known: typeof list) => typeof list)[] = [];
      for (const { more, act } of steps) {
        newest += more;
        const asked = newest;
        const { before: from } = list;
        if (act === "ask newest")
          answers.push((known) => withNewest(known, { ...page(asked, 5), newest: asked }));
        else if (act === "ask earlier" && from !== null)
          answers.push((known) => withEarlier(known, from, page(asked, 5, from)));
        else {
          const answer = act === "late" ? answers.pop() : answers.shift();
          if (answer) list = answer(list);
        }
        const first = list.items[0]!.id;
        expect(list.items).toEqual(turnsFrom(first, list.before ?? 1));
      }
    }),
  );
});
