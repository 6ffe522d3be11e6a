// Finds the matches of words in one text. The index decides what a match is, so a text is marked by the same tokenizer.

import { randomHex } from "../../kit/random.ts";
import { characterStart } from "../../kit/text/characters.ts";
import type { MarkStore } from "./index-store.ts";
import type { Span } from "./lines.ts";

/** No text contains a mark by chance. */
const MARK_BITS = 96;
const SPANS_MAX = 10_000;

/** Marked at once: the index copies a text for each match in it, so a long text is marked in pieces. */
export const PIECE_CHARACTERS_MAX = 32 * 1024;
/** Of two pieces, so that both have all of a phrase between them. */
const SHARED_CHARACTERS = 4 * 1024;

/** The last character that the tokenizer takes for no part of a word, and what follows. Spaces alone will not do: minified files have none. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{Co}\p{M}][\p{L}\p{N}\p{Co}\p{M}]*$/u;

/** `expression`: made by terms.ts. Returns the matches in their order; empty: the text does not match. */
export function wordSpans(store: MarkStore, text: string, expression: string): Span[] {
  if (text.length <= PIECE_CHARACTERS_MAX) return spansIn(store, text, expression);
  if (!store.matches(text, expression)) return [];
  const any = anyTerm(expression);
  const spans: Span[] = [];
  for (let start = 0; start < text.length && spans.length < SPANS_MAX;) {
    const isLast = text.length - start <= PIECE_CHARACTERS_MAX;
    const next = isLast ? text.length : wordStart(text, start + PIECE_CHARACTERS_MAX - SHARED_CHARACTERS);
    const piece = text.slice(start, characterStart(text, start + PIECE_CHARACTERS_MAX));
    for (const span of spansIn(store, piece, any))
      if (start + span.start < next) addTo(spans, { start: start + span.start, end: start + span.end });
    start = next;
  }
  return spans.slice(0, SPANS_MAX);
}

/** Matches that overlap are one, also where a piece ends in the middle. */
function addTo(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last && span.start < last.end)
    spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  else spans.push(span);
}

function spansIn(store: MarkStore, text: string, expression: string): Span[] {
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

/** The expression that matches where any term of this one does. */
function anyTerm(expression: string): string {
  return expression.match(/"[^"]*"(?: \*)?/g)!.join(" OR ");
}

/** The end of the word before the one at `at`, if it is near; otherwise a place where the text can be cut. */
function wordStart(text: string, at: number): number {
  const from = characterStart(text, at - SHARED_CHARACTERS);
  const to = characterStart(text, at);
  const end = text.slice(from, to).search(BETWEEN_WORDS);
  return end < 0 ? to : from + end;
}
