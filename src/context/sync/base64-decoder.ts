// Decodes one JSON text of base64 while it arrives, in pieces that may end anywhere, between the characters of an escape too: some encoders
// write `/` and `+` as escapes.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Characters of base64 that are three bytes. */
const QUAD = 4;
/** Of `\u002b`. */
const UNICODE_ESCAPE_CHARACTERS = 6;
const DATA = /^[A-Za-z0-9+/]*$/;
const PADDING = /^={0,2}$/;

export class Base64Decoder {
  /** Characters that are no whole quad yet. */
  #rest = "";
  #padding = "";
  #escape = "";
  isBase64 = true;
  /** Bytes decoded so far. */
  length = 0;

  /** Takes the text from `start` up to its closing quote or the end of the piece. Returns where it stopped. */
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
    if (this.#escape === "" && !view.subarray(start, end).includes(BACKSLASH))
      return {
        next: quote < 0 ? end : end + 1,
        isOver: quote >= 0,
        text: view.toString("latin1", start, end),
      };
    const characters: string[] = [];
    for (let at = start; at < view.length; at += 1) {
      const byte = view[at]!;
      if (this.#escape === "" && byte === QUOTE)
        return { next: at + 1, isOver: true, text: characters.join("") };
      const character = String.fromCharCode(byte);
      if (this.#escape === "" && byte !== BACKSLASH) characters.push(character);
      else characters.push(this.#escaped(character));
    }
    return { next: view.length, isOver: false, text: characters.join("") };
  }

  /** The character that an escape stands for, once it is complete; else nothing. */
  #escaped(character: string): string {
    this.#escape += character;
    const isUnicode = this.#escape[1] === "u";
    if (this.#escape.length < (isUnicode ? UNICODE_ESCAPE_CHARACTERS : 2)) return "";
    const escape = this.#escape;
    this.#escape = "";
    try {
      return JSON.parse(`"${escape}"`) as string;
    } catch {
      return escape;
    }
  }

  #decode(text: string, emit: (bytes: Uint8Array) => void): void {
    const pad = text.indexOf("=");
    const data = pad < 0 ? text : text.slice(0, pad);
    if (!DATA.test(data) || (this.#padding !== "" && data !== "")) this.isBase64 = false;
    this.#padding += pad < 0 ? "" : text.slice(pad);
    if (!PADDING.test(this.#padding)) this.isBase64 = false;
    // What is refused anyway is passed over.
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
