// Contents that were read or written lately, decoded: what many ask for is unpacked once, and what was just written reaches the working
// tree without being unpacked. Kept under their hash, so that none can be another's or out of date. Nobody changes the bytes that they get
// from here.

const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** Larger ones would push out too many others. */
const ONE_BYTES_MAX = 64 * 1024;

/** Of the map that holds it, about; and what lies beside it in the same buffer stays with it. */
const ENTRY_BYTES = 256;
const costOf = (content: Uint8Array) => content.buffer.byteLength + ENTRY_BYTES;

export class RecentContents {
  /** The one that was not asked for the longest comes first. */
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;

  /** Just written. A part of something larger would keep all of it in memory. */
  add(hash: string, content: Uint8Array): void {
    if (content.length > ONE_BYTES_MAX || content.buffer.byteLength > ONE_BYTES_MAX) return;
    if (!this.#kept.has(hash)) this.#keep(hash, content);
  }

  /** `decode` is asked when it is not here. */
  get(hash: string, decode: () => Uint8Array): Uint8Array {
    const known = this.#kept.get(hash);
    if (known) {
      this.#kept.delete(hash);
      this.#kept.set(hash, known);
      return known;
    }
    const content = decode();
    if (content.length <= ONE_BYTES_MAX) this.#keep(hash, content);
    return content;
  }

  /** What was destroyed. */
  forget(hash: string): void {
    const content = this.#kept.get(hash);
    if (content && this.#kept.delete(hash)) this.#bytes -= costOf(content);
  }

  #keep(hash: string, content: Uint8Array): void {
    this.#kept.set(hash, content);
    this.#bytes += costOf(content);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= KEPT_BYTES_MAX) return;
      this.forget(oldest);
    }
  }
}
