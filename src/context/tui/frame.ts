// The whole screen: title, sections, the page, and the line of keys at the bottom. Nothing is said by colour alone.

import { visibleInLine } from "../../kit/text/visible.ts";
import type { Help } from "./help.ts";
import { widthOf } from "../../kit/terminal/text-width.ts";
import { cut, cutStart, wrapped, type Line, type Size } from "./line.ts";
import type { Hint, Page } from "./page.ts";

const COLUMNS_MIN = 80;
const ROWS_MIN = 24;
/** Title, sections, name of the page. */
export const HEAD_ROWS = 3;
const FOOT_ROWS = 1;
const TAB_ROW = 1;
const PROBLEM_UNITS_MAX = 1_000;
const TAB_GAP = 2;

export interface Frame {
  readonly size: Size;
  readonly place: string;
  /** Empty for a local space. */
  readonly who: string;
  readonly isReadOnly: boolean;
  readonly tabs: readonly string[];
  readonly tab: number;
  readonly page: Page;
  readonly problem: string | undefined;
  /** This person may no longer see the content of the page. */
  readonly isStale: boolean;
  readonly isLoading: boolean;
  readonly question: string | undefined;
  readonly notice: string | undefined;
  readonly help: Help | undefined;
}

export function isLargeEnough({ columns, rows }: Size): boolean {
  return columns >= COLUMNS_MIN && rows >= ROWS_MIN;
}

/** One line for each row of the screen. */
export function frameOf(frame: Frame): readonly Line[] {
  const { size } = frame;
  if (!isLargeEnough(size)) return filled(tooSmall(size), size.rows);
  const rows = size.rows - HEAD_ROWS - FOOT_ROWS;
  const body = filled(bodyOf(frame, { ...size, rows }), rows);
  const foot = footOf(frame);
  // A long foot covers the end of the page instead of moving it.
  const shown = body.slice(0, size.rows - HEAD_ROWS - foot.length);
  return [titleOf(frame), tabsOf(frame), nameOf(frame), ...shown, ...foot];
}

function tooSmall({ columns, rows }: Size): Line[] {
  return [
    [{ text: `Needs ${COLUMNS_MIN}×${ROWS_MIN} cells;` }],
    [{ text: `it has ${columns}×${rows}.` }],
    [{ text: "Enlarge it, or press q." }],
  ];
}

function filled(lines: readonly Line[], rows: number): Line[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? []);
}

function titleOf({ size, place, who, isReadOnly }: Frame): Line {
  const right = cut([who, isReadOnly ? "read only" : ""].filter(Boolean).join(" · "), size.columns >> 1);
  const left = cut(` Cairn · ${place}`, size.columns - widthOf(right) - 2);
  const gap = size.columns - widthOf(left) - widthOf(right) - 1;
  return [
    { text: left + " ".repeat(Math.max(0, gap)), tone: "marked" },
    { text: `${right} `, tone: "marked", at: size.columns - widthOf(right) - 1 },
  ];
}

/** The section that is open has brackets. */
function labelsOf(tabs: readonly string[]): string[] {
  return tabs.map((name, index) => `${index + 1} ${name}`);
}

function tabsOf({ tabs, tab }: Frame): Line {
  let at = 0;
  return labelsOf(tabs).map((label, index) => {
    const isOpen = index === tab;
    const span = {
      text: isOpen ? `[${label}]` : ` ${label} `,
      tone: isOpen ? ("bold" as const) : ("plain" as const),
      at,
    };
    at += label.length + TAB_GAP + 1;
    return span;
  });
}

/** The section at a place of the screen. */
export function tabAt(tabs: readonly string[], row: number, column: number): number | undefined {
  if (row !== TAB_ROW) return undefined;
  let at = 0;
  for (const [index, label] of labelsOf(tabs).entries()) {
    if (column >= at && column < at + label.length + TAB_GAP) return index;
    at += label.length + TAB_GAP + 1;
  }
  return undefined;
}

function nameOf({ page, isLoading, size }: Frame): Line {
  const state = isLoading ? " · loading…" : "";
  return [
    { text: ` ${cutStart(page.title, size.columns - state.length - 1)}`, tone: "bold" },
    { text: state, tone: "dim" },
  ];
}

function bodyOf(frame: Frame, size: Size): readonly Line[] {
  if (frame.help) return frame.help.draw(size);
  if (frame.isStale) return [[{ text: "  loading…", tone: "dim" }]];
  if (frame.problem === undefined) return frame.page.draw(size);
  const why = visibleInLine(frame.problem.slice(0, PROBLEM_UNITS_MAX));
  return [
    [],
    [{ text: "  Cannot show this page:", tone: "warning" }],
    ...wrapped(why, size.columns - 4).map((row) => [{ text: `  ${row}` }]),
    [],
    [{ text: "  Press r to try again, Esc to go back." }],
  ];
}

/** A long sentence takes more rows, because its end says what to do. */
const FOOT_ROWS_MAX = 6;

/** The last rows; usually one. */
function footOf(frame: Frame): Line[] {
  const { question, notice, help, size } = frame;
  const sentence = (text: string): Line[] =>
    wrapped(visibleInLine(text.slice(0, size.columns * FOOT_ROWS_MAX)), size.columns - 2)
      .slice(0, FOOT_ROWS_MAX)
      .map((row) => [{ text: ` ${row}`, tone: "warning" as const }]);
  if (question !== undefined)
    return [
      ...sentence(question.slice(0, size.columns * (FOOT_ROWS_MAX - 2))),
      [{ text: " Press y to confirm, or any other key to cancel.", tone: "warning" }],
    ];
  if (notice !== undefined) return sentence(notice);
  if (help) {
    const scrolls = help.isLong
      ? "↑ ↓ scroll; any other key closes the help."
      : "Press any key to close the help.";
    return [[{ text: ` ${scrolls}`, tone: "dim" }]];
  }
  return [[{ text: ` ${hintsOf(frame)}`, tone: "dim" }]];
}

const HELP: Hint = { key: "?", does: "help" };

/** As many keys of the page as fit, and always the way to the others. */
function hintsOf({ page, size, isReadOnly, problem }: Frame): string {
  const offered: readonly Hint[] = problem === undefined ? page.hints : [{ key: "r", does: "reload" }];
  const own = offered.filter(({ changes = false }) => !(changes && isReadOnly));
  const tails: Hint[][] = page.isTyping
    ? [[]]
    : [[{ key: "Esc", does: "back" }, HELP, { key: "q", does: "quit" }], [HELP]];
  const textOf = (hints: readonly Hint[]) => hints.map(({ key, does }) => `${key} ${does}`).join(" · ");
  for (let count = own.length; count > 0; count--)
    for (const tail of tails) {
      const text = textOf([...own.slice(0, count), ...tail]);
      if (widthOf(text) < size.columns) return text;
    }
  return textOf(tails[0]!);
}
