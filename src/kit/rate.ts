// A limit on attempts for each key (an address) in a sliding minute. Bounded: a flood of keys can't grow it without end.

import type { Clock } from "./clock.ts";
import { AppError } from "./error.ts";
import type { Allowance } from "./http/exchange.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export class AttemptLimit {
  readonly #clock: Clock;
  readonly #attemptsPerMinute: number;
  readonly #attempts = new Map<string, number[]>();
  /** Keys whose last attempt was refused. */
  readonly #refused = new Set<string>();

  constructor(clock: Clock, attemptsPerMinute: number) {
    this.#clock = clock;
    this.#attemptsPerMinute = attemptsPerMinute;
  }

  /**
   * Counts one attempt. Raises `rate_limited` with `retry_after_seconds` when the minute's attempts are used up. `tell` hears what is left
   * either way, and whether it is the first refusal after attempts that were taken.
   */
  take(key: string, tell: (left: Allowance, isFirstRefusal: boolean) => void = () => {}): void {
    const now = this.#clock.elapsed();
    const recent = (this.#attempts.get(key) ?? []).filter((time) => now - time < WINDOW_MS);
    if (recent.length >= this.#attemptsPerMinute) {
      const seconds = secondsLeft(now - recent[0]!);
      const isFirst = !this.#refused.has(key);
      this.#refused.add(key);
      tell({ limit: this.#attemptsPerMinute, remaining: 0, resetSeconds: seconds }, isFirst);
      throw new AppError("rate_limited", `too many attempts; try again in ${seconds} s`, {
        retry_after_seconds: seconds,
      });
    }
    recent.push(now);
    const remaining = this.#attemptsPerMinute - recent.length;
    tell({ limit: this.#attemptsPerMinute, remaining, resetSeconds: secondsLeft(now - recent[0]!) }, false);
    this.#refused.delete(key);
    this.#attempts.delete(key);
    this.#attempts.set(key, recent);
    if (this.#attempts.size > KEYS_MAX) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#attempts.keys().next().value!;
    this.#attempts.delete(oldest);
    this.#refused.delete(oldest);
  }
}

function secondsLeft(sinceMs: number): number {
  return Math.max(1, Math.ceil((WINDOW_MS - sinceMs) / 1000));
}
