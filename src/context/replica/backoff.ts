// When the daemon tries again: after the normal interval, or later after failures in a row. Pure; the caller has the clock.

import { HOUR_MS, SECOND_MS } from "../../kit/clock.ts";

/** Between two cycles without news, and after a single failure. */
export const INTERVAL_MS = 60_000;
const BACKOFF_MAX_MS = 15 * 60_000;
/** Doubling the interval more often than this exceeds the maximum. */
const DOUBLINGS_MAX = 10;
/** A server cannot ask for a longer wait. */
const ASKED_MS_MAX = HOUR_MS;

/** `failures`: in a row. The first one retries after the normal interval, each further one doubles it. */
export function retryDelayMs(failures: number, intervalMs = INTERVAL_MS): number {
  const doublings = Math.min(Math.max(0, failures - 1), DOUBLINGS_MAX);
  return Math.min(intervalMs * 2 ** doublings, Math.max(intervalMs, BACKOFF_MAX_MS));
}

export class BackOff {
  readonly #elapsed: () => number;
  readonly #intervalMs: number;
  #failures = 0;
  #due: number;
  /** The server asked for no attempt before. */
  #notBefore = Number.NEGATIVE_INFINITY;

  /** `elapsed`: a monotonic clock in ms. The first attempt is due at once. */
  constructor(elapsed: () => number, intervalMs = INTERVAL_MS) {
    this.#elapsed = elapsed;
    this.#intervalMs = intervalMs;
    this.#due = elapsed();
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until the next attempt; 0: due. */
  get waitMs(): number {
    return Math.max(0, this.#due - this.#elapsed());
  }

  succeeded(): void {
    this.#failures = 0;
    this.#due = this.#elapsed() + this.#intervalMs;
  }

  /** `askedSeconds`: the wait that the server asks for, in place of ours. */
  failed(askedSeconds?: number): void {
    this.#failures += 1;
    const now = this.#elapsed();
    if (askedSeconds === undefined) this.#due = now + retryDelayMs(this.#failures, this.#intervalMs);
    else this.#due = this.#notBefore = now + Math.min(askedSeconds * SECOND_MS, ASKED_MS_MAX);
  }

  /** The surroundings changed (the machine woke up), so the next attempt waits only if the server asked for it. Forgives no failure. */
  hurry(): void {
    this.#due = Math.max(this.#elapsed(), this.#notBefore);
  }
}
