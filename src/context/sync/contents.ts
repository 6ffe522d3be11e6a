// The answer to a pull in the form `contents`: each file as the store holds it, so that neither side packs again what is packed already. A line of
// JSON precedes each content. The last line says that nothing is missing.

import { Type } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { closed, oneOf } from "../../kit/schema.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { decodeAside, type Coded, type Stored } from "../versioned-store/coding.ts";
import { FILE_BYTES_CEILING } from "../versioned-store/schema.ts";

export const CONTENTS_TYPE = "application/vnd.cairn.contents";

const PIECE_BYTES_MIN = 64 * 1024;
/** Longer than any path as JSON. */
const LINE_BYTES_MAX = 16 * 1024;
const NEW_LINE = 0x0a;
/** The contents that are decoded while the next ones are read. */
const DECODED_AHEAD_MAX = 32;

const Line = Type.Union([
  closed({
    path: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    /** Decoded, in bytes. */
    size: Type.Integer({ minimum: 0, maximum: FILE_BYTES_CEILING }),
    coding: oneOf(["raw", "zstd"] as const),
    /** The bytes that follow. */
    length: Type.Integer({ minimum: 0, maximum: FILE_BYTES_CEILING }),
  }),
  closed({ end: Type.Literal(true) }),
]);
type Line = typeof Line.static;
type FileLine = Exclude<Line, { end: true }>;

export interface StoredFile {
  readonly path: string;
  readonly version: number;
  /** In bytes. */
  readonly size: number;
  /** Raises as a read does, because the file or the right to it may be gone meanwhile. */
  readonly stored: () => Promise<Coded>;
}

/** A content that arrived, and how to store it. */
export interface Arrived {
  readonly path: string;
  readonly version: number;
  readonly bytes: Uint8Array;
  readonly coded: Coded;
}

/** `onFailure`: called when a read fails, which aborts the stream, but not when its reader leaves. */
export function contentsStream(
  files: Iterable<StoredFile>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(files);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return();
    },
  });
}

async function* piecesOf(files: Iterable<StoredFile>): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const stretch = new Stretch();
  for (const { path, version, size, stored } of files) {
    const { coding, content } = await stored();
    const line = lineOf({ path, version, size, coding, length: content.length });
    waiting.push(line, content);
    bytes += line.length + content.length;
    if (bytes >= PIECE_BYTES_MIN) {
      yield Buffer.concat(waiting, bytes);
      [waiting, bytes] = [[], 0];
    }
    if (stretch.isOver()) await turnOfOthers();
  }
  yield Buffer.concat([...waiting, lineOf({ end: true })]);
}

function lineOf(line: Line): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/**
 * Yields each content. Ends `pieces` if they are not read to their end. Raises `invalid` for contents that are damaged, incomplete or have more
 * than `bytesMax` bytes together, decoded.
 */
export async function* readContents(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Arrived, void> {
  const reader = new PieceReader(pieces);
  const decoding: Promise<Arrived>[] = [];
  let total = 0;
  let isWhole = false;
  try {
    for (;;) {
      const line = parsed(await reader.line());
      if ("end" in line) break;
      total += Math.max(line.size, line.length);
      if (total > bytesMax) throw new AppError("invalid", `more than ${bytesMax} bytes`);
      const next = arrivedOf(line, await reader.bytes(line.length));
      // Its failure counts when its turn comes.
      next.catch(() => {});
      decoding.push(next);
      if (decoding.length > DECODED_AHEAD_MAX) yield decoding.shift()!;
    }
    isWhole = true;
    for (const next of decoding) yield next;
  } finally {
    // Otherwise the sender keeps the connection and waits for a reader.
    if (!isWhole) await reader.leave();
  }
}

async function arrivedOf(
  { path, version, size, coding, length }: FileLine,
  content: Uint8Array,
): Promise<Arrived> {
  const bytes = await decoded({ coding, content, size });
  const isPacked = length < size;
  return { path, version, bytes, coded: isPacked ? { coding, content } : { coding: "raw", content: bytes } };
}

/** Compiled with the first line: most cycles bring nothing. */
let lineCheck: TypeCheck<typeof Line> | undefined;

function parsed(text: string): Line {
  const line = parsedJson(text);
  lineCheck ??= TypeCompiler.Compile(Line);
  if (!lineCheck.Check(line)) throw damaged();
  return line;
}

async function decoded(stored: Stored): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await decodeAside(stored);
  } catch {
    throw damaged();
  }
  if (bytes.length !== stored.size) throw damaged();
  return bytes;
}

function damaged(): AppError {
  return new AppError("invalid", "the contents are damaged");
}

/** Reads lines and counted bytes from a stream, whatever the sizes of its pieces. */
class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const end = this.#piece.indexOf(NEW_LINE, this.#at);
      const part = this.#piece.subarray(this.#at, end < 0 ? undefined : end);
      length += part.length;
      if (length > LINE_BYTES_MAX) throw damaged();
      parts.push(part);
      if (end >= 0) {
        this.#at = end + 1;
        return Buffer.concat(parts, length).toString("utf8");
      }
      await this.#next();
    }
  }

  /** Returns a copy, so that a small content does not keep its piece in memory. */
  async bytes(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count);
    let filled = 0;
    for (;;) {
      const part = this.#piece.subarray(this.#at, this.#at + count - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#at += part.length;
      if (filled === count) return bytes;
      await this.#next();
    }
  }

  async leave(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new AppError("invalid", "the contents are incomplete");
    this.#piece = value;
    this.#at = 0;
  }
}
