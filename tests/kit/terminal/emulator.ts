// A terminal in memory: what it shows after everything that was written to it, as a person would see it.

import { Terminal as Emulation } from "@xterm/headless";
import type { Terminal } from "../../../src/context/tui/screen.ts";
import { eventually } from "../eventually.ts";

export class Emulator implements Terminal {
  readonly colours: boolean;
  /** Everything that was written, for what does not show. */
  sent = "";
  readonly #emulation: Emulation;
  #drained = () => {};

  constructor(columns: number, rows: number, colours = true) {
    this.colours = colours;
    this.#emulation = new Emulation({ cols: columns, rows, allowProposedApi: true });
  }

  size() {
    return { columns: this.#emulation.cols, rows: this.#emulation.rows };
  }

  write(text: string | Uint8Array): boolean {
    this.sent += typeof text === "string" ? text : new TextDecoder().decode(text);
    this.#emulation.write(text);
    return true;
  }

  onDrain(then: () => void): void {
    this.#drained = then;
  }

  drain(): void {
    this.#drained();
  }

  resize(columns: number, rows: number): void {
    this.#emulation.resize(columns, rows);
  }

  get isAlternate(): boolean {
    return this.#emulation.buffer.active.type === "alternate";
  }

  /** The visible rows, without blanks at their ends. */
  rows(): string[] {
    const { active } = this.#emulation.buffer;
    return Array.from(
      { length: this.#emulation.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
  }

  text(): string {
    return this.rows().join("\n");
  }

  /** Resolves with the screen once it shows this. */
  async shows(wanted: string | RegExp): Promise<string> {
    const shown = () => {
      const text = this.text();
      return (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) ? wanted : text;
    };
    await eventually(shown, wanted);
    return this.text();
  }
}
