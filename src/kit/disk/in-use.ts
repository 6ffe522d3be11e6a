// Waits for data that another process has open: a database takes one process at a time.

import type { Clock } from "../clock.ts";
import { AppError } from "../error.ts";

/** Most commands take milliseconds. A backup or an adoption can take longer than this. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Reports whether opening something failed because another process has it open. */
export function isInUse(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.["in_use"] === true;
}

/**
 * Opens something as soon as no other process uses it. `onWait` is called once, before the first wait, with what `open` raised. Raises `conflict` with `details.in_use`
 * after WAIT_MS, and everything else that `open` raises at once.
 */
export async function openWhenFree<T>(
  open: () => T | Promise<T>,
  clock: Clock,
  onWait: (error: AppError) => void | Promise<void> = () => {},
): Promise<T> {
  const start = clock.elapsed();
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isInUse(error) || clock.elapsed() - start > WAIT_MS) throw error;
      if (tries === 1) await onWait(error);
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
}
