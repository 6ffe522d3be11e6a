// Goal: no text of others moves the cursor or leaves its place on the screen, however it is made.

import { describe, expect, test } from "bun:test";
import { cut, cutStart, paint, wrapped } from "../../../src/context/tui/line.ts";
import { widthOf } from "../../../src/kit/terminal/text-width.ts";

const HOSTILE = [
  "\u001b[2J\u001b]0;owned\u0007\u001bP1$r\u001b\\",
  "a\u009b31mred\u0085next",
  "\u202eevil\u2066\u2069\u200e",
  "日本語のとても長い名前".repeat(50),
  "👩‍👩‍👧‍👦🇨🇭❤️".repeat(40),
  `e${"\u0301".repeat(10_000)}`,
  "ﷺ".repeat(400),
  "\ud800\udfff\udc00",
  "x".repeat(1_000_000),
  "line\nbreak\rreturn\ttab",
];

describe.each(HOSTILE)("%#", (text) => {
  test.each([1, 2, 7, 80])("fits %d columns", (width) => {
    for (const shown of [cut(text, width), cutStart(text, width)]) {
      expect(widthOf(shown)).toBeLessThanOrEqual(width);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
    }
  });

  test("is painted with no sequence but ours", () => {
    const painted = paint(
      [
        { text, tone: "added" },
        { text, at: 10 },
      ],
      80,
      true,
    );
    // oxlint-disable-next-line no-control-regex -- the sequences are the subject
    expect(painted.replaceAll(/\u001b\[(?:32|0)m|\u001b\[11G/g, "")).not.toMatch(/\p{Cc}/u);
  });
});

test("marks what is cut at the right end", () => {
  expect([cut("roadmap.md", 10), cut("roadmap.md", 5), cut("日本語", 4), cut("ab", 0)]).toEqual([
    "roadmap.md",
    "road…",
    "日…",
    "",
  ]);
  expect([cutStart("plans/roadmap.md", 11), cutStart("日本語", 4)]).toEqual(["…roadmap.md", "…語"]);
});

test("breaks lines between words where it can, and anywhere else where it must", () => {
  expect(wrapped("one two three", 8)).toEqual(["one two ", "three"]);
  expect(wrapped("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  expect(wrapped("日本語の計画", 5)).toEqual(["日本", "語の", "計画"]);
  expect(wrapped("", 5)).toEqual([""]);
});

test("says the same without colours", () => {
  const line = [
    { text: "+added", tone: "added" as const },
    { text: " row", tone: "marked" as const },
  ];
  // oxlint-disable-next-line no-control-regex -- the sequences are the subject
  const colour = /\u001b\[(?:[0-9]+;)*(?:3[0-9]|2)m/;
  expect(paint(line, 80, true)).toMatch(colour);
  expect(paint(line, 80, false)).not.toMatch(colour);
});
