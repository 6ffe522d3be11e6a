// Time, read here and passed in everywhere else, so that tests can set it.
// Stored times are integers: milliseconds since the epoch, UTC. Shown times are RFC 3339.

import { setImmediate } from "node:timers/promises";

export interface Clock {
  /** Wall clock, ms since the epoch, UTC. For records. */
  now(): number;
  /** Monotonic, ms with fractions. For durations and deadlines. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

/** Yields to the event loop, between two stretches of long work. */
export function turnOfOthers(): Promise<void> {
  return setImmediate();
}

/** The longest time that a stretch of work may block everything else. */
const STRETCH_MS = 5;
/** Reading the clock is expensive compared with short work, so it is read once per this many steps. */
const STEPS_PER_LOOK = 16;

/** Tells a loop when to yield: `if (stretch.isOver()) await turnOfOthers()`. Each step of the loop must be much shorter than a stretch. */
export class Stretch {
  #steps = 0;
  #end = performance.now() + STRETCH_MS;

  /** Called once per step. After it returns true, a new stretch begins. */
  isOver(): boolean {
    if (++this.#steps % STEPS_PER_LOOK !== 0 || performance.now() < this.#end) return false;
    this.#end = performance.now() + STRETCH_MS;
    return true;
  }
}

/** RFC 3339, UTC, milliseconds: `2026-11-21T06:20:00.000Z`. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

/** As `rfc3339`; null stays null. */
export function rfc3339OrNull(ms: number | null): string | null {
  return ms === null ? null : rfc3339(ms);
}

/** A date without a time means midnight, UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Parses RFC 3339 or a date, to ms. Undefined for anything else; `Date.parse` would accept much of it. */
export function timeOf(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** UTC day of a time, `2026-11-21`: the unit of daily budgets. */
export function utcDay(ms: number): string {
  return rfc3339(ms).slice(0, 10);
}
