// A limit on attempts for each key (an address) in a sliding minute. Bounded: a flood of keys can't grow it without end.

import type { Clock } from "./clock.ts";
import { AppError } from "./error.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export class AttemptLimit {
  readonly #clock: Clock;
  readonly #attemptsPerMinute: number;
  readonly #attempts = new Map<string, number[]>();

  constructor(clock: Clock, attemptsPerMinute: number) {
    this.#clock = clock;
    this.#attemptsPerMinute = attemptsPerMinute;
  }

  /** Counts one attempt. Raises `rate_limited` with `retry_after_seconds` when the minute's attempts are used up. */
  take(key: string): void {
    const now = this.#clock.elapsed();
    const recent = (this.#attempts.get(key) ?? []).filter((time) => now - time < WINDOW_MS);
    if (recent.length >= this.#attemptsPerMinute) {
      const seconds = Math.ceil((WINDOW_MS - (now - recent[0]!)) / 1000);
      throw new AppError("rate_limited", `too many attempts; try again in ${seconds} s`, {
        retry_after_seconds: seconds,
      });
    }
    recent.push(now);
    this.#attempts.delete(key);
    this.#attempts.set(key, recent);
    if (this.#attempts.size > KEYS_MAX) this.#attempts.delete(this.#attempts.keys().next().value!);
  }
}
