// Finds the matches in a text and cuts the part to show around them: data, never markup. Pure.

import { characterStart } from "../../kit/text/characters.ts";
import type { MarkedText, SearchRange } from "./schema.ts";
import { folded, isLetter, type Term, type Terms } from "./terms.ts";

const SNIPPET_CHARACTERS = 240;
/** The text that stays before the first match. */
const LEAD_CHARACTERS = 60;
const RANGES_MAX = 40;
/** Occurrences of one word that are looked at. */
const TRIES_MAX = 1_000;
const ELLIPSIS = "…";

export interface Matches {
  /** In their order, without overlaps. */
  readonly ranges: readonly SearchRange[];
  /** How many of the words and phrases occur. */
  readonly kinds: number;
}

export function matchesIn(text: string, { terms }: Pick<Terms, "terms">): Matches {
  const plain = folded(text);
  const found = terms.map((term) => spansOf(plain, term));
  return { ranges: apart(found.flat()), kinds: found.filter(({ length }) => length > 0).length };
}

/** The whole text, for names. */
export function marked(text: string, terms: Terms): MarkedText {
  return { text, ranges: [...matchesIn(text, terms).ranges] };
}

/** The part of a text with the most different matches, on one line. */
export function snippetOf(text: string, { ranges }: Matches): MarkedText {
  const from = characterStart(text, Math.max(0, bestStart(text, ranges) - LEAD_CHARACTERS));
  const to = characterStart(text, Math.min(text.length, from + SNIPPET_CHARACTERS));
  const before = from > 0 ? ELLIPSIS : "";
  const shown = text.slice(from, to).replaceAll(/\s/gu, " ").toWellFormed();
  const shift = before.length - from;
  return {
    text: `${before}${shown}${to < text.length ? ELLIPSIS : ""}`,
    ranges: ranges
      .filter(({ start, end }) => start >= from && start < to && end > from)
      .map(({ start, end }) => ({ start: start + shift, end: Math.min(end, to) + shift })),
  };
}

function spansOf(plain: string, term: Term): SearchRange[] {
  const spans: SearchRange[] = [];
  const first = term.words[0]!;
  let at = plain.indexOf(first);
  for (let tries = 0; at >= 0 && tries < TRIES_MAX && spans.length < RANGES_MAX; tries += 1) {
    const end = term.isOpenBefore || !isLetterBefore(plain, at) ? endOf(plain, at, term) : undefined;
    if (end !== undefined) spans.push({ start: at, end });
    at = plain.indexOf(first, end ?? at + 1);
  }
  return spans;
}

/** The end of a match that begins here; undefined: there is none. */
function endOf(plain: string, start: number, { words, isOpenAfter }: Term): number | undefined {
  let at = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const from = at;
      while (at < plain.length && !isLetter(plain, at)) at += 1;
      if (at === from) return undefined;
    }
    if (!plain.startsWith(word, at)) return undefined;
    at += word.length;
  }
  return isOpenAfter || !isLetter(plain, at) ? at : undefined;
}

function isLetterBefore(text: string, at: number): boolean {
  return at > 0 && isLetter(text, characterStart(text, at - 1));
}

/** The match with which the fullest part begins. */
function bestStart(text: string, ranges: readonly SearchRange[]): number {
  let best = ranges[0]?.start ?? 0;
  let most = 0;
  for (const { start } of ranges) {
    const last = start + SNIPPET_CHARACTERS - LEAD_CHARACTERS;
    const near = ranges.filter((one) => one.start >= start && one.end <= last);
    const kinds = new Set(near.map((one) => text.slice(one.start, one.end).toLowerCase())).size;
    if (kinds > most) [best, most] = [start, kinds];
  }
  return best;
}

function apart(ranges: SearchRange[]): SearchRange[] {
  const kept: SearchRange[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (kept.length === RANGES_MAX) break;
    if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  }
  return kept;
}
