// A page with text to read: a document, a difference, a report. Lines are wrapped when they come on the screen, so that the length of a text costs
// nothing.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { characterStart } from "../../kit/text/characters.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import type { Input } from "./keys.ts";
import { wrapped, type Line, type Size, type Tone } from "./line.ts";
import type { Hint, Page, Stage } from "./page.ts";

interface Action {
  readonly key: string;
  readonly does: string;
  /** As in a table. */
  readonly changes?: boolean;
  readonly run: (stage: Stage) => void;
}

interface Reading {
  readonly title: string;
  readonly text: () => Promise<string>;
  /** How a line is shown; the text says the same without it. */
  readonly tone?: (line: string, index: number, lines: readonly string[]) => Tone;
  readonly actions?: readonly Action[];
}

/** More is not shown: a person reads it elsewhere, and splitting it would hold up everyone else on a server. */
export const TEXT_UNITS_MAX = 256 * 1024;
/** A longer line is several. */
const LINE_UNITS_MAX = 1_000;
const TAB = "    ";
const WHEEL_ROWS = 3;

const MOVES: readonly Hint[] = [
  { key: "↑ ↓ j k", does: "one row; the wheel moves three" },
  { key: "PgUp PgDn Space", does: "one screen (also Ctrl+B, Ctrl+F)" },
  { key: "Home End g G", does: "beginning or end" },
];

/** A row of the screen: part of a line. */
interface Spot {
  readonly line: number;
  readonly part: number;
}

export class TextPage implements Page {
  readonly isTyping = false;
  readonly #reading: Reading;
  #lines: readonly string[] | undefined;
  #spot: Spot = { line: 0, part: 0 };
  #size: Size = { columns: 80, rows: 1 };
  /** The lines near the screen, wrapped for its width. */
  readonly #wrapped = new Map<number, readonly string[]>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get title(): string {
    return this.#reading.title;
  }

  get hints(): readonly Hint[] {
    return this.#reading.actions ?? [];
  }

  get moves(): readonly Hint[] {
    return MOVES;
  }

  async load(): Promise<void> {
    const text = await this.#reading.text();
    const shown = text.length > TEXT_UNITS_MAX ? text.slice(0, TEXT_UNITS_MAX).toWellFormed() : text;
    const lines = await linesOf(shown);
    if (shown !== text) lines.push("", "[The rest is not shown here: cairn file get prints the whole file.]");
    this.#lines = lines;
    this.#wrapped.clear();
    if (this.#spot.line >= lines.length) this.#spot = { line: Math.max(0, lines.length - 1), part: 0 };
  }

  draw(size: Size): readonly Line[] {
    const { columns, rows } = size;
    if (columns !== this.#size.columns) this.#wrapped.clear();
    this.#size = size;
    const lines = this.#lines;
    if (lines === undefined) return [[{ text: "loading…", tone: "dim" }]];
    if (lines.length === 0) return [[{ text: "empty", tone: "dim" }]];
    // After a change of the width, the line may have fewer parts.
    const parts = this.#partsOf(this.#spot.line);
    let spot: Spot | undefined = { ...this.#spot, part: Math.min(this.#spot.part, parts.length - 1) };
    this.#spot = spot;
    const shown: Line[] = [];
    while (spot !== undefined && shown.length < rows - 1) {
      const tone = this.#reading.tone?.(lines[spot.line]!, spot.line, lines) ?? "plain";
      shown.push([{ text: this.#partsOf(spot.line)[spot.part]!, tone }]);
      spot = this.#after(spot);
    }
    const end = spot === undefined ? "end" : `${Math.floor((spot.line * 100) / lines.length)} %`;
    const position: Line = [{ text: `line ${this.#spot.line + 1} of ${lines.length} · ${end}`, tone: "dim" }];
    return [position, ...shown];
  }

  press(input: Input, stage: Stage): boolean {
    const page = Math.max(1, this.#size.rows - 2);
    if (input.kind === "wheel") return this.#move(input.by * WHEEL_ROWS);
    if (input.kind === "click" || input.kind === "paste") return false;
    if (input.kind === "text") {
      if (input.text === "j") return this.#move(1);
      if (input.text === "k") return this.#move(-1);
      if (input.text === " ") return this.#move(page);
      if (input.text === "g") return this.#move(-Infinity);
      if (input.text === "G") return this.#move(Infinity);
      const action = this.#reading.actions?.find(({ key }) => key === input.text);
      action?.run(stage);
      return action !== undefined;
    }
    const steps: Partial<Record<string, number>> = {
      up: -1,
      down: 1,
      "page-up": -page,
      "page-down": page,
      home: -Infinity,
      end: Infinity,
    };
    const by = steps[input.key];
    return by === undefined ? false : this.#move(by);
  }

  #move(by: number): boolean {
    const lines = this.#lines ?? [];
    if (lines.length === 0) return true;
    if (by === -Infinity) this.#spot = { line: 0, part: 0 };
    else if (by === Infinity) {
      this.#spot = { line: lines.length - 1, part: this.#partsOf(lines.length - 1).length - 1 };
      this.#move(-(this.#size.rows - 2));
    } else {
      for (let left = Math.abs(by); left > 0; left--) {
        const next = by < 0 ? this.#before(this.#spot) : this.#after(this.#spot);
        if (next === undefined) break;
        this.#spot = next;
      }
    }
    return true;
  }

  #after({ line, part }: Spot): Spot | undefined {
    if (part + 1 < this.#partsOf(line).length) return { line, part: part + 1 };
    return line + 1 < this.#lines!.length ? { line: line + 1, part: 0 } : undefined;
  }

  #before({ line, part }: Spot): Spot | undefined {
    if (part > 0) return { line, part: part - 1 };
    return line > 0 ? { line: line - 1, part: this.#partsOf(line - 1).length - 1 } : undefined;
  }

  #partsOf(line: number): readonly string[] {
    const known = this.#wrapped.get(line);
    if (known) return known;
    if (this.#wrapped.size > this.#size.rows * 4) this.#wrapped.clear();
    const safe = visibleInLine(this.#lines![line]!.replaceAll("\t", TAB));
    const parts = wrapped(safe, Math.max(1, this.#size.columns));
    this.#wrapped.set(line, parts);
    return parts;
  }
}

/** Without the empty one after the last line feed. */
async function linesOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  const stretch = new Stretch();
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(at, text[end - 1] === "\r" && end > at ? end - 1 : end);
    for (let start = 0; start === 0 || start < line.length;) {
      const next = characterStart(line, start + LINE_UNITS_MAX);
      lines.push(line.length <= LINE_UNITS_MAX ? line : line.slice(start, next));
      start = next;
    }
    at = end + 1;
    if (stretch.isOver()) await turnOfOthers();
  }
  return lines;
}
