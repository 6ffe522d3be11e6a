// Turns the matches in a text into lines to show: the best ones, cut around their first match, with the ranges of the matches.

import { characterStart } from "../../kit/text/characters.ts";
import { LINES_MAX, type SearchLine } from "./schema.ts";

/** A match in a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Shown {
  readonly lines: SearchLine[];
  readonly more_lines: boolean;
}

/** A longer line is cut. */
const LINE_CHARACTERS_MAX = 240;
/** The text that stays before the first match of a cut line. */
const LEAD_CHARACTERS = 60;
const ELLIPSIS = "…";
/** The lines and the matches of a line that are considered. */
const MATCHED_LINES_MAX = 10_000;
const RANGES_PER_LINE_MAX = 20;

interface MatchedLine {
  /** From 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly spans: Span[];
}

/** `spans`: in their order. Lines with the most different matches win, then earlier ones. */
export function shownLines(text: string, spans: readonly Span[], count: number): Shown {
  const matched = linesWith(text, spans);
  const wanted = Math.min(count, LINES_MAX);
  const best = matched
    .map((line) => ({ line, kinds: kindsIn(text, line) }))
    .sort((a, b) => b.kinds - a.kinds || a.line.line - b.line.line)
    .slice(0, wanted)
    .map(({ line }) => line)
    .sort((a, b) => a.line - b.line);
  return { lines: best.map((line) => cutLine(text, line)), more_lines: matched.length > best.length };
}

function kindsIn(text: string, { spans }: MatchedLine): number {
  return new Set(spans.map(({ start, end }) => text.slice(start, end).toLowerCase())).size;
}

/** A match over several lines counts for each of them. */
function linesWith(text: string, spans: readonly Span[]): MatchedLine[] {
  const matched: MatchedLine[] = [];
  let line = 1;
  let start = 0;
  let end = endOfLine(text, 0);
  for (let at = 0; at < spans.length && matched.length <= MATCHED_LINES_MAX;) {
    const span = spans[at]!;
    if (span.start > end) {
      line += 1;
      start = end + 1;
      end = endOfLine(text, start);
      continue;
    }
    const found: Span[] = [];
    while (at < spans.length && spans[at]!.start <= end) {
      const { start: from, end: to } = spans[at]!;
      if (found.length < RANGES_PER_LINE_MAX)
        found.push({ start: Math.max(from, start), end: Math.min(to, end) });
      // The rest of it belongs to the next line.
      if (to > end + 1) break;
      at += 1;
    }
    matched.push({ line, start, end, spans: found });
    line += 1;
    start = end + 1;
    if (start > text.length) break;
    end = endOfLine(text, start);
    if (spans[at] && spans[at]!.end < start) at += 1;
  }
  return matched;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function cutLine(text: string, { line, start, end, spans }: MatchedLine): SearchLine {
  const stop = text[end - 1] === "\r" && end > start ? end - 1 : end;
  const first = spans[0]!;
  const isLong = stop - start > LINE_CHARACTERS_MAX;
  const from = isLong ? characterStart(text, Math.max(start, first.start - LEAD_CHARACTERS)) : start;
  const to = isLong ? characterStart(text, Math.min(stop, from + LINE_CHARACTERS_MAX)) : stop;
  const before = from > start ? ELLIPSIS : "";
  const shown = before + text.slice(from, to) + (to < stop ? ELLIPSIS : "");
  const shift = before.length - from;
  const ranges = spans
    .map((span) => ({ start: span.start + shift, end: Math.min(span.end, to) + shift }))
    .filter((range) => range.end > range.start);
  return { line, text: shown.toWellFormed(), ranges };
}
