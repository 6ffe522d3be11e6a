// The audit file on disk: appended to by one writer, read line by line. A line that a crash cut off is set aside when the file is opened.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../kit/error.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const READ_BYTES = 256 * 1024;
/** A record is far smaller; a line beyond this is not one of ours. */
export const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 10;

/** In a server's data directory. */
export function auditPath(directory: string): string {
  return join(directory, "audit", "audit.jsonl");
}

export interface Tail {
  /** The last whole line; undefined in an empty file. */
  readonly last: string | undefined;
  readonly lines: number;
  /** Bytes of a line that was cut off, and is not in the file any more. */
  readonly torn: string | undefined;
}

export class AuditFile {
  readonly path: string;
  #descriptor: number | undefined;
  #end = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** For writing. Cuts a torn last line off and gives it back. */
  open(): Tail {
    mkdirSync(dirname(this.path), { recursive: true, mode: DIRECTORY_MODE });
    this.#descriptor = openSync(this.path, "a+", FILE_MODE);
    let lines = 0;
    let last: string | undefined;
    let end = 0;
    let torn: string | undefined;
    for (const line of readLines(this.path)) {
      if (line.whole) {
        lines += 1;
        last = line.text;
        end = line.end;
      } else torn = line.text;
    }
    if (torn !== undefined) ftruncateSync(this.#descriptor, end);
    this.#end = end;
    return { last, lines, torn };
  }

  /** All of the lines or nothing: what a full disk took of them is cut off again, so that the next one begins where it should. */
  append(lines: string): void {
    if (this.#descriptor === undefined) throw new AppError("unavailable", "the audit file is not open");
    const bytes = Buffer.from(lines);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#descriptor, bytes, at);
    } catch (error) {
      if (at > 0) ftruncateSync(this.#descriptor, this.#end);
      throw error;
    }
    this.#end += bytes.length;
  }

  sync(): void {
    if (this.#descriptor !== undefined) fsyncSync(this.#descriptor);
  }

  size(): number {
    return this.#descriptor === undefined ? 0 : fstatSync(this.#descriptor).size;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

export interface Line {
  readonly text: string;
  /** It ends with a line break. */
  readonly whole: boolean;
  /** Offset after it. */
  readonly end: number;
}

/** From the beginning; nothing when there is no file. A line that is too long comes in pieces, none of which is a record. */
export function* readLines(path: string): Generator<Line> {
  if (!existsSync(path)) return;
  const descriptor = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(READ_BYTES);
    let rest = Buffer.alloc(0);
    let at = 0;
    let end = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, 0, buffer.length, at);
      if (count === 0) break;
      at += count;
      const chunk =
        rest.length === 0 ? buffer.subarray(0, count) : Buffer.concat([rest, buffer.subarray(0, count)]);
      let start = 0;
      for (;;) {
        const newline = chunk.indexOf(NEWLINE, start);
        if (newline < 0) break;
        end += newline - start + 1;
        yield { text: chunk.toString("utf8", start, newline), whole: true, end };
        start = newline + 1;
      }
      rest = Buffer.from(chunk.subarray(start));
      if (rest.length > LINE_BYTES_MAX) {
        end += rest.length;
        yield { text: rest.toString("utf8"), whole: false, end };
        rest = Buffer.alloc(0);
      }
    }
    if (rest.length > 0) yield { text: rest.toString("utf8"), whole: false, end: end + rest.length };
  } finally {
    closeSync(descriptor);
  }
}
