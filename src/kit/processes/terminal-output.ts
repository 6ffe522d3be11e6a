// Reads the output of a terminal to its end. When its program ends, the system may still be moving the last output, and our side keeps the terminal
// open, so no end of file comes. A word that the terminal echoes marks the end instead: the system queues the echo behind the output.

import { systemTimers, type Timers } from "../clock.ts";
import { randomHex } from "../random.ts";

/** Nobody else writes it. */
const MARK_BITS = 128;
/** The flag ECHO of termios, the same on Linux and macOS. */
const ECHO_FLAG = 8;
/** An echo that has not come after this many ticks never comes: the terminal is full of input that its program did not read. */
const ECHO_TICKS_MAX = 60;
const TICK_MS = 50;

/** The members of `Bun.Terminal` that are used. */
type Echoing = Pick<Bun.Terminal, "closed" | "inputFlags" | "outputFlags" | "localFlags"> & {
  write(data: string): unknown;
};

export class TerminalOutput {
  readonly #output: (chunk: Uint8Array) => void;
  readonly #read = Promise.withResolvers<void>();
  #mark = "";
  #isRead = false;
  /** Could be the beginning of the mark. */
  #held = Buffer.alloc(0);

  constructor(output: (chunk: Uint8Array) => void) {
    this.#output = output;
  }

  take(chunk: Uint8Array): void {
    if (this.#isRead) return;
    if (this.#mark === "") return this.#output(chunk);
    const bytes = Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.#mark);
    const known = at < 0 ? Math.max(0, bytes.length - this.#mark.length + 1) : at;
    this.#held = bytes.subarray(known);
    if (known > 0) this.#output(bytes.subarray(0, known));
    if (at >= 0) this.#end();
  }

  /** The terminal has no more output. */
  close(): void {
    if (this.#isRead) return;
    if (this.#held.length > 0) this.#output(this.#held);
    this.#end();
  }

  /** Call this when the program has ended. Resolves when all of its output is read. */
  async toEnd(
    terminal: Echoing,
    system: string = process.platform,
    timers: Timers = systemTimers,
  ): Promise<void> {
    // The terminals of Windows do not echo.
    const echoes = system !== "win32" && !terminal.closed;
    if (echoes) this.#askForEcho(terminal);
    let left = echoes ? ECHO_TICKS_MAX : 1;
    let cancel = () => {};
    const tick = () => {
      if (left-- === 0) this.close();
      else cancel = timers.after(TICK_MS, tick);
    };
    tick();
    await this.#read.promise;
    cancel();
  }

  #askForEcho(terminal: Echoing): void {
    this.#mark = randomHex(MARK_BITS);
    // The program may have set them to anything, or stopped the output.
    terminal.inputFlags = 0;
    terminal.outputFlags = 0;
    terminal.localFlags = ECHO_FLAG;
    terminal.write(this.#mark);
  }

  #end(): void {
    this.#isRead = true;
    this.#read.resolve();
  }
}
