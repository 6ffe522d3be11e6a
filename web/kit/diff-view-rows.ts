// Two texts as the rows of a unified diff, and which stretches of them are folded. Pure. Every character counts: line endings are compared,
// and invisible characters are shown by their code points.

import { diffArrays } from "diff";

export interface DiffRow {
  readonly kind: "same" | "added" | "removed";
  /** From 1; undefined where the line is not in that text. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Without the line feed. */
  readonly text: string;
  /** The last line, when it does not end with a line feed. */
  readonly open: boolean;
}

interface DiffRows {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** The texts have too little in common: one is shown as removed, the other as added. */
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
/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 4;
/** Folding fewer lines would take more room than showing them. */
const FOLDED_LINES_MIN = 6;
/** Lines shown of one stretch of changes, or of a text shown whole; the rest on request. */
export const SHOWN_LINES_MAX = 800;

/** Splits a text into lines that keep their line feeds. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Without `before`, every row is unchanged. */
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

/** Returns the initial stretches. Without `fold`, unchanged text is shown up to SHOWN_LINES_MAX lines. */
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

/** Folds unchanged lines except those beside a change. */
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

/** Returns the stretches after unfolding the one at `index` by up to SHOWN_LINES_MAX lines. */
export function opened(stretches: readonly Stretch[], index: number): Stretch[] {
  return stretches.flatMap((stretch, position) =>
    position === index ? limited(stretch.start, stretch.end) : [stretch],
  );
}

/**
 * Control, invisible and bidirectional characters, which can make code look other than it is. A selector of the form of an emoji hides nothing behind
 * one, and any other one can carry data: programs read it, and nobody sees it.
 */
const HIDDEN =
  /([\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u00a0\u2800]|(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f\u20e3)\p{Default_Ignorable_Code_Point})/u;

interface Piece {
  readonly text: string;
  readonly hidden: boolean;
}

/** Splits a text so that each invisible character is a piece named by its code point. Tabs count as visible. */
export function pieces(text: string): Piece[] {
  return text
    .split(HIDDEN)
    .map((piece, index) =>
      index % 2 === 1 && piece !== "\t"
        ? { text: `U+${piece.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`, hidden: true }
        : { text: piece, hidden: false },
    )
    .filter((piece) => piece.text !== "");
}
