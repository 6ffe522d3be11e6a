// The whole screen: title, sections, the page, and the line of keys at the bottom. Nothing is said by colour alone.

import { cut, widthOf, type Line, type Size } from "./line.ts";
import type { Hint, Page } from "./page.ts";

const COLUMNS_MIN = 80;
const ROWS_MIN = 24;
/** Title, sections, name of the page. */
export const HEAD_ROWS = 3;
const FOOT_ROWS = 1;
const TAB_ROW = 1;
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
  readonly isLoading: boolean;
  readonly question: string | undefined;
  readonly notice: string | undefined;
  readonly isHelp: boolean;
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
  return [titleOf(frame), tabsOf(frame), nameOf(frame), ...body, footOf(frame)];
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
    { text: ` ${cut(page.title, size.columns - state.length - 1)}`, tone: "bold" },
    { text: state, tone: "dim" },
  ];
}

function bodyOf(frame: Frame, size: Size): readonly Line[] {
  if (frame.isHelp) return helpOf(frame.page, frame.tabs.length);
  if (frame.problem === undefined) return frame.page.draw(size);
  return [
    [],
    [{ text: "  Cannot show this page: ", tone: "warning" }, { text: frame.problem }],
    [],
    [{ text: "  Press r to try again, Esc to go back." }],
  ];
}

const EVERYWHERE: readonly Hint[] = [
  { key: "↑ ↓ j k", does: "one row" },
  { key: "PgUp PgDn", does: "one screen (also Ctrl+B, Ctrl+F)" },
  { key: "Home End g G", does: "first or last row" },
  { key: "Enter →", does: "open" },
  { key: "Esc ← Backspace", does: "back" },
  { key: "Tab Shift+Tab", does: "next or previous section" },
  { key: "r", does: "load again" },
  { key: "Ctrl+L", does: "draw the screen again" },
  { key: "?", does: "this help" },
  { key: "q Ctrl+C", does: "quit" },
  { key: "Mouse", does: "click a section or a row; click a marked row to open it" },
];
const KEY_COLUMNS = 18;

function helpOf(page: Page, sections: number): Line[] {
  const all = [{ key: `1–${sections}`, does: "go to a section" }, ...EVERYWHERE];
  const row = ({ key, does }: Hint): Line => [
    { text: `  ${key}`, tone: "bold" },
    { text: does, at: KEY_COLUMNS },
  ];
  return [
    ...(page.hints.length > 0
      ? [[{ text: " On this page", tone: "bold" as const }], ...page.hints.map(row)]
      : []),
    [{ text: " Everywhere", tone: "bold" }],
    ...all.map(row),
  ];
}

function footOf({ question, notice, isHelp, page, size }: Frame): Line {
  if (question !== undefined)
    return [{ text: ` ${cut(question, size.columns - 24)} Press y, or any other key.`, tone: "warning" }];
  if (notice !== undefined) return [{ text: ` ${notice}`, tone: "warning" }];
  if (isHelp) return [{ text: " Press any key to close the help.", tone: "dim" }];
  const typing: Hint[] = page.isTyping
    ? []
    : [
        { key: "Esc", does: "back" },
        { key: "?", does: "help" },
        { key: "q", does: "quit" },
      ];
  const hints = [...page.hints, ...typing];
  return [{ text: ` ${hints.map(({ key, does }) => `${key} ${does}`).join(" · ")}`, tone: "dim" }];
}
