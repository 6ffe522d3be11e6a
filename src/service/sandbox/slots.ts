// How many containers may be starting at one moment. Each start costs the machine a fifth of a second of processor time, and many at
// once would take it from everything else. Who waits here waits for its start, so the same deadline covers both.

import { AppError } from "../../kit/error.ts";
import { Semaphore } from "../../kit/semaphore.ts";

export const STARTS_AT_ONCE_MAX = 3;

export class StartSlots {
  readonly #slots = new Semaphore(STARTS_AT_ONCE_MAX);

  /** Resolves with what gives the slot back. Raises `unavailable` when none is free before the deadline. */
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
