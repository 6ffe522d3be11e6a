// Decodes a JSON string of base64 incrementally. A chunk may end anywhere, even inside an escape; some encoders escape `/` and `+`.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The base64 characters that encode three bytes. */
const QUAD = 4;
/** The length of `\u002b`. */
const UNICODE_ESCAPE_BYTES = 6;
const LOWER_U = 0x75;
const SLASH = 0x2f;
const ASCII_MAX = 0x7f;
/** Makes any sum with it an invalid character. */
const NO_DIGIT = 0x10000;
/** An arbitrary character outside base64. */
const NOT_BASE64 = 0x21;
const DATA = /^[A-Za-z0-9+/]*$/;
const PADDING = /^={0,2}$/;

export class Base64Decoder {
  /** An incomplete group of four characters. */
  #rest = "";
  #padding = "";
  /** An incomplete escape; `#escaped` is the number of its bytes so far. */
  readonly #escape = new Uint8Array(UNICODE_ESCAPE_BYTES);
  #escaped = 0;
  isBase64 = true;
  /** Bytes decoded so far. */
  length = 0;

  /** Consumes the string from `start` up to its closing quote or the end of the chunk. Returns where it stopped. */
  feed(
    piece: Uint8Array,
    start: number,
    emit: (bytes: Uint8Array) => void,
  ): { readonly next: number; readonly isOver: boolean } {
    const { next, isOver, text } = this.#unescaped(piece, start);
    this.#decode(text, emit);
    if (isOver) this.#finish(emit);
    return { next, isOver };
  }

  #unescaped(piece: Uint8Array, start: number): { next: number; isOver: boolean; text: string } {
    const view = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const quote = view.indexOf(QUOTE, start);
    const end = quote < 0 ? view.length : quote;
    const isPlain = this.#escaped === 0 && !view.subarray(start, end).includes(BACKSLASH);
    if (isPlain)
      return {
        next: quote < 0 ? end : end + 1,
        isOver: quote >= 0,
        text: view.toString("latin1", start, end),
      };
    return this.#withEscapes(view, start);
  }

  /** Works byte by byte without allocating, because a body may be all escapes. An escape is never shorter than its character. */
  #withEscapes(view: Buffer, start: number): { next: number; isOver: boolean; text: string } {
    const out = Buffer.allocUnsafe(view.length - start + UNICODE_ESCAPE_BYTES);
    let length = 0;
    for (let at = start; at < view.length; at += 1) {
      const byte = view[at]!;
      if (this.#escaped === 0 && byte !== BACKSLASH) {
        if (byte === QUOTE) return { next: at + 1, isOver: true, text: out.toString("latin1", 0, length) };
        out[length++] = byte;
      } else if (this.#completes(byte)) out[length++] = this.#character();
    }
    return { next: view.length, isOver: false, text: out.toString("latin1", 0, length) };
  }

  /** Adds a byte to the escape. Returns whether the escape is complete. */
  #completes(byte: number): boolean {
    this.#escape[this.#escaped++] = byte;
    return this.#escaped === (this.#escape[1] === LOWER_U ? UNICODE_ESCAPE_BYTES : 2);
  }

  /** Returns the character of the complete escape. */
  #character(): number {
    const kind = this.#escape[1]!;
    this.#escaped = 0;
    this.#escape[1] = 0;
    // `\/` is the only short escape for a base64 character.
    if (kind !== LOWER_U) return kind === SLASH ? SLASH : NOT_BASE64;
    let code = 0;
    for (let at = 2; at < UNICODE_ESCAPE_BYTES; at += 1) code = code * 16 + hexadecimalOf(this.#escape[at]!);
    return code <= ASCII_MAX ? code : NOT_BASE64;
  }

  #decode(text: string, emit: (bytes: Uint8Array) => void): void {
    const pad = text.indexOf("=");
    const data = pad < 0 ? text : text.slice(0, pad);
    if (!DATA.test(data) || (this.#padding !== "" && data !== "")) this.isBase64 = false;
    this.#padding += pad < 0 ? "" : text.slice(pad);
    if (!PADDING.test(this.#padding)) this.isBase64 = false;
    // Invalid input is skipped; it is refused later.
    if (!this.isBase64) [this.#rest, this.#padding] = ["", ""];
    else {
      const all = this.#rest + data;
      const whole = all.length - (all.length % QUAD);
      this.#rest = all.slice(whole);
      this.#emit(all.slice(0, whole), emit);
    }
  }

  #finish(emit: (bytes: Uint8Array) => void): void {
    if (this.#rest.length === 1) this.isBase64 = false;
    else this.#emit(this.#rest, emit);
  }

  #emit(text: string, emit: (bytes: Uint8Array) => void): void {
    if (text === "") return;
    const bytes = Buffer.from(text, "base64");
    this.length += bytes.length;
    emit(bytes);
  }
}

/** Returns the value of a hex digit; far above ASCII for other characters. */
function hexadecimalOf(digit: number): number {
  if (digit >= 0x30 && digit <= 0x39) return digit - 0x30;
  const lower = digit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : NO_DIGIT;
}
