// The pages that each commit changed, for a copy of the database elsewhere. They are read from the WAL right after the commit, before a checkpoint
// can make SQLite reuse it. Format of the WAL: https://sqlite.org/fileformat2.html#the_write_ahead_log

import { closeSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;
/** Two random numbers, which change when the WAL is written from its start again. */
const SALTS_AT = 16;
const SALTS_BYTES = 8;
/** In the header of a frame: the number of its page, then the size of the database in pages after the commit; 0: more frames follow. */
const PAGE_NUMBER_AT = 0;
const DATABASE_SIZE_AT = 4;

/** The changes of one or more commits. */
export interface ChangedPages {
  /** Bytes. */
  readonly pageSize: number;
  /** The size of the database afterwards, in pages. */
  readonly size: number;
  /** By number, from 1; the last content of each. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
}

/** Receives the changes of a database. Neither function may throw. */
export interface PageSink {
  /** Called in the step of a commit, before anyone hears of it. `isQuiet`: it is no change that a copy needs soon. */
  readonly changed: (changed: ChangedPages, isQuiet: boolean) => void;
  /** The changes of a commit could not be read, so that a copy lacks them. */
  readonly failed: (error: unknown) => void;
}

export class PageCapture {
  readonly #path: string;
  readonly #framesInLog: () => number;
  readonly #sink: PageSink;
  #descriptor: number | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #salts = "";
  /** The frames of this WAL that were read. */
  #frames = 0;

  /** `framesInLog`: of the database, as SQLite counts them. */
  constructor(path: string, framesInLog: () => number, sink: PageSink) {
    this.#path = path;
    this.#framesInLog = framesInLog;
    this.#sink = sink;
  }

  /** Passes on the changes since the last call. Called outside transactions, and before anything empties the WAL. */
  capture({ isQuiet }: { readonly isQuiet: boolean } = { isQuiet: false }): void {
    try {
      this.#capture(isQuiet);
    } catch (error) {
      this.#sink.failed(error);
    }
  }

  #capture(isQuiet: boolean): void {
    const count = this.#framesInLog();
    if (count === 0) return;
    this.#descriptor ??= openSync(`${this.#path}-wal`, "r");
    readFully(this.#descriptor, this.#header, 0);
    const salts = this.#header.toString("latin1", SALTS_AT, SALTS_AT + SALTS_BYTES);
    if (salts !== this.#salts) this.#frames = 0;
    this.#salts = salts;
    if (count <= this.#frames) return;
    const changed = this.#read(this.#descriptor, count);
    this.#frames = count;
    this.#sink.changed(changed, isQuiet);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #read(descriptor: number, count: number): ChangedPages {
    const pageSize = this.#header.readUInt32BE(PAGE_SIZE_AT);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    const bytes = Buffer.allocUnsafe((count - this.#frames) * frameBytes);
    readFully(descriptor, bytes, HEADER_BYTES + this.#frames * frameBytes);
    const pages = new Map<number, Uint8Array>();
    for (let at = 0; at < bytes.length; at += frameBytes) {
      const page = bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
      pages.set(bytes.readUInt32BE(at + PAGE_NUMBER_AT), page);
    }
    const size = bytes.readUInt32BE(bytes.length - frameBytes + DATABASE_SIZE_AT);
    if (size === 0) throw new Error("the WAL does not end with a commit");
    return { pageSize, size, pages };
  }
}

function readFully(descriptor: number, into: Uint8Array, from: number): void {
  for (let at = 0; at < into.length;) {
    const count = readSync(descriptor, into, at, into.length - at, from + at);
    if (count === 0) throw new Error("the WAL is shorter than SQLite says");
    at += count;
  }
}
