// How many requests a caller may make in a minute. A caller is the token that was proven, else the address: a guess at a token counts for
// the address that made it, never for the token's owner. The two are counted apart, so that a flood of addresses forgets no token.

import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Caller } from "../identity/caller.ts";
import { countedTogether, type ClientAddresses } from "../../kit/http/client-address.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 20_000;

interface Window {
  start: number;
  used: number;
}

export interface RateLimitSettings {
  readonly enabled: boolean;
  readonly requestsPerMinute: number;
}

export class RateLimits {
  readonly #clock: Clock;
  readonly #settings: RateLimitSettings;
  readonly #addresses: ClientAddresses;
  readonly #proven = new Map<string, Window>();
  readonly #unproven = new Map<string, Window>();
  /** Requests refused since the start. */
  refused = 0;

  constructor(clock: Clock, settings: RateLimitSettings, addresses: ClientAddresses) {
    this.#clock = clock;
    this.#settings = settings;
    this.#addresses = addresses;
  }

  /**
   * Finds out who calls and counts the request. Raises `rate_limited`, and what `find` raises. `tell` hears of the first refusal of a
   * minute: the others would only fill the record.
   */
  counted(exchange: Exchange, find: () => Caller, tell: (error: AppError, caller?: Caller) => void): Caller {
    if (!this.#settings.enabled) return find();
    let caller: Caller;
    try {
      caller = find();
    } catch (error) {
      this.#take(this.#unproven, countedTogether(this.#addresses.of(exchange)), exchange, tell);
      throw error;
    }
    // Whoever can read the data directory is not slowed down.
    if (caller.auth === "local") return caller;
    const key = caller.tokenId === null ? `name ${caller.name}` : `token ${caller.tokenId}`;
    this.#take(this.#proven, key, exchange, (error) => tell(error, caller));
    return caller;
  }

  #take(
    windows: Map<string, Window>,
    key: string,
    exchange: Exchange,
    tell: (error: AppError) => void,
  ): void {
    const now = this.#clock.elapsed();
    let window = windows.get(key);
    if (!window || now - window.start >= WINDOW_MS) {
      // Anew at the end, so that the first ones are the oldest.
      windows.delete(key);
      if (windows.size >= KEYS_MAX) windows.delete(windows.keys().next().value!);
      window = { start: now, used: 0 };
      windows.set(key, window);
    }
    window.used += 1;
    const limit = this.#settings.requestsPerMinute;
    const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (now - window.start)) / 1000));
    exchange.allowance = { limit, remaining: Math.max(0, limit - window.used), resetSeconds };
    if (window.used <= limit) return;
    this.refused += 1;
    const error = new AppError(
      "rate_limited",
      `more than ${limit} requests in a minute; try again in ${resetSeconds} s`,
      { retry_after_seconds: resetSeconds, limit },
    );
    if (window.used === limit + 1) tell(error);
    throw error;
  }
}

/** `X-RateLimit-*` of an answer, where the request was counted. */
export function withAllowance(response: Response, { allowance }: Exchange): Response {
  if (!allowance) return response;
  response.headers.set("X-RateLimit-Limit", String(allowance.limit));
  response.headers.set("X-RateLimit-Remaining", String(allowance.remaining));
  response.headers.set("X-RateLimit-Reset", String(allowance.resetSeconds));
  return response;
}
