// A clock that stands still until a test moves it.

import type { Clock } from "../../src/kit/clock.ts";

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Starts at 2026-01-01, noon, UTC. */
export function manualClock(): ManualClock {
  let now = Date.UTC(2026, 0, 1, 12);
  return { now: () => now, elapsed: () => now, advance: (ms) => void (now += ms) };
}
