// An LRU cache of decoded contents: popular contents are decompressed once, and a fresh write reaches the working tree without decompression.
// The key is the hash, so no entry can be stale. Callers must not modify the returned bytes.

const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** Larger contents would evict too many others. */
const ONE_BYTES_MAX = 64 * 1024;

/** The approximate overhead of a map entry. The cost counts the whole buffer, which the entry keeps alive. */
const ENTRY_BYTES = 256;
const costOf = (content: Uint8Array) => content.buffer.byteLength + ENTRY_BYTES;

export class RecentContents {
  /** Least recently used first. */
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;

  /** Adds a content just written. Skips a view of a large buffer, because it would keep the whole buffer in memory. */
  add(hash: string, content: Uint8Array): void {
    if (content.length > ONE_BYTES_MAX || content.buffer.byteLength > ONE_BYTES_MAX) return;
    if (!this.#kept.has(hash)) this.#keep(hash, content);
  }

  /** Calls `decode` on a miss. */
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

  /** Evicts a destroyed content. */
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
