// Goal: the lines of an answer are the best ones of a file, with exact ranges, however long they are.

import { expect, test } from "bun:test";
import { shownLines, type Span } from "../../../src/context/search/lines.ts";

/** The matches that are in brackets, and the text without them. */
function marked(text: string): [string, Span[]] {
  const spans: Span[] = [];
  let plain = "";
  for (const part of text.split(/([[\]])/))
    if (part === "[") spans.push({ start: plain.length, end: plain.length });
    else if (part === "]") spans[spans.length - 1] = { start: spans.at(-1)!.start, end: plain.length };
    else plain += part;
  return [plain, spans];
}

const shown = (text: string, count = 3) => {
  const { lines, more_lines } = shownLines(...marked(text), count);
  return {
    lines: lines.map(({ line, text: of, ranges }) => [
      line,
      of,
      ...ranges.map((one) => of.slice(one.start, one.end)),
    ]),
    more_lines,
  };
};

test("the lines with the most different matches win and stand in their order", () => {
  expect(shown("[a] x\nnone\n[a] and [b]\n[a]\n[a] [b] [c]\n", 2)).toEqual({
    lines: [
      [3, "a and b", "a", "b"],
      [5, "a b c", "a", "b", "c"],
    ],
    more_lines: true,
  });
  expect(shown("[a]\n\n[b]", 0)).toEqual({ lines: [], more_lines: true });
  expect(shown("first [a]\r\n[b]")).toEqual({
    lines: [
      [1, "first a", "a"],
      [2, "b", "b"],
    ],
    more_lines: false,
  });
});

test("a match over several lines counts for each of them", () => {
  expect(shown("x [a\nb\nc] y [d]\nz")).toEqual({
    lines: [
      [1, "x a", "a"],
      [2, "b", "b"],
      [3, "c y d", "c", "d"],
    ],
    more_lines: false,
  });
});

test("a long line is cut around its first match, between whole characters", () => {
  const long = `${"😀".repeat(5_000)}[needle]${"x".repeat(5_000)}[far]`;
  const [[line, text, match]] = shown(long).lines as [[number, string, string]];
  expect([line, match, text.length <= 242, text.isWellFormed()]).toEqual([1, "needle", true, true]);
  expect(text).toMatch(/^…😀+needlex+…$/u);
});
