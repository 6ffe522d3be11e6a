// Keeps the first part of a stream and counts the rest, so that output is bounded while it is read.

export class OutputCapture {
  readonly #bytesMax: number;
  readonly #chunks: Uint8Array[] = [];
  #kept = 0;
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Uint8Array): void {
    const room = this.#bytesMax - this.#kept;
    // A copy: a view would keep all of the reader's buffer alive.
    if (room > 0) this.#chunks.push(chunk.slice(0, room));
    const kept = Math.min(room, chunk.byteLength);
    this.#kept += kept;
    this.#dropped += chunk.byteLength - kept;
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  /** Decodes as UTF-8. Invalid bytes become U+FFFD; a character split by the limit is omitted. */
  text(): string {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return decoder.decode(Buffer.concat(this.#chunks), { stream: this.truncated });
  }
}
