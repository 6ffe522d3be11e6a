// Goal: the matches in a long text are those that the index finds in the whole text, and their cost grows with the text, not with its square.

import { expect, test } from "bun:test";
import { markStore } from "../../../src/context/search/index-store.ts";
import { PIECE_CHARACTERS_MAX, wordSpans } from "../../../src/context/search/marks.ts";
import { indexExpression } from "../../../src/context/search/terms.ts";

const WORDS = ["one", "two", "日本語", "👩‍👩‍👧‍👦", "é\n", "x".repeat(300), "three", "two"];

/** Several pieces of text in which every word is at other distances from the ends of the pieces. */
function longText(separator: string): string {
  let text = "";
  for (let step = 0; text.length < 4 * PIECE_CHARACTERS_MAX; step += 1)
    text += WORDS[(step * step + 3 * (step >> 3)) % WORDS.length]! + separator;
  return text;
}

/** Whole, as the index marks it. */
function wholeSpans(text: string, expression: string): { start: number; end: number }[] {
  using store = markStore();
  const parts = store.marked(text, expression, "[", "]")?.split(/([[\]])/) ?? [];
  const spans: { start: number; end: number }[] = [];
  let at = 0;
  for (const part of parts)
    if (part === "[") spans.push({ start: at, end: at });
    else if (part === "]") spans[spans.length - 1]!.end = at;
    else at += part.length;
  return spans;
}

test.each(["one", "two three", '"one two"', '"two two" thr*', "absent", "one absent", "日本語"])(
  "%s has the matches in a long text that it has in the whole",
  (query) => {
    using store = markStore();
    const expression = indexExpression(query);
    for (const separator of [" ", "\n", ", "]) {
      const text = longText(separator);
      expect(wordSpans(store, text, expression)).toEqual(wholeSpans(text, expression).slice(0, 10_000));
    }
  },
);

test.each(["alpha", "alph*", "ebr*", '"zebra alpha"'])(
  "no piece of a text without spaces begins within a word: %s",
  (query) => {
    using store = markStore();
    const expression = indexExpression(query);
    for (const words of ["zebraalpha,", "zebra𝒳alpha.zebra,alpha,", "zebraalpha、日本語。"])
      for (let shift = 1; shift <= 12; shift += 1) {
        const text = `${",".repeat(shift)}alpha,zebra,alpha,ebra,${words.repeat(6_000)}`;
        expect(wordSpans(store, text, expression)).toEqual(wholeSpans(text, expression).slice(0, 10_000));
      }
  },
);

test("a phrase between two pieces is found", () => {
  using store = markStore();
  for (let shift = -20; shift < 20; shift += 1) {
    const text = `${"x ".repeat(PIECE_CHARACTERS_MAX / 2).slice(shift + 20)}one two${" y".repeat(PIECE_CHARACTERS_MAX)}`;
    const start = text.indexOf("one");
    expect(wordSpans(store, text, indexExpression('"one two"'))).toEqual([{ start, end: start + 7 }]);
  }
});

test("marks no more than a piece at once, however long a line is, and nothing after enough matches", () => {
  using real = markStore();
  const marked: number[] = [];
  const store = {
    ...real,
    marked: (...asked: Parameters<typeof real.marked>) => {
      marked.push(asked[0].length);
      return real.marked(...asked);
    },
  };
  expect(wordSpans(store, "日本語 👩‍👩‍👧‍👦 ".repeat(50_000), indexExpression("日本語"))).toHaveLength(10_000);
  expect(Math.max(...marked)).toBeLessThanOrEqual(PIECE_CHARACTERS_MAX);
  expect(marked.length).toBeLessThan(10);
});
