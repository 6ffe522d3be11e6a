// Goal: which files are open and in front, what to call them, the one piece in which two texts differ, and line ends that stay.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { changeBetween, lineEndOf } from "../../../web/kit/editor/text-change.ts";
import { afterClosing, shortNames, withPath } from "../../../web/screens/files/open-files.ts";

const many = Array.from({ length: 12 }, (_, index) => `${index}.md`);

test("opening: at the end; of many, the oldest that may be closed makes room; none has to", () => {
  expect(withPath(["a"], "b", () => true)).toEqual(["a", "b"]);
  expect(withPath(["a", "b"], "a", () => true)).toEqual(["a", "b"]);
  expect(withPath(many, "new", (path) => path !== "0.md")).toEqual(["0.md", ...many.slice(2), "new"]);
  expect(withPath(many, "new", () => false)).toEqual([...many, "new"]);
});

test("closing: what takes its place, else what was before it", () => {
  const three = ["a", "b", "c"];
  expect([
    afterClosing(three, "b", "b"),
    afterClosing(three, "c", "c"),
    afterClosing(three, "a", "c"),
    afterClosing(["a"], "a", "a"),
  ]).toEqual(["c", "b", "a", undefined]);
});

test("names: the directory only where two are alike", () => {
  expect([...shortNames(["a/x.md", "b/x.md", "x.md", "deep/er/y.md"]).values()]).toEqual([
    { name: "x.md", directory: "a" },
    { name: "x.md", directory: "b" },
    { name: "x.md", directory: "/" },
    { name: "y.md", directory: "" },
  ]);
});

test("a change makes one text into the other, whatever they are", () => {
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

test("line ends", () => {
  expect(["", "a\nb", "a\r\nb\r\n", "a\r\nb\n", "a\rb", "a\r\r\n"].map(lineEndOf)).toEqual([
    undefined,
    undefined,
    "\r\n",
    "\n",
    "\n",
    "\n",
  ]);
});
