// Collects a JSON document sent in place of an event stream. It is recognised by its first character, not by its content type, which gateways
// confuse.

import { tooLarge } from "./failures.ts";

const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;

/** White space, which servers send to keep a connection alive, and the bytes of a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
/** A brace or bracket, with which no line of an event stream begins. */
const BEGINNINGS: ReadonlySet<number> = new Set([0x7b, 0x5b]);

export class WholeText {
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** Undefined while only blanks have arrived. */
  #isDocument: boolean | undefined;

  get isDocument(): boolean {
    return this.#isDocument === true;
  }

  /** Keeps a piece of a document; returns false if it belongs to a stream. Raises ModelFailure for a document that is too large. */
  takes(piece: Uint8Array): boolean {
    this.#isDocument ??= beginsDocument(piece);
    if (!this.#isDocument) return false;
    this.#bytes += piece.byteLength;
    if (this.#bytes > DOCUMENT_BYTES_MAX) throw tooLarge(DOCUMENT_BYTES_MAX);
    this.#pieces.push(piece);
    return true;
  }

  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#pieces));
  }
}

function beginsDocument(piece: Uint8Array): boolean | undefined {
  const first = piece.find((byte) => !BLANKS.has(byte));
  return first === undefined ? undefined : BEGINNINGS.has(first);
}
