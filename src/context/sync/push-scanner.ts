// Parses the JSON of a push incrementally: each operation is parsed as soon as it is complete, and its content is decoded from base64 chunk by
// chunk. It holds no more of the body than one operation without its content.
//
// JSON.parse validates the same text; the scanner only distinguishes strings, brackets and member names.

import { parseJson, tooDeep } from "../../kit/http/body.ts";
import { JSON_DEPTH_MAX } from "../../kit/text/json-shape.ts";
import { AppError } from "../../kit/error.ts";
import { Base64Decoder } from "./base64-decoder.ts";

/** The most bytes of an operation without its content: a path and three short fields. */
const OPERATION_BYTES_MAX = 16 * 1024;
/** The most bytes outside the operations; each operation leaves two or three bytes. */
const FRAME_BYTES_MAX = 128 * 1024;
const OPERATIONS_NAME = "ops";
const CONTENT_NAME = "content_b64";
/** The nesting depth of an operation: the object, its list, the operation. */
const OPERATION_DEPTH = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const ZERO = 0x30;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export interface ScannedOperation {
  /** The operation, with its content replaced by an empty string. */
  readonly value: unknown;
  /** The position of its content in the decoded bytes; undefined if it has none. */
  readonly content: { readonly at: number; readonly length: number; readonly isBase64: boolean } | undefined;
}

interface ScannerListener {
  /** Raises if the operation is invalid. */
  operation(operation: ScannedOperation, index: number): void;
  /** Decoded content, in order. */
  content(bytes: Uint8Array): void;
}

export class PushScanner {
  readonly #listener: ScannerListener;
  readonly #frame = new Kept(FRAME_BYTES_MAX);
  readonly #operation = new Kept(OPERATION_BYTES_MAX);
  #kept = this.#frame;
  /** For each open container, whether it is an object. */
  readonly #open: boolean[] = [];
  #state: "outside" | "text" | "content" = "outside";
  #isEscaped = false;
  #isName = false;
  #name = "";
  #isList = false;
  #hasList = false;
  #count = 0;
  #decoder: Base64Decoder | undefined;
  #content: ScannedOperation["content"];
  #decoded = 0;

  constructor(listener: ScannerListener) {
    this.#listener = listener;
  }

  /** Raises `invalid`, `too_large`, and what the listener raises. */
  feed(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#state === "outside") at = this.#outside(piece, at);
      else if (this.#state === "text") at = this.#text(piece, at);
      else at = this.#contentText(piece, at);
    }
  }

  /** Ends the body. Returns it with a 0 in place of each operation. Raises `invalid`. */
  end(): { readonly frame: unknown; readonly operations: number } {
    return { frame: parseJson(this.#frame.bytes()), operations: this.#count };
  }

  #outside(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at += 1) {
      const byte = piece[at]!;
      if (byte === QUOTE) {
        this.#beginText();
        return at + 1;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#enter(byte);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#leave(byte);
      else if (byte <= SPACE) this.#kept.space(byte);
      else {
        if (byte === COMMA) this.#isName = this.#open.at(-1) === true;
        else if (byte === COLON) this.#isName = false;
        this.#kept.byte(byte);
      }
    }
    return piece.length;
  }

  #enter(byte: number): void {
    if (this.#open.length >= JSON_DEPTH_MAX) throw tooDeep();
    const isObject = byte === OPEN_BRACE;
    const depth = this.#open.push(isObject);
    if (depth === OPERATION_DEPTH - 1) {
      this.#isList = !isObject && this.#name === OPERATIONS_NAME;
      if (this.#isList && this.#hasList)
        throw new AppError("invalid", "ops: expected one list of operations");
      this.#hasList ||= this.#isList;
    }
    if (depth === OPERATION_DEPTH && isObject && this.#isList) {
      this.#frame.byte(ZERO);
      this.#operation.clear();
      this.#kept = this.#operation;
      this.#content = undefined;
    }
    this.#isName = isObject;
    this.#kept.byte(byte);
  }

  #leave(byte: number): void {
    this.#kept.byte(byte);
    this.#open.pop();
    this.#isName = false;
    if (this.#kept !== this.#operation || this.#open.length >= OPERATION_DEPTH) return;
    this.#kept = this.#frame;
    const value = parseJson(this.#operation.bytes());
    this.#listener.operation({ value, content: this.#content }, this.#count);
    this.#count += 1;
  }

  #beginText(): void {
    this.#kept.byte(QUOTE);
    const isContent =
      !this.#isName &&
      this.#name === CONTENT_NAME &&
      this.#kept === this.#operation &&
      this.#open.length === OPERATION_DEPTH;
    this.#state = isContent ? "content" : "text";
    if (isContent) this.#decoder = new Base64Decoder();
    else this.#kept.mark();
  }

  #text(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at += 1) {
      const byte = piece[at]!;
      this.#kept.byte(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        if (this.#isName) this.#name = nameOf(this.#kept.marked());
        this.#state = "outside";
        return at + 1;
      }
    }
    return piece.length;
  }

  #contentText(piece: Uint8Array, start: number): number {
    const { next, isOver } = this.#decoder!.feed(piece, start, (bytes) => this.#emit(bytes));
    if (isOver) {
      const { length, isBase64 } = this.#decoder!;
      this.#content = { at: this.#decoded - length, length, isBase64 };
      this.#kept.byte(QUOTE);
      this.#state = "outside";
    }
    return next;
  }

  #emit(bytes: Uint8Array): void {
    this.#decoded += bytes.length;
    this.#listener.content(bytes);
  }
}

/** `bytes` includes the closing quote. Invalid JSON is detected when the whole is parsed. */
function nameOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  if (!text.includes("\\")) return text.slice(0, -1);
  try {
    return String(JSON.parse(`"${text}`));
  } catch {
    return "";
  }
}

/** Collects bytes of JSON for parsing. Collapses whitespace. */
class Kept {
  readonly #max: number;
  #bytes = Buffer.alloc(1024);
  #length = 0;
  #mark = 0;
  #isAfterSpace = false;

  constructor(max: number) {
    this.#max = max;
  }

  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow();
    this.#bytes[this.#length] = byte;
    this.#length += 1;
    this.#isAfterSpace = false;
  }

  space(byte: number): void {
    if (this.#isAfterSpace) return;
    this.byte(byte);
    this.#isAfterSpace = true;
  }

  /** Sets the start of `marked`. */
  mark(): void {
    this.#mark = this.#length;
  }

  marked(): Uint8Array {
    return this.#bytes.subarray(this.#mark, this.#length);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.#isAfterSpace = false;
  }

  #grow(): void {
    if (this.#length >= this.#max)
      throw new AppError("too_large", `more than ${this.#max} bytes of the body are not content`, {
        limit_bytes: this.#max,
      });
    const larger = Buffer.alloc(Math.min(this.#max, this.#length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}
