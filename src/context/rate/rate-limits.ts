// Limits the requests per minute of each caller. The key is the authenticated token, or else the client address: guessing a token counts
// against the address that guessed, never against the token's owner. The two are counted separately, so a flood of addresses evicts no token.

import type { Clock } from "../../kit/clock.ts";
import type { AppError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { countedTogether, type ClientAddresses } from "../../kit/http/client-address.ts";
import { RateLimit } from "../../kit/http/rate.ts";
import type { Caller } from "../identity/caller.ts";

interface RateLimitConfig {
  readonly enabled: boolean;
  readonly requestsPerMinute: number;
}

export class RateLimits {
  readonly #isEnabled: boolean;
  readonly #addresses: ClientAddresses;
  readonly #proven: RateLimit;
  readonly #unproven: RateLimit;
  /** Requests refused since the server started. */
  refused = 0;

  constructor(clock: Clock, { enabled, requestsPerMinute }: RateLimitConfig, addresses: ClientAddresses) {
    const settings = { perMinute: requestsPerMinute, of: "requests" } as const;
    this.#isEnabled = enabled;
    this.#addresses = addresses;
    this.#proven = new RateLimit(clock, settings);
    this.#unproven = new RateLimit(clock, settings);
  }

  /**
   * Authenticates the request with `find` and counts it. Raises `rate_limited`, and whatever `find` raises. `tell` is called only for the first
   * refusal in a minute, so that refusals do not fill the audit record.
   */
  counted(exchange: Exchange, find: () => Caller, tell: (error: AppError, caller?: Caller) => void): Caller {
    if (!this.#isEnabled) return find();
    let caller: Caller;
    try {
      caller = find();
    } catch (error) {
      this.#take(this.#unproven, countedTogether(this.#addresses.of(exchange)), exchange, tell);
      throw error;
    }
    // The local door is not limited: its callers can read the data directory anyway.
    if (caller.auth === "local") return caller;
    const key = caller.tokenId === null ? `name ${caller.name}` : `token ${caller.tokenId}`;
    this.#take(this.#proven, key, exchange, (error) => tell(error, caller));
    return caller;
  }

  #take(limit: RateLimit, key: string, exchange: Exchange, tell: (error: AppError) => void): void {
    try {
      limit.take(key, (left, firstRefusal) => {
        exchange.allowance = left;
        if (firstRefusal) tell(firstRefusal);
      });
    } catch (error) {
      this.refused += 1;
      throw error;
    }
  }
}

/** Sets `X-RateLimit-*` if the request was counted. */
export function withAllowance(response: Response, { allowance }: Exchange): Response {
  if (!allowance) return response;
  response.headers.set("X-RateLimit-Limit", String(allowance.limit));
  response.headers.set("X-RateLimit-Remaining", String(allowance.remaining));
  response.headers.set("X-RateLimit-Reset", String(allowance.resetSeconds));
  return response;
}
