// Separates a gear's output from its launcher's in one stream: `ready`, `go`, the gear's bytes, then an end marker with a secret that the gear
// cannot read (see launcher.ts). Chunks may split anywhere; no byte is held back longer than needed.

/** The record separator, which is rare in output, so that little is held back. */
const MARKER_START = 0x1e;
const LINE_END = 0x0a;

/** Forwards a gear's bytes up to the marker `\x1e<secret>:<exit code>\n`. */
export class MarkedStream {
  readonly #marker: Buffer;
  readonly #pass: (chunk: Uint8Array) => void;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(secret: string, pass: (chunk: Uint8Array) => void) {
    this.#marker = Buffer.concat([Buffer.of(MARKER_START), Buffer.from(`${secret}:`)]);
    this.#pass = pass;
  }

  /** Adds a chunk. Returns the exit code, once, when the marker is complete. */
  add(chunk: Uint8Array): number | undefined {
    if (this.#ended) return undefined;
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#held.byteLength === 0 ? piece : Buffer.concat([this.#held, piece]);
    const at = data.indexOf(this.#marker);
    if (at !== -1) return this.#end(data, at);
    this.#release(data, this.#possibleStart(data));
    return undefined;
  }

  /** Forwards the bytes held back as a possible marker, when the stream ends without one. */
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
    // Copy the few held bytes, because the reader's buffer is large.
    this.#held = Buffer.from(data.subarray(end));
  }

  /** Returns where the tail of the data could begin a marker; the length of the data if it cannot. */
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

/** Waits for one line of the launcher. */
export class ExpectedLine {
  readonly #line: Buffer;
  #seen: Buffer = Buffer.alloc(0);

  constructor(text: string) {
    this.#line = Buffer.from(`${text}\n`);
  }

  /** Returns the bytes after the line once it is complete; undefined before, and always for different bytes. */
  add(chunk: Uint8Array): Uint8Array | undefined {
    if (this.#seen.byteLength > this.#line.byteLength) return undefined;
    this.#seen = Buffer.concat([this.#seen, chunk]);
    const begins = this.#seen.subarray(0, this.#line.byteLength).equals(this.#line);
    return begins ? this.#seen.subarray(this.#line.byteLength) : undefined;
  }
}
