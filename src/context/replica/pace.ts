// Paces the daemon's requests, so that changes that follow each other closely do not use up the server's limit. Pure; the caller has the clock.

/** The requests that may follow each other at once: five cycles of two. */
export const REQUESTS_AT_ONCE = 10;
/** The allowance grows by one request per this time, up to `REQUESTS_AT_ONCE`. */
export const REQUEST_EVERY_MS = 2_000;
/** A server counts the requests of a minute, so a large exchange delays the next cycle by no more than that. */
const DEBT_MS_MAX = 60_000;

export class Pace {
  readonly #elapsed: () => number;
  /** When the allowance is complete. */
  #fullAt: number;

  /** `elapsed`: a monotonic clock in ms. Begins with the whole allowance. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#fullAt = elapsed();
  }

  /** Milliseconds until the allowance has one request; 0: the next cycle may begin. */
  get waitMs(): number {
    return Math.max(0, this.#fullAt - this.#elapsed() - (REQUESTS_AT_ONCE - 1) * REQUEST_EVERY_MS);
  }

  /** Takes the requests of a cycle from the allowance, which may become negative. */
  spent(requests: number): void {
    const now = this.#elapsed();
    const latest = now + (REQUESTS_AT_ONCE - 1) * REQUEST_EVERY_MS + DEBT_MS_MAX;
    this.#fullAt = Math.min(Math.max(this.#fullAt, now) + requests * REQUEST_EVERY_MS, latest);
  }
}
