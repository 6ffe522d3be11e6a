// Waiting that ends: for so long, until a signal, or for some work but no longer than a deadline. Nothing is left behind, neither a timer nor
// a listener.

import { setTimeout as sleep } from "node:timers/promises";

export const LATE = Symbol("late");

/** The value of `work`, or `LATE` when it takes longer than `ms`; it goes on then, and what becomes of it is for its owner. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  // A plain timer: every request with a body waits this way, and a signal to stop the sleep costs ten times as much.
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(late.resolve, ms, LATE);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for so long, or until the signal, whichever comes first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
