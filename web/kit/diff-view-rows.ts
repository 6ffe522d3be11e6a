// Two texts as the rows of a unified difference, and which stretches of them are folded. Pure: knows no page. Every character counts, so line
// ends count too, and characters that can't be seen are given a name.

import { diffArrays } from "diff";

export interface DiffRow {
  readonly kind: "same" | "added" | "removed";
  /** From 1; undefined where the line is not in that text. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Without its line feed. */
  readonly text: string;
  /** The last line of a text that does not end with a line feed. */
  readonly open: boolean;
}

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** The texts have too little in common: all of one is shown as removed, all of the other as added. */
  readonly tooDifferent: boolean;
}

/** A stretch of rows, shown or folded. */
export interface Stretch {
  readonly start: number;
  /** Not included. */
  readonly end: number;
  readonly folded: boolean;
}

const COMPARE_MS_MAX = 500;
/** Lines of unchanged text that are shown around a change. */
export const CONTEXT_LINES = 4;
/** A button for fewer lines than this takes more room than they do. */
const FOLDED_LINES_MIN = 6;
/** Of one stretch of changed lines, or of a text that is shown whole; further ones are shown when asked for. */
export const SHOWN_LINES_MAX = 800;

/** Line feeds stay at the end of their lines. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** `before` undefined: the text by itself, all of it unchanged. */
export function rowsOf(before: string | undefined, after: string): DiffRows {
  const lines = linesOf(after);
  if (before === undefined) {
    const rows = lines.map((line, index) => row("same", index + 1, index + 1, line));
    return { rows, added: 0, removed: 0, tooDifferent: false };
  }
  const old = linesOf(before);
  const changes = diffArrays(old, lines, { timeout: COMPARE_MS_MAX });
  return changes
    ? { ...numbered(changes), tooDifferent: false }
    : {
        ...numbered([
          { removed: true, added: false, value: old },
          { removed: false, added: true, value: lines },
        ]),
        tooDifferent: true,
      };
}

function numbered(
  changes: readonly { added?: boolean; removed?: boolean; value: readonly string[] }[],
): Omit<DiffRows, "tooDifferent"> {
  const rows: DiffRow[] = [];
  let [before, after, added, removed] = [0, 0, 0, 0];
  for (const change of changes) {
    for (const line of change.value) {
      if (change.added) {
        added += 1;
        rows.push(row("added", undefined, ++after, line));
      } else if (change.removed) {
        removed += 1;
        rows.push(row("removed", ++before, undefined, line));
      } else rows.push(row("same", ++before, ++after, line));
    }
  }
  return { rows, added, removed };
}

function row(
  kind: DiffRow["kind"],
  before: number | undefined,
  after: number | undefined,
  line: string,
): DiffRow {
  const open = !line.endsWith("\n");
  return { kind, before, after, text: open ? line : line.slice(0, -1), open };
}

/** What is shown at first. `fold` false: unchanged text is shown too, as far as SHOWN_LINES_MAX lines go. */
export function stretchesOf(rows: readonly DiffRow[], fold: boolean): Stretch[] {
  const stretches: Stretch[] = [];
  let start = 0;
  while (start < rows.length) {
    const same = rows[start]!.kind === "same";
    let end = start;
    while (end < rows.length && (rows[end]!.kind === "same") === same) end += 1;
    stretches.push(...(same && fold ? around(start, end, rows.length) : limited(start, end)));
    start = end;
  }
  return stretches;
}

/** Unchanged lines: only those beside a change. */
function around(start: number, end: number, length: number): Stretch[] {
  const from = start === 0 ? start : Math.min(end, start + CONTEXT_LINES);
  const to = end === length ? end : Math.max(from, end - CONTEXT_LINES);
  if (to - from < FOLDED_LINES_MIN) return [{ start, end, folded: false }];
  return [
    { start, end: from, folded: false },
    { start: from, end: to, folded: true },
    { start: to, end, folded: false },
  ].filter((stretch) => stretch.end > stretch.start);
}

function limited(start: number, end: number): Stretch[] {
  if (end - start <= SHOWN_LINES_MAX) return [{ start, end, folded: false }];
  const limit = start + SHOWN_LINES_MAX;
  return [
    { start, end: limit, folded: false },
    { start: limit, end, folded: true },
  ];
}

/** The stretches after the one at `index` was opened, as far as SHOWN_LINES_MAX more lines. */
export function opened(stretches: readonly Stretch[], index: number): Stretch[] {
  return stretches.flatMap((stretch, position) =>
    position === index ? limited(stretch.start, stretch.end) : [stretch],
  );
}

/** Controls, invisible characters and those that change the direction of what stands beside them: code could look other than it is. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u3164\uffa0]/u;
const HIDDEN_RUN = new RegExp(`(${HIDDEN.source})`, "u");

export interface Piece {
  readonly text: string;
  readonly hidden: boolean;
}

/** The text in pieces, with what can't be seen by its code point. A tab is white space like any other. */
export function pieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return [{ text, hidden: false }];
  return text
    .split(HIDDEN_RUN)
    .filter((piece) => piece !== "")
    .map((piece) =>
      piece !== "\t" && HIDDEN.test(piece)
        ? { text: `U+${piece.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`, hidden: true }
        : { text: piece, hidden: false },
    );
}

export function hasHidden(text: string): boolean {
  return pieces(text).some(({ hidden }) => hidden);
}
