// Draws frames on a terminal: the alternate screen, only the rows that changed, and never more than the terminal takes. `leave`
// switches every mode off again.

import { paint, type Line, type Size } from "./line.ts";

/** A terminal, wherever it is: of this process, or at the other end of a connection. */
export interface Terminal {
  size(): Size;
  readonly colours: boolean;
  /** False: full, until `onDrain` is called. */
  write(text: string): boolean;
  onDrain(then: () => void): void;
}

// The alternate screen, no cursor, no wrapping at the right edge, clicks and the wheel as SGR sequences, marks around a paste.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?1000h\u001b[?1006h\u001b[?2004h\u001b[2J";
/** Also for a program that ends without `leave`. */
export const LEAVE = "\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l";
const CLEAR = "\u001b[2J";
/** The row, before it is drawn: its parts may leave gaps. */
const ERASE = "\u001b[K";

export class Screen {
  readonly #terminal: Terminal;
  /** As the terminal shows them. */
  #rows: string[] = [];
  #isFull = false;
  #isEntered = false;
  /** The next frame clears the screen first. */
  #isForgotten = false;
  #waiting: (() => readonly Line[]) | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.onDrain(() => {
      this.#isFull = false;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting) this.draw(waiting);
    });
  }

  get size(): Size {
    return this.#terminal.size();
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#rows = [];
    this.#write(ENTER);
  }

  /** Leaves the terminal as it was. Does nothing the second time. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#waiting = undefined;
    this.#terminal.write(LEAVE);
  }

  /** Draws everything again, for a terminal whose content was disturbed. */
  forget(): void {
    this.#rows = [];
    this.#isForgotten = true;
  }

  /** `frame` is asked when the terminal takes it: of several frames meanwhile, only the last is drawn. */
  draw(frame: () => readonly Line[]): void {
    if (!this.#isEntered) return;
    if (this.#isFull) {
      this.#waiting = frame;
      return;
    }
    const { columns } = this.#terminal.size();
    const rows = frame().map((line) => paint(line, columns, this.#terminal.colours));
    let changes = this.#isForgotten ? CLEAR : "";
    this.#isForgotten = false;
    for (const [index, row] of rows.entries())
      if (row !== this.#rows[index]) changes += `\u001b[${index + 1};1H${ERASE}${row}`;
    this.#rows = rows;
    if (changes !== "") this.#write(changes);
  }

  #write(text: string): void {
    if (!this.#terminal.write(text)) this.#isFull = true;
  }
}
