// Cuts a text to what a model should read at once, and says how to get the rest. Every character can be reached by continuing.

import { characterEnd, characterStart } from "../../kit/text/characters.ts";
import { READ_CHARACTERS_DEFAULT, type ReadInput } from "./schema.ts";

export interface Excerpt {
  readonly text: string;
  /** Of its first and last line, from 1. */
  readonly lines: readonly [first: number, last: number];
  readonly totalLines: number;
  readonly totalCharacters: number;
  /** The offset to continue at; undefined at the end. */
  readonly next: number | undefined;
  readonly isWhole: boolean;
}

/** Ends after a line if one ends within the limit. A character is never cut in half. */
export function excerptOf(
  whole: string,
  { line, offset, limit = READ_CHARACTERS_DEFAULT }: Omit<ReadInput, "path">,
): Excerpt {
  const start = characterStart(
    whole,
    Math.min(line === undefined ? (offset ?? 0) : startOfLine(whole, line), whole.length),
  );
  let end = characterStart(whole, Math.min(start + limit, whole.length));
  // One character may be longer than the limit.
  if (end === start && start < whole.length) end = characterEnd(whole, start);
  if (end < whole.length) {
    const lineEnd = whole.lastIndexOf("\n", end - 1) + 1;
    if (lineEnd > start) end = lineEnd;
  }
  const text = whole.slice(start, end);
  const first = countLines(whole, start) + 1;
  return {
    text,
    lines: [first, first + countLines(text, text.endsWith("\n") ? text.length - 1 : text.length)],
    totalLines: countLines(whole, whole.endsWith("\n") ? whole.length - 1 : whole.length) + 1,
    totalCharacters: whole.length,
    next: end < whole.length ? end : undefined,
    isWhole: start === 0 && end === whole.length,
  };
}

/** Line ends before this place. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return start;
}
