// Limits the bytes of request bodies that a server holds at once, over all connections, and how slowly a body may arrive. Each caller has a
// share, so that one cannot use the whole budget. A body's claim is released when its request is answered.

import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import { AppError } from "../error.ts";

const MIB = 1024 * 1024;
const RETRY_SECONDS = 5;

export interface BodyBounds {
  /** For bodies held in memory. Must exceed the largest single body, or that body never fits. */
  readonly memoryBytesMax: number;
  readonly memoryBytesPerCallerMax: number;
  /** For bodies spooled to disk. */
  readonly diskBytesMax: number;
  readonly diskBytesPerCallerMax: number;
  /** A body may take this long, plus one second for every `bytesPerSecondMin` bytes received. */
  readonly graceMs: number;
  readonly bytesPerSecondMin: number;
}

const BODY_BOUNDS: BodyBounds = {
  memoryBytesMax: 192 * MIB,
  memoryBytesPerCallerMax: 96 * MIB,
  diskBytesMax: 1024 * MIB,
  diskBytesPerCallerMax: 256 * MIB,
  graceMs: 20_000,
  bytesPerSecondMin: 32 * 1024,
};

/** The bodies of one server. */
export class Bodies {
  readonly memory: BodyBudget;
  readonly disk: BodyBudget;
  readonly graceMs: number;
  readonly #bytesPerSecondMin: number;
  readonly #clock: Clock;

  constructor(bounds: BodyBounds = BODY_BOUNDS, clock: Clock = systemClock) {
    this.memory = new BodyBudget(bounds.memoryBytesMax, bounds.memoryBytesPerCallerMax);
    this.disk = new BodyBudget(bounds.diskBytesMax, bounds.diskBytesPerCallerMax);
    this.graceMs = bounds.graceMs;
    this.#bytesPerSecondMin = bounds.bytesPerSecondMin;
    this.#clock = clock;
  }

  /** Returns a check to call with the bytes received so far; it raises `slow_body`. */
  pace(): (received: number) => void {
    const start = this.#clock.elapsed();
    return (received) => {
      const allowedMs = this.graceMs + (received / this.#bytesPerSecondMin) * 1000;
      if (this.#clock.elapsed() - start > allowedMs) throw slowBody();
    };
  }
}

export function slowBody(): AppError {
  return new AppError("slow_body", "the body arrived too slowly; send it again over a faster connection");
}

export class BodyBudget {
  readonly #bytesMax: number;
  readonly #bytesPerCallerMax: number;
  readonly #byCaller = new Map<string, number>();
  /** Claimed bytes. */
  used = 0;

  constructor(bytesMax: number, bytesPerCallerMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerCallerMax = bytesPerCallerMax;
  }

  claim(caller: string): BodyClaim {
    return new BodyClaim((bytes) => this.#take(caller, bytes));
  }

  /** Raises `unavailable`. A negative number releases bytes. */
  #take(caller: string, bytes: number): void {
    const own = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (bytes > 0 && own > this.#bytesPerCallerMax) throw overBudget("caller", this.#bytesPerCallerMax);
    if (bytes > 0 && this.used + bytes > this.#bytesMax) throw overBudget("server", this.#bytesMax);
    this.used += bytes;
    if (own === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, own);
  }
}

/** The share of a budget that one request holds. */
export class BodyClaim {
  readonly #take: (bytes: number) => void;
  #bytes = 0;

  constructor(take: (bytes: number) => void) {
    this.#take = take;
  }

  /** Raises `unavailable`. */
  grow(bytes: number): void {
    this.#take(bytes);
    this.#bytes += bytes;
  }

  release(): void {
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}

function overBudget(scope: "caller" | "server", limitBytes: number): AppError {
  const whose = scope === "caller" ? "this caller sends" : "callers send";
  return new AppError(
    "unavailable",
    `${whose} more than ${limitBytes} bytes of request bodies at once; try again in ${RETRY_SECONDS} s`,
    { retry_after_seconds: RETRY_SECONDS, limit_bytes: limitBytes, scope },
  );
}
