// The queue of jobs: bounded in number and bytes, and served round-robin by caller, so that a caller with many jobs delays only their own.

import { AppError } from "../error.ts";

const JOBS_MAX = 1_024;
const BYTES_MAX = 256 * 1024 * 1024;
/** The share of one caller, so that others find room. */
const CALLER_SHARE = 0.5;
const RETRY_AFTER_SECONDS = 1;

interface Waiting {
  /** The user's name, for fairness. */
  readonly by: string;
  readonly bytes: number;
}

export class FairQueue<Entry extends Waiting> {
  /** In round-robin order. */
  readonly #byCaller = new Map<string, { readonly entries: Set<Entry>; bytes: number }>();
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  /** Raises `unavailable` with `retry_after_seconds` when the queue, or the caller's share of it, is full. */
  add(entry: Entry): void {
    const own = this.#byCaller.get(entry.by) ?? { entries: new Set<Entry>(), bytes: 0 };
    const isFull = this.#size >= JOBS_MAX || this.#bytes + entry.bytes > BYTES_MAX;
    const hasShare =
      own.entries.size < JOBS_MAX * CALLER_SHARE && own.bytes + entry.bytes <= BYTES_MAX * CALLER_SHARE;
    if (isFull || !hasShare) throw busy();
    own.entries.add(entry);
    own.bytes += entry.bytes;
    this.#byCaller.set(entry.by, own);
    this.#size += 1;
    this.#bytes += entry.bytes;
  }

  /** Returns the oldest job that may run of the next caller who has one; undefined: there is none. */
  take(mayRun: (entry: Entry) => boolean = () => true): Entry | undefined {
    for (const [by, own] of this.#byCaller) {
      const entry = own.entries.values().find(mayRun);
      if (!entry) continue;
      this.remove(entry);
      // To the end of the line.
      if (this.#byCaller.delete(by)) this.#byCaller.set(by, own);
      return entry;
    }
    return undefined;
  }

  remove(entry: Entry): void {
    const own = this.#byCaller.get(entry.by);
    if (!own?.entries.delete(entry)) return;
    own.bytes -= entry.bytes;
    this.#size -= 1;
    this.#bytes -= entry.bytes;
    if (own.entries.size === 0) this.#byCaller.delete(entry.by);
  }
}

export function busy(): AppError {
  return new AppError("unavailable", `too many jobs are queued; try again in ${RETRY_AFTER_SECONDS} s`, {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}
