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

/** Receives the changes of a database. No function may throw. */
export interface PageSink {
  /** Called in the step of a commit, before anyone hears of it. `isQuiet`: it is no change that a copy needs soon. */
  readonly changed: (changed: ChangedPages, isQuiet: boolean) => void;
  /** As `changed`, for a commit whose changes are read in steps: the returned function receives them. */
  readonly changing: () => (changed: ChangedPages) => void;
  /** The changes of a commit could not be read, so that a copy lacks them. */
  readonly failed: (error: unknown) => void;
}

/** Takes less than a millisecond to read. */
const STEP_BYTES = 1024 * 1024;

interface BeingRead {
  readonly steps: Generator<void, ChangedPages>;
  readonly received: (changed: ChangedPages) => void;
}

export class PageCapture {
  readonly #path: string;
  readonly #framesInLog: () => number;
  readonly #sink: PageSink;
  #descriptor: number | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #salts = "";
  /** The frames of this WAL that were read, or are being read. */
  #frames = 0;
  #reading: BeingRead | undefined;

  /** `framesInLog`: of the database, as SQLite counts them. */
  constructor(path: string, framesInLog: () => number, sink: PageSink) {
    this.#path = path;
    this.#framesInLog = framesInLog;
    this.#sink = sink;
  }

  /** Passes on the changes since the last call. Called outside transactions, and before anything empties the WAL. */
  capture({ isQuiet }: { readonly isQuiet: boolean } = { isQuiet: false }): void {
    this.finish();
    this.#guarded(() => {
      const steps = this.#next();
      if (steps) this.#sink.changed(toEnd(steps), isQuiet);
    });
  }

  /** As `capture`, in steps of less than a millisecond. Before the next write, call `finish`, because it may overwrite the WAL. */
  *captureInSteps(): Generator<void> {
    this.finish();
    this.#guarded(() => {
      const steps = this.#next();
      if (steps) this.#reading = { steps, received: this.#sink.changing() };
    });
    while (this.#reading) {
      this.#step(this.#reading);
      yield;
    }
  }

  /** The copy cannot be what the file is. */
  failed(error: Error): void {
    this.#sink.failed(error);
  }

  /** Reads the rest of what is being read in steps. */
  finish(): void {
    while (this.#reading) this.#step(this.#reading);
  }

  #step({ steps, received }: BeingRead): void {
    this.#guarded(() => {
      const { done, value } = steps.next();
      if (!done) return;
      this.#reading = undefined;
      received(value);
    });
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#reading = undefined;
      this.#sink.failed(error);
    }
  }

  /** Undefined: there are no changes. */
  #next(): Generator<void, ChangedPages> | undefined {
    const count = this.#framesInLog();
    if (count === 0) return undefined;
    this.#descriptor ??= openSync(`${this.#path}-wal`, "r");
    readFully(this.#descriptor, this.#header, 0);
    const salts = this.#header.toString("latin1", SALTS_AT, SALTS_AT + SALTS_BYTES);
    if (salts !== this.#salts) this.#frames = 0;
    this.#salts = salts;
    if (count <= this.#frames) return undefined;
    const steps = stepsOf(this.#descriptor, this.#header.readUInt32BE(PAGE_SIZE_AT), this.#frames, count);
    this.#frames = count;
    return steps;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Reads the frames from `first` up to `end`. */
function* stepsOf(
  descriptor: number,
  pageSize: number,
  first: number,
  end: number,
): Generator<void, ChangedPages> {
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const framesPerStep = Math.ceil(STEP_BYTES / frameBytes);
  const pages = new Map<number, Uint8Array>();
  let size = 0;
  for (let frame = first; frame < end; frame += framesPerStep) {
    if (frame > first) yield;
    const bytes = Buffer.allocUnsafe(Math.min(framesPerStep, end - frame) * frameBytes);
    readFully(descriptor, bytes, HEADER_BYTES + frame * frameBytes);
    for (let at = 0; at < bytes.length; at += frameBytes) {
      const page = bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
      pages.set(bytes.readUInt32BE(at + PAGE_NUMBER_AT), page);
    }
    size = bytes.readUInt32BE(bytes.length - frameBytes + DATABASE_SIZE_AT);
  }
  if (size === 0) throw new Error("the WAL does not end with a commit");
  return { pageSize, size, pages };
}

function toEnd(steps: Generator<void, ChangedPages>): ChangedPages {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function readFully(descriptor: number, into: Uint8Array, from: number): void {
  for (let at = 0; at < into.length;) {
    const count = readSync(descriptor, into, at, into.length - at, from + at);
    if (count === 0) throw new Error("the WAL is shorter than SQLite says");
    at += count;
  }
}
