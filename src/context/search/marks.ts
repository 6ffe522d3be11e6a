// Finds the matches of words in one text. The index decides what a match is, so a text is marked by the same tokenizer.

import { randomHex } from "../../kit/random.ts";
import type { MarkStore } from "./index-store.ts";
import type { Span } from "./lines.ts";

/** No text contains a mark by chance. */
const MARK_BITS = 96;
const SPANS_MAX = 10_000;

/** `expression`: made by terms.ts. Returns the matches in their order; empty: the text does not match. */
export function wordSpans(store: MarkStore, text: string, expression: string): Span[] {
  const mark = `\u0001${randomHex(MARK_BITS)}`;
  const [before, after] = [`${mark}<`, `${mark}>`];
  const marked = store.marked(text, expression, before, after);
  if (marked === undefined) return [];
  const spans: Span[] = [];
  let removed = 0;
  for (let at = marked.indexOf(before); at >= 0 && spans.length < SPANS_MAX;) {
    const start = at - removed;
    const close = marked.indexOf(after, at);
    spans.push({ start, end: close - removed - before.length });
    removed += before.length + after.length;
    at = marked.indexOf(before, close);
  }
  return spans;
}
