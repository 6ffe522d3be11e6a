// Lines of a terminal screen, built from texts that anybody may have written: no text can move the cursor, and none is wider than its place.

import { visibleInLine } from "../../kit/text/visible.ts";
import { isPlain, widthOf } from "../../kit/terminal/text-width.ts";

export type Tone = "plain" | "bold" | "dim" | "marked" | "added" | "removed" | "warning";

interface Span {
  readonly text: string;
  readonly tone?: Tone;
  /** Starts at this column (from 0) wherever the terminal thinks that the text before it ended. */
  readonly at?: number;
}

export type Line = readonly Span[];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Enough for a column of characters with several parts; the rest of a long text is not looked at. */
const UNITS_PER_COLUMN = 16;
/** A family with skin tones has fewer; nobody reads a letter with a thousand marks. */
const CHARACTER_UNITS_MAX = 32;
const ELLIPSIS = "…";

let segmenter: Intl.Segmenter | undefined;

/** Yields what a reader takes for one character. */
function* charactersOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text))
    yield segment.length <= CHARACTER_UNITS_MAX
      ? segment
      : segment.slice(0, CHARACTER_UNITS_MAX).toWellFormed();
}

/** Makes a text safe and cuts it to a width, with an ellipsis where something is missing. */
export function cut(text: string, width: number): string {
  if (width <= 0) return "";
  const near = text.slice(0, (width + 1) * UNITS_PER_COLUMN);
  const safe = visibleInLine(near);
  if (isPlain(safe)) return safe.length <= width ? safe : safe.slice(0, width - 1) + ELLIPSIS;
  if (near.length === text.length && Bun.stringWidth(safe) <= width) return safe;
  let kept = "";
  let used = 0;
  for (const character of charactersOf(safe)) {
    used += Bun.stringWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return kept + ELLIPSIS;
}

/** As `cut`, but keeps the end: of a path, that tells more. */
export function cutStart(text: string, width: number): string {
  if (width <= 0) return "";
  const near = text.slice(-(width + 1) * UNITS_PER_COLUMN);
  const safe = visibleInLine(near);
  if (near.length === text.length && widthOf(safe) <= width) return safe;
  const characters = [...charactersOf(safe)];
  let kept = "";
  let used = 0;
  for (const character of characters.toReversed()) {
    used += Bun.stringWidth(character);
    if (used > width - 1) break;
    kept = character + kept;
  }
  return ELLIPSIS + kept;
}

/** Breaks a safe line into rows, between words where it can. At least one row. */
export function wrapped(text: string, width: number): string[] {
  if (widthOf(text) <= width && text.length <= width * UNITS_PER_COLUMN) return [text];
  const rows: string[] = [];
  let row = "";
  let used = 0;
  let space = -1;
  const characters = isPlain(text) ? text : charactersOf(text);
  for (const character of characters) {
    const wide = widthOf(character);
    if (used + wide > width && row !== "") {
      const end = space > 0 ? space + 1 : row.length;
      rows.push(row.slice(0, end));
      row = row.slice(end);
      used = widthOf(row);
      space = -1;
    }
    if (character === " ") space = row.length;
    row += character;
    used += wide;
  }
  if (row !== "") rows.push(row);
  return rows;
}

const SEQUENCES: Readonly<Record<Tone, readonly [colourless: string, colour: string]>> = {
  plain: ["", ""],
  bold: ["\u001b[1m", "\u001b[1m"],
  dim: ["", "\u001b[2m"],
  marked: ["\u001b[7m", "\u001b[7m"],
  added: ["", "\u001b[32m"],
  removed: ["", "\u001b[31m"],
  warning: ["\u001b[1m", "\u001b[1;33m"],
};

/** Returns the sequences that draw a line from the first column on. Tones only add to what the text says: a screen without colours loses nothing. */
export function paint(line: Line, columns: number, colours: boolean): string {
  let painted = "";
  let used = 0;
  for (const { text, tone = "plain", at } of line) {
    if (at !== undefined) {
      painted += `\u001b[${at + 1}G`;
      used = at;
    }
    const shown = cut(text, columns - used);
    const start = SEQUENCES[tone][colours ? 1 : 0];
    painted += start === "" ? shown : `${start}${shown}\u001b[0m`;
    used += widthOf(shown);
  }
  return painted;
}
