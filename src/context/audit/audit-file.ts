// The audit file on disk: appended to by one writer, read line by line from either end. Opening it for writing removes a line that a crash tore;
// reading changes nothing.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../kit/error.ts";
import { sameFile } from "../../kit/disk/held-directory.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import { syncDirectoryNow } from "../../kit/disk/replace-file.ts";

const READ_BYTES = 256 * 1024;
/** Far larger than any record; a longer line is not ours. */
export const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 10;

/** Returns the path in a server's data directory. */
export function auditPath(directory: string): string {
  return join(directory, "audit", "audit.jsonl");
}

/** Called with the offset of lines, in the step in which they are written. Must not throw. */
export type Appended = (at: number, lines: Uint8Array) => void;

export class AuditFile {
  readonly path: string;
  #descriptor: number | undefined;
  #end = 0;
  /** A partly written line follows the end. */
  #isTorn = false;
  readonly #replaced: () => void;
  readonly #appended: Appended;

  /** `replaced` hears that another file has the name, or none had; it is written from then on. `appended` hears of all lines. */
  constructor(path: string, replaced: () => void = () => {}, appended: Appended = () => {}) {
    this.path = path;
    this.#replaced = replaced;
    this.#appended = appended;
  }

  /** Opens for writing and removes the torn last line, which begins at `end`. */
  open(end: number): void {
    const descriptor = this.#openNamed();
    const { size } = fstatSync(descriptor);
    this.#end = Math.min(end, size);
    if (size > end) ftruncateSync(descriptor, end);
  }

  #openNamed(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    const descriptor = openSync(this.path, "a+", PRIVATE_FILE_MODE);
    this.#descriptor = descriptor;
    // Make the directory entry survive a power cut.
    syncDirectoryNow(dirname(this.path));
    return descriptor;
  }

  /** A moved or replaced file would take the records along, out of everybody's sight. Verification finds the records that the new one lacks. */
  #followName(descriptor: number): number {
    const named = statSync(this.path, { throwIfNoEntry: false });
    if (named && sameFile(named, fstatSync(descriptor))) return descriptor;
    // Moved with the data directory: a new one in its old place would get the records that this one lacks.
    if (!named && !existsSync(dirname(dirname(this.path)))) return descriptor;
    const opened = this.#openNamed();
    closeSync(descriptor);
    this.#isTorn = false;
    this.#end = fstatSync(opened).size;
    this.#replaced();
    // An editor may have left out the last line break.
    if (this.#end > 0 && readAt(opened, this.#end - 1, 1)[0] !== NEWLINE)
      this.#end += writeSync(opened, "\n");
    return opened;
  }

  /** Appends all of the lines or nothing: a partial write on a full disk is truncated again, so that the next line begins where it should. */
  append(lines: string): void {
    if (this.#descriptor === undefined) throw new AppError("unavailable", "the audit file is not open");
    const descriptor = this.#followName(this.#descriptor);
    if (this.#isTorn) this.#cut(descriptor);
    const bytes = Buffer.from(lines);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      this.#isTorn = at > 0;
      if (this.#isTorn) this.#cut(descriptor);
      throw error;
    }
    this.#appended(this.#end, bytes);
    this.#end += bytes.length;
  }

  #cut(descriptor: number): void {
    ftruncateSync(descriptor, this.#end);
    this.#isTorn = false;
  }

  /** Resolves when everything appended before the call is on disk. */
  sync(): Promise<void> {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return Promise.resolve();
    const done = Promise.withResolvers<void>();
    fsync(descriptor, (error) => (error ? done.reject(error) : done.resolve()));
    return done.promise;
  }

  /** The size of the whole lines, in bytes. */
  get size(): number {
    return this.#end;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

export interface Line {
  /** Without its line break; valid until the next line is read. */
  readonly bytes: Uint8Array;
  /** Ends with a line break. */
  readonly whole: boolean;
  /** The offsets of its first byte and of the byte after its line break. */
  readonly start: number;
  readonly end: number;
}

/** Opens the file for reading; undefined if it does not exist. */
function reading(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Yields the lines from offset `from` on; none if there is no file. An overlong line comes in pieces, none of which is whole. */
export function* readLines(path: string, from = 0): Generator<Line> {
  const descriptor = reading(path);
  if (descriptor === undefined) return;
  try {
    let buffer = Buffer.allocUnsafe(READ_BYTES + LINE_BYTES_MAX);
    let held = 0;
    let start = from;
    for (;;) {
      const count = readSync(descriptor, buffer, held, READ_BYTES, start + held);
      if (count === 0) break;
      const filled = buffer.subarray(0, held + count);
      let at = 0;
      for (let newline = filled.indexOf(NEWLINE, held); newline >= 0; newline = filled.indexOf(NEWLINE, at)) {
        const end = start + newline + 1 - at;
        yield { bytes: filled.subarray(at, newline), whole: true, start, end };
        start = end;
        at = newline + 1;
      }
      held = filled.length - at;
      if (held > LINE_BYTES_MAX) {
        yield { bytes: filled.subarray(at), whole: false, start, end: start + held };
        start += held;
        held = 0;
      }
      // A new buffer, because the caller may still hold lines of the old one.
      const next = Buffer.allocUnsafe(buffer.length);
      filled.copy(next, 0, filled.length - held);
      buffer = next;
    }
    if (held > 0) yield { bytes: buffer.subarray(0, held), whole: false, start, end: start + held };
  } finally {
    closeSync(descriptor);
  }
}

/** Yields whole lines backwards, from the line that ends at `end` to the first. Skips overlong lines. */
export function* readLinesBack(path: string, end: number): Generator<Line> {
  const descriptor = reading(path);
  if (descriptor === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    // `rest` begins at `at`, and its last byte is the line break of the line before.
    for (let at = end; at > 0;) {
      const from = Math.max(0, at - READ_BYTES);
      const chunk = Buffer.concat([readAt(descriptor, from, at - from), rest]);
      let stop = chunk.length;
      while (stop > 0) {
        const newline = stop < 2 ? -1 : chunk.lastIndexOf(NEWLINE, stop - 2);
        if (newline < 0 && from > 0) break;
        const line = { start: from + newline + 1, end: from + stop };
        yield { bytes: chunk.subarray(newline + 1, stop - 1), whole: true, ...line };
        stop = newline + 1;
      }
      rest = chunk.subarray(0, stop);
      if (rest.length > LINE_BYTES_MAX) rest = rest.subarray(-1);
      at = from;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Returns fewer bytes only at the end of the file. */
function readAt(descriptor: number, at: number, count: number): Buffer {
  const buffer = Buffer.alloc(count);
  let read = 0;
  while (read < count) {
    const more = readSync(descriptor, buffer, read, count - read, at + read);
    if (more === 0) break;
    read += more;
  }
  return buffer.subarray(0, read);
}
