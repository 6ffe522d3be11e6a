// The help: every key that works on a page, and those that work everywhere. Scrolls on a small screen; any other key closes it.

import type { Input } from "./keys.ts";
import type { Line, Size } from "./line.ts";
import type { Hint } from "./page.ts";

const EVERYWHERE: readonly Hint[] = [
  { key: "Tab Shift+Tab", does: "next or previous section; the mouse clicks one" },
  { key: "Esc ← Backspace", does: "back" },
  { key: "r", does: "reload" },
  { key: "Ctrl+L", does: "redraw the screen" },
  { key: "?", does: "this help" },
  { key: "q Ctrl+C Ctrl+D", does: "quit" },
];
const KEY_COLUMNS = 20;
const WHEEL_ROWS = 3;

export class Help {
  readonly #lines: readonly Line[];
  #top = 0;
  #rows = 1;

  /** `own`: the keys of the page. */
  constructor(own: readonly Hint[], sections: number) {
    const everywhere = [{ key: `1–${sections}`, does: "go to a section" }, ...EVERYWHERE];
    this.#lines = [titleOf("On this page"), ...rowsOf(own), titleOf("Everywhere"), ...rowsOf(everywhere)];
  }

  get isLong(): boolean {
    return this.#lines.length > this.#rows;
  }

  draw({ rows }: Size): readonly Line[] {
    this.#rows = rows;
    this.#move(0);
    return this.#lines.slice(this.#top, this.#top + rows);
  }

  /** False: this closes the help. */
  press(input: Input): boolean {
    const by = this.isLong ? this.#stepOf(input) : undefined;
    if (by !== undefined) this.#move(by);
    return by !== undefined;
  }

  #stepOf(input: Input): number | undefined {
    if (input.kind === "wheel") return input.by * WHEEL_ROWS;
    if (input.kind === "text") return { j: 1, k: -1 }[input.text];
    if (input.kind !== "key") return undefined;
    const steps: Partial<Record<string, number>> = {
      up: -1,
      down: 1,
      "page-up": -this.#rows,
      "page-down": this.#rows,
      home: -this.#lines.length,
      end: this.#lines.length,
    };
    return steps[input.key];
  }

  #move(by: number): void {
    const last = Math.max(0, this.#lines.length - this.#rows);
    this.#top = Math.min(Math.max(0, this.#top + by), last);
  }
}

function titleOf(text: string): Line {
  return [{ text: ` ${text}`, tone: "bold" }];
}

function rowsOf(hints: readonly Hint[]): Line[] {
  return hints.map(({ key, does }) => [
    { text: `  ${key}`, tone: "bold" },
    { text: does, at: KEY_COLUMNS },
  ]);
}
