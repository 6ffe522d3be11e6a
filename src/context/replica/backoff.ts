// When the daemon tries again: after the normal interval, or later after failures in a row. Pure; the caller has the clock.

/** Between two cycles without news, and after a single failure. */
export const INTERVAL_MS = 60_000;
const BACKOFF_MAX_MS = 15 * 60_000;
/** Doubling the interval more often than this exceeds the maximum. */
const DOUBLINGS_MAX = 10;

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

  failed(): void {
    this.#failures += 1;
    this.#due = this.#elapsed() + retryDelayMs(this.#failures, this.#intervalMs);
  }

  /** The surroundings changed (the machine woke up), so the next attempt need not wait. Forgives no failure. */
  hurry(): void {
    this.#due = this.#elapsed();
  }
}
