// Goal: open files and the shown one, their short names, the one change between two texts, and preserved line endings.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { changeBetween, lineEndOf } from "../../../web/kit/editor/text-change.ts";
import { afterClosing, shortNames, withPath } from "../../../web/screens/files/open-files.ts";

const many = Array.from({ length: 12 }, (_, index) => `${index}.md`);

test("opens a file at the end, and closes the oldest one that may be closed when there are too many", () => {
  expect(withPath(["a"], "b", () => true)).toEqual(["a", "b"]);
  expect(withPath(["a", "b"], "a", () => true)).toEqual(["a", "b"]);
  expect(withPath(many, "new", (path) => path !== "0.md")).toEqual(["0.md", ...many.slice(2), "new"]);
  expect(withPath(many, "new", () => false)).toEqual([...many, "new"]);
});

test("shows the next file after closing one, otherwise the previous one", () => {
  const three = ["a", "b", "c"];
  expect([
    afterClosing(three, "b", "b"),
    afterClosing(three, "c", "c"),
    afterClosing(three, "a", "c"),
    afterClosing(["a"], "a", "a"),
  ]).toEqual(["c", "b", "a", undefined]);
});

test("adds the directory only to equal names", () => {
  expect([...shortNames(["a/x.md", "b/x.md", "x.md", "deep/er/y.md"]).values()]).toEqual([
    { name: "x.md", directory: "a" },
    { name: "x.md", directory: "b" },
    { name: "x.md", directory: "/" },
    { name: "y.md", directory: "" },
  ]);
});

test("finds a change that turns any text into any other", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }),
      fc.string(),
      (start, middle, end) => {
        const [before, after] = [start + end, start + middle + end];
        const change = changeBetween(before, after);
        const made = change ? before.slice(0, change.from) + change.insert + before.slice(change.to) : before;
        expect(made).toBe(after);
        expect(change?.insert.length ?? 0).toBeLessThanOrEqual(middle.length);
      },
    ),
  );
});

test("preserves line endings", () => {
  expect(["", "a\nb", "a\r\nb\r\n", "a\r\nb\n", "a\rb", "a\r\r\n"].map(lineEndOf)).toEqual([
    undefined,
    undefined,
    "\r\n",
    "\n",
    "\n",
    "\n",
  ]);
});
