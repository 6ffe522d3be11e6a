// Estimates tokens that no provider has counted. A worker thread counts (kit/token-count.ts); immutable texts are counted once.

import type { Job } from "../../kit/workers/job.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";

const COUNTS_KEPT_MAX = 100_000;
const TEXT_KEPT_CHARACTERS_MAX = 200;
const DEADLINE_MS = 20_000;
/** Allows a page of entries of the largest size. */
const INPUT_CHARACTERS_MAX = 64 * 1024 * 1024;

export const COUNT_JOB: Job<readonly string[], number[]> = {
  name: "token count",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: (texts) => texts.reduce((sum, text) => sum + text.length, 0),
};

export class TokenCounts {
  readonly #workers: WorkerPool;
  readonly #counts = new Map<string, number>();

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  /**
   * Counts tokens. `keys[i]` identifies an immutable text (an entry), which is counted once; undefined if it may change. `by` names the requester.
   * Raises the errors of the worker pool.
   */
  async of(by: string, texts: readonly string[], keys: readonly (string | undefined)[]): Promise<number[]> {
    const names = texts.map(
      (text, index) => keys[index] ?? (text.length <= TEXT_KEPT_CHARACTERS_MAX ? `text:${text}` : undefined),
    );
    const known = names.map((name) => (name === undefined ? undefined : this.#counts.get(name)));
    const unknown = texts.filter((_, index) => known[index] === undefined);
    const counted = unknown.length === 0 ? [] : await this.#workers.run(COUNT_JOB, unknown, { by });
    let next = 0;
    return known.map((count, index) => count ?? this.#keep(names[index], counted[next++]!));
  }

  #keep(name: string | undefined, count: number): number {
    if (name === undefined) return count;
    if (this.#counts.size >= COUNTS_KEPT_MAX) this.#counts.clear();
    this.#counts.set(name, count);
    return count;
  }
}
