// Tells a gear's output from what its launcher says, in one stream: `ready`, `go`, then the gear's bytes, then an end marker with
// a secret that the gear cannot read (see launcher.ts). Pieces may be cut anywhere; nothing is held back longer than needed.

/** Record separator: rare in output, so that hardly anything is ever held back. */
const MARKER_START = 0x1e;
const LINE_END = 0x0a;

/** Passes a gear's bytes on, and stops at the marker `\x1e<secret>:<exit code>\n`. */
export class MarkedStream {
  readonly #marker: Buffer;
  readonly #pass: (chunk: Uint8Array) => void;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(secret: string, pass: (chunk: Uint8Array) => void) {
    this.#marker = Buffer.concat([Buffer.of(MARKER_START), Buffer.from(`${secret}:`)]);
    this.#pass = pass;
  }

  /** The exit code, once, when the marker is complete. */
  add(chunk: Uint8Array): number | undefined {
    if (this.#ended) return undefined;
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#held.byteLength === 0 ? piece : Buffer.concat([this.#held, piece]);
    const at = data.indexOf(this.#marker);
    if (at !== -1) return this.#end(data, at);
    this.#release(data, this.#possibleStart(data));
    return undefined;
  }

  /** What was held back in case it was a marker; for a stream that ended without one. */
  flush(): void {
    if (!this.#ended) this.#release(this.#held, this.#held.byteLength);
  }

  #end(data: Buffer, at: number): number | undefined {
    const lineEnd = data.indexOf(LINE_END, at);
    this.#release(data, at);
    if (lineEnd === -1) return undefined;
    this.#ended = true;
    return Number(data.toString("latin1", at + this.#marker.byteLength, lineEnd));
  }

  #release(data: Buffer, end: number): void {
    if (end > 0) this.#pass(data.subarray(0, end));
    // A copy: the reader's buffer is large, and what is held is a few bytes.
    this.#held = Buffer.from(data.subarray(end));
  }

  /** Where the data's tail could be the beginning of the marker; its length when it cannot. */
  #possibleStart(data: Buffer): number {
    for (
      let at = data.indexOf(MARKER_START, Math.max(0, data.byteLength - this.#marker.byteLength));
      at !== -1;
      at = data.indexOf(MARKER_START, at + 1)
    ) {
      if (this.#marker.subarray(0, data.byteLength - at).equals(data.subarray(at))) return at;
    }
    return data.byteLength;
  }
}

/** Waits for one line of the launcher's. */
export class ExpectedLine {
  readonly #line: Buffer;
  #seen: Buffer = Buffer.alloc(0);

  constructor(text: string) {
    this.#line = Buffer.from(`${text}\n`);
  }

  /** What follows the line, once it is complete; undefined before. What is no part of it is never accepted. */
  add(chunk: Uint8Array): Uint8Array | undefined {
    if (this.#seen.byteLength > this.#line.byteLength) return undefined;
    this.#seen = Buffer.concat([this.#seen, chunk]);
    const begins = this.#seen.subarray(0, this.#line.byteLength).equals(this.#line);
    return begins ? this.#seen.subarray(this.#line.byteLength) : undefined;
  }
}
