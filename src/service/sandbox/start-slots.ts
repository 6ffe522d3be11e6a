// Limits concurrent container starts. Each takes a fifth of a second of processor time, so that many at once would starve everything else.
// Waiting for a slot is part of the start, so one deadline covers both.

import { AppError } from "../../kit/error.ts";
import { Semaphore } from "../../kit/concurrency/semaphore.ts";

const STARTS_AT_ONCE_MAX = 3;

export class StartSlots {
  readonly #slots = new Semaphore(STARTS_AT_ONCE_MAX);

  /** Takes a slot, and returns the function that releases it. Raises `unavailable` when none is free before the deadline. */
  async take(deadlineMs: number): Promise<() => void> {
    try {
      return await this.#slots.enter({ signal: AbortSignal.timeout(deadlineMs) });
    } catch {
      throw notStartedInTime();
    }
  }
}

export function notStartedInTime(): AppError {
  return new AppError(
    "unavailable",
    "the container daemon did not start a container in time; gears cannot run until it does",
  );
}
