// A page with rows: one is marked, a filter narrows them, Enter opens one. Only the rows on the screen are formatted.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { Input } from "./keys.ts";
import { widthOf } from "../../kit/terminal/text-width.ts";
import { cut, cutStart, type Line, type Size } from "./line.ts";
import type { Hint, Page, Stage } from "./page.ts";
import { plural } from "../../kit/text/amounts.ts";

interface Column<T> {
  readonly title: string;
  /** Columns of the screen; undefined: what the others leave. */
  readonly width?: number;
  readonly of: (row: T) => string;
  /** Keeps the end of a text that is too long. */
  readonly keepsEnd?: boolean;
  /** On a narrow screen the column is left out. */
  readonly fromColumns?: number;
}

interface Action<T> {
  readonly key: string;
  readonly does: string;
  /** It changes something, so a session that may not change anything does not offer it. */
  readonly changes?: boolean;
  /** With the marked row; nothing happens without one. */
  readonly run?: (row: T, stage: Stage) => void;
  /** Needs no row. */
  readonly always?: (stage: Stage) => void;
}

interface Table<T> {
  readonly title: string;
  readonly columns: readonly Column<T>[];
  readonly rows: () => Promise<readonly T[]>;
  /** The text that the filter looks at. */
  readonly text: (row: T) => string;
  /** Shown when there are none. */
  readonly empty: string;
  readonly open?: (row: T, stage: Stage) => void;
  readonly actions?: readonly Action<T>[];
  /** One line below the title. */
  readonly note?: () => string | undefined;
}

const FILTER_CHARACTERS_MAX = 200;
/** Column titles, and the line of the filter or the note. */
const HEAD_ROWS = 2;
const MARK = "› ";
const GAP = 2;
const WHEEL_ROWS = 3;

export class TablePage<T> implements Page {
  readonly #table: Table<T>;
  #rows: readonly T[] | undefined;
  /** The text that the filter looks at, in lower case: made once, because that takes long for many rows. */
  #texts: readonly string[] = [];
  #shown: readonly T[] = [];
  #filter = "";
  /** The filter or the rows changed since `#shown` was made: many rows are narrowed once for each frame, not for each key. */
  #isStale = false;
  #isTyping = false;
  #marked = 0;
  #top = 0;
  #height = 1;

  constructor(table: Table<T>) {
    this.#table = table;
  }

  get title(): string {
    return this.#table.title;
  }

  get isTyping(): boolean {
    return this.#isTyping;
  }

  get hints(): readonly Hint[] {
    if (this.#isTyping)
      return [
        { key: "Enter", does: "keep filter" },
        { key: "Esc", does: "clear" },
        { key: "↑ ↓", does: "one row" },
      ];
    const { open, actions = [] } = this.#table;
    return [...(open ? [{ key: "Enter", does: "open" }] : []), { key: "/", does: "filter" }, ...actions];
  }

  get moves(): readonly Hint[] {
    if (this.#isTyping) return [];
    const isOpening = this.#table.open !== undefined;
    return [
      { key: "↑ ↓ j k", does: "one row; the wheel moves three" },
      { key: "PgUp PgDn", does: "one screen (also Ctrl+B, Ctrl+F)" },
      { key: "Home End g G", does: "first or last row" },
      ...(isOpening ? [{ key: "→", does: "open, as Enter or a click on the marked row" }] : []),
      { key: "Click", does: "marks a row" },
    ];
  }

  async load(): Promise<void> {
    const rows = await this.#table.rows();
    const texts: string[] = [];
    const stretch = new Stretch();
    for (const row of rows) {
      texts.push(this.#table.text(row).toLowerCase());
      if (stretch.isOver()) await turnOfOthers();
    }
    // Now, because keys may have moved the mark meanwhile.
    this.#narrow();
    const marked = this.#shown[this.#marked];
    this.#rows = rows;
    this.#texts = texts;
    this.#isStale = true;
    this.#narrow();
    // The same row stays marked although others came or went. Both searches are fast: the row may be the last of very many.
    const same = marked === undefined ? -1 : texts.indexOf(this.#table.text(marked).toLowerCase());
    const again = same < 0 ? -1 : this.#shown.indexOf(rows[same]!);
    this.#mark(again < 0 ? this.#marked : again);
  }

  draw({ columns, rows }: Size): readonly Line[] {
    this.#height = Math.max(1, rows - HEAD_ROWS);
    this.#narrow();
    this.#mark(this.#marked);
    const places = this.#places(columns);
    const title: Line = places.map(({ column, at, width }) => ({
      text: cut(column.title, width),
      tone: "bold",
      at,
    }));
    if (this.#rows === undefined) return [this.#status(), title, [{ text: "  loading…", tone: "dim" }]];
    if (this.#shown.length === 0) {
      const none = this.#rows.length === 0 ? this.#table.empty : "no row matches the filter";
      return [this.#status(), title, [{ text: `  ${none}`, tone: "dim" }]];
    }
    const body = this.#shown
      .slice(this.#top, this.#top + this.#height)
      .map((row, index) => lineOf(row, places, this.#top + index === this.#marked, columns));
    return [this.#status(), title, ...body];
  }

  press(input: Input, stage: Stage): boolean {
    if (this.#isTyping) return this.#type(input);
    if (input.kind === "wheel") return this.#moved(input.by * WHEEL_ROWS);
    if (input.kind === "click") return this.#click(input.row, stage);
    if (input.kind === "key") return this.#key(input.key, stage);
    if (input.kind === "paste") return false;
    if (input.text === "/") {
      this.#isTyping = true;
      return true;
    }
    if (input.text === "j") return this.#moved(1);
    if (input.text === "k") return this.#moved(-1);
    if (input.text === "g") return this.#moved(-Infinity);
    if (input.text === "G") return this.#moved(Infinity);
    return this.#act(input.text, stage);
  }

  #act(key: string, stage: Stage): boolean {
    const action = this.#table.actions?.find((one) => one.key === key);
    if (!action) return false;
    action.always?.(stage);
    this.#narrow();
    const row = this.#shown[this.#marked];
    if (row !== undefined) action.run?.(row, stage);
    return true;
  }

  #key(key: string, stage: Stage): boolean {
    switch (key) {
      case "up":
        return this.#moved(-1);
      case "down":
        return this.#moved(1);
      case "page-up":
        return this.#moved(-this.#height);
      case "page-down":
        return this.#moved(this.#height);
      case "home":
        return this.#moved(-Infinity);
      case "end":
        return this.#moved(Infinity);
      case "enter":
      case "right":
        return this.#open(stage);
      case "escape":
        if (this.#filter === "") return false;
        this.#setFilter("");
        return true;
      default:
        return false;
    }
  }

  #open(stage: Stage): boolean {
    this.#narrow();
    const row = this.#shown[this.#marked];
    if (row !== undefined) this.#table.open?.(row, stage);
    return true;
  }

  /** The first click marks a row, a click on the marked row opens it. */
  #click(row: number, stage: Stage): boolean {
    const index = this.#top + row - HEAD_ROWS;
    if (row < HEAD_ROWS || this.#shown[index] === undefined) return false;
    if (index === this.#marked) return this.#open(stage);
    this.#mark(index);
    return true;
  }

  #type(input: Input): boolean {
    if (input.kind === "wheel" || input.kind === "click") return true;
    if (input.kind === "text" || input.kind === "paste")
      this.#setFilter((this.#filter + input.text).slice(0, FILTER_CHARACTERS_MAX));
    else if (input.key === "backspace") this.#setFilter([...this.#filter].slice(0, -1).join(""));
    else if (input.key === "enter") this.#isTyping = false;
    else if (input.key === "escape") {
      this.#isTyping = false;
      this.#setFilter("");
    } else if (input.key === "up" || input.key === "down") this.#moved(input.key === "up" ? -1 : 1);
    else return false;
    return true;
  }

  #setFilter(text: string): void {
    this.#filter = text;
    this.#isStale = true;
    this.#marked = 0;
  }

  #narrow(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const rows = this.#rows ?? [];
    const wanted = this.#filter.toLowerCase();
    this.#shown = wanted === "" ? rows : rows.filter((_, index) => this.#texts[index]!.includes(wanted));
  }

  #moved(by: number): boolean {
    this.#mark(this.#marked + by);
    return true;
  }

  #mark(index: number): void {
    this.#marked = Math.max(0, Math.min(index, this.#shown.length - 1));
    const last = Math.max(0, this.#shown.length - this.#height);
    this.#top = Math.min(
      Math.max(Math.min(this.#top, this.#marked), this.#marked - this.#height + 1, 0),
      last,
    );
  }

  #status(): Line {
    const all = this.#rows?.length ?? 0;
    const filter = this.#filter === "" && !this.#isTyping ? "" : `filter: ${this.#filter}`;
    const count =
      this.#shown.length === all ? plural(all, "row") : `${this.#shown.length} of ${plural(all, "row")}`;
    const note = this.#table.note?.() ?? "";
    const place = this.#shown.length > this.#height ? ` · row ${this.#marked + 1}` : "";
    return [
      { text: this.#rows === undefined ? "" : `${count}${place}`, tone: "dim" },
      { text: filter === "" ? "" : `   ${filter}${this.#isTyping ? "_" : ""}`, tone: "bold" },
      { text: note === "" ? "" : `   ${note}`, tone: "dim" },
    ];
  }

  #places(columns: number): Place<T>[] {
    const used = this.#table.columns.filter(({ fromColumns = 0 }) => columns >= fromColumns);
    const fixed = used.reduce((sum, { width = 0 }) => sum + width, 0) + GAP * (used.length - 1);
    const rest = Math.max(1, columns - MARK.length - fixed);
    let at = MARK.length;
    return used.map((column) => {
      const width = column.width ?? rest;
      const place = { column, at, width };
      at += width + GAP;
      return place;
    });
  }
}

interface Place<T> {
  readonly column: Column<T>;
  readonly at: number;
  readonly width: number;
}

function lineOf<T>(row: T, places: readonly Place<T>[], isMarked: boolean, columns: number): Line {
  const cells = places.map(({ column, width }) =>
    (column.keepsEnd === true ? cutStart : cut)(column.of(row), width),
  );
  if (!isMarked) return [{ text: "  " }, ...cells.map((text, index) => ({ text, at: places[index]!.at }))];
  // One bar over the whole width: the gaps belong to it.
  return [
    { text: MARK, tone: "marked" },
    ...cells.map((text, index) => {
      const { at } = places[index]!;
      const end = places[index + 1]?.at ?? columns;
      return { text: text + " ".repeat(Math.max(0, end - at - widthOf(text))), tone: "marked" as const, at };
    }),
  ];
}
