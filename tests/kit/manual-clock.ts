// A clock that stands still until a test moves it, with timers that end when it does.

import type { Clock, Timers } from "../../src/kit/clock.ts";

export interface ManualClock extends Clock, Timers {
  /** Ends the timers that are due on the way, each at its time. */
  advance(ms: number): void;
  /** The rest of every timer, in ms, the shortest first. */
  waits(): number[];
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

interface ManualTimer {
  readonly due: number;
  readonly run: () => void;
}

/** Starts at 2026-01-01, noon, UTC. */
export function manualClock(): ManualClock {
  let now = Date.UTC(2026, 0, 1, 12);
  const timers = new Set<ManualTimer>();
  const inOrder = () => [...timers].sort((a, b) => a.due - b.due);
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer = { due: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    waits: () => inOrder().map(({ due }) => due - now),
    advance(ms) {
      const end = now + ms;
      for (let next = inOrder()[0]; next && next.due <= end; next = inOrder()[0]) {
        timers.delete(next);
        now = Math.max(now, next.due);
        next.run();
      }
      now = end;
    },
  };
}
