// Bounded waits: for a duration, until a signal, or for work up to a deadline. No timer or listener is left behind.

import { setTimeout as sleep } from "node:timers/promises";
import { systemTimers, type Timers } from "../clock.ts";

export const LATE = Symbol("late");

/** Returns the value of `work`, or `LATE` after `ms`. Late work continues; its owner handles the result. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  timers: Timers = systemTimers,
): Promise<T | typeof LATE> {
  // A plain timer, because every request with a body waits here, and an abortable sleep costs ten times as much.
  const late = Promise.withResolvers<typeof LATE>();
  const cancel = timers.after(ms, () => late.resolve(LATE));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

/** Waits for a duration or until the signal, whichever comes first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The same by timers that are passed in. */
export async function pauseBy(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  const cancel = timers.after(ms, end);
  signal?.addEventListener("abort", end);
  await over.promise;
  signal?.removeEventListener("abort", end);
  cancel();
}

/** Waits for `work` or the signal; returns true if it was the signal. */
export async function untilAborted(signal: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  const aborted = Promise.withResolvers<true>();
  const abort = () => aborted.resolve(true);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work.then(() => false), aborted.promise]);
  } finally {
    work.catch(() => {});
    signal.removeEventListener("abort", abort);
  }
}
