// One terminal interface at the other end of an SSH channel.

import type { Channel, PtyInfo } from "ssh2";
import { AppError } from "../../kit/error.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { App } from "../tui/app.ts";
import type { Desk } from "../tui/desk.ts";
import type { Size } from "../tui/line.ts";
import type { Terminal } from "../tui/screen.ts";
import { errorText } from "../tui/words.ts";

/** A client may claim any size; a frame must stay cheap. */
const COLUMNS_MAX = 320;
const ROWS_MAX = 100;
/** Of a client that does not know its own. */
const SIZE_DEFAULT: Size = { columns: 80, rows: 24 };
const COLOURLESS = /^(?:dumb|vt[0-9]|.*-m(?:ono)?$)/;

export class Shell implements Terminal {
  readonly colours: boolean;
  isOver = false;
  readonly #channel: Channel;
  readonly #app: App;
  #size: Size;
  #isResizing = false;

  constructor(channel: Channel, pty: PtyInfo, desk: Desk, onInput: () => void) {
    this.#channel = channel;
    this.#size = sizeOf(pty, SIZE_DEFAULT);
    this.colours = !COLOURLESS.test(pty.term ?? "");
    this.#app = new App({ desk, terminal: this, onEnd: (error) => this.#close(error) });
    channel.on("data", (chunk: Buffer) => {
      onInput();
      this.#app.feed(chunk);
    });
    channel.on("end", () => this.#app.end());
    channel.on("close", () => this.#app.end());
    channel.on("error", () => this.#app.end());
  }

  async run(): Promise<void> {
    try {
      await this.#app.start();
    } catch (error) {
      this.#app.end(error);
    }
  }

  size(): Size {
    return this.#size;
  }

  write(text: string): boolean {
    return this.#channel.writable ? this.#channel.write(text) : true;
  }

  onDrain(then: () => void): void {
    this.#channel.on("drain", then);
  }

  /** Many changes in a row, as from a window that is dragged, are drawn once. */
  resize(pty: Pick<PtyInfo, "cols" | "rows">): void {
    this.#size = sizeOf(pty, this.#size);
    if (this.#isResizing) return;
    this.#isResizing = true;
    setImmediate(() => {
      this.#isResizing = false;
      this.#app.resized();
    });
  }

  /** Called when the rights of the person changed. */
  renew(): void {
    this.#app.renew();
  }

  /** Ends it with a sentence for the person. */
  end(reason: string): void {
    this.#app.end(new AppError("unavailable", reason));
  }

  #close(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    if (!this.#channel.writable) return;
    if (error !== undefined) this.#channel.write(`${visibleInLine(errorText(error))}\r\n`);
    this.#channel.exit(error === undefined ? 0 : 1);
    this.#channel.end();
  }
}

/** A dimension of zero says nothing (RFC 4254, 6.2). */
function sizeOf({ cols, rows }: Pick<PtyInfo, "cols" | "rows">, before: Size): Size {
  return {
    columns: Math.min(cols || before.columns, COLUMNS_MAX),
    rows: Math.min(rows || before.rows, ROWS_MAX),
  };
}
