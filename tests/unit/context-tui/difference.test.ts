// Goal: a difference shows which lines are new and which are gone, also lines that look like the head of a patch.

import { expect, test } from "bun:test";
import { diffTone } from "../../../src/context/tui/pages/difference.ts";

const tonesOf = (lines: readonly string[]) => lines.map((line, index) => diffTone(line, index, lines));

test("marks added and removed lines, and takes only what is above the first place for names", () => {
  const lines = ["--- a.md\tv1", "+++ a.md\tv2", "@@ -1,3 +1,2 @@", " same", "--- rule", "+++ plus", "-gone"];
  expect(tonesOf(lines)).toEqual(["plain", "plain", "bold", "plain", "removed", "added", "removed"]);
});

test("marks nothing where there is no patch", () => {
  expect(tonesOf(["Not text, or too different to compare line by line."])).toEqual(["plain"]);
});
