// Time, read here and passed in everywhere else, so that tests can set it.
// Stored times are integers: milliseconds since the epoch, UTC. Shown times are RFC 3339.

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

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

/** Processor time of this thread, ms. A deadline for work counts it, since a busy machine makes time of the clock pass without work. */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}

const US_PER_MS = 1_000;

/** For waits that a test has to end itself. */
export interface Timers {
  /** Calls `run` once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The longest time that work in steps may block everything else. All such work shares it in each turn of the event loop. */
const STRETCH_MS = 5;
/** For steps of about a microsecond, next to which reading the clock is expensive: it is read once per this many. */
export const LIGHT_STEPS = 16;

/** On the monotonic clock; undefined: no work in steps has run in this turn of the event loop. */
let stretchEnd: number | undefined;
/** In this turn of the event loop, work that yielded was resumed. */
let hasResumed = false;
/** In order of arrival. */
const yielding: (() => void)[] = [];
let lastTurn: Promise<void> = Promise.resolve();

/**
 * Yields to the event loop, between two stretches of long work. However many yield at once, a turn of the event loop resumes them one after another
 * only as long as its stretch lasts; the rest follows in the next turns.
 */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    yielding.push(resolve);
    setImmediate(resumeNext);
  });
}

/** Before work of a few milliseconds without an await: resolves after the work of those who asked before, in a turn of the event loop with time left. */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => (isStretchOver() ? turnOfOthers() : undefined));
  return lastTurn;
}

/** Tells a loop when to yield: `if (stretch.isOver()) await turnOfOthers()`. */
export class Stretch {
  readonly #stepsPerLook: number;
  #steps = 0;

  constructor(stepsPerLook = 1) {
    this.#stepsPerLook = stepsPerLook;
    stretchEnd ??= begunStretch();
  }

  /** Called once per step. */
  isOver(): boolean {
    return ++this.#steps % this.#stepsPerLook === 0 && isStretchOver();
  }
}

function resumeNext(): void {
  // The first one always runs, or else other work could keep it waiting forever.
  if (hasResumed && isStretchOver()) return void setImmediate(resumeNext);
  if (!hasResumed) stretchEnd = begunStretch();
  hasResumed = true;
  yielding.shift()!();
}

function isStretchOver(): boolean {
  return performance.now() >= (stretchEnd ??= begunStretch());
}

function begunStretch(): number {
  if (stretchEnd === undefined) setImmediate(endTurn);
  return performance.now() + STRETCH_MS;
}

function endTurn(): void {
  stretchEnd = undefined;
  hasResumed = false;
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
