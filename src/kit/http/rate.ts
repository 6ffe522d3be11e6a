// Limits how often a caller may do something per minute, counted from the first time. Bounded: a flood of keys cannot grow it without limit.

import type { Clock } from "../clock.ts";
import { AppError } from "../error.ts";
import type { Allowance } from "./exchange.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 20_000;

interface RateLimitSettings {
  readonly perMinute: number;
  /** Named in the error. */
  readonly of: "attempts" | "requests";
}

interface Window {
  start: number;
  used: number;
}

export class RateLimit {
  readonly #clock: Clock;
  readonly #settings: RateLimitSettings;
  /** Ordered by the start of their minute. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, settings: RateLimitSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /**
   * Counts one call. Raises `rate_limited` with `retry_after_seconds` above the limit of the minute. `tell` always receives the
   * remaining allowance, but only the first refusal of a minute, so that refusals do not flood the record.
   */
  take(key: string, tell: (left: Allowance, firstRefusal?: AppError) => void = () => {}): void {
    const { perMinute: limit, of } = this.#settings;
    const now = this.#clock.elapsed();
    const window = this.#window(key, now);
    window.used += 1;
    const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (now - window.start)) / 1000));
    const left = { limit, remaining: Math.max(0, limit - window.used), resetSeconds };
    if (window.used <= limit) return tell(left);
    const refusal = new AppError("rate_limited", `too many ${of}; try again in ${resetSeconds} s`, {
      retry_after_seconds: resetSeconds,
      limit,
    });
    tell(left, window.used === limit + 1 ? refusal : undefined);
    throw refusal;
  }

  #window(key: string, now: number): Window {
    const open = this.#windows.get(key);
    if (open && now - open.start < WINDOW_MS) return open;
    this.#windows.delete(key);
    if (this.#windows.size >= KEYS_MAX) this.#windows.delete(this.#windows.keys().next().value!);
    const window = { start: now, used: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
