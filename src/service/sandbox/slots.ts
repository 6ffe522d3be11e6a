// How many containers may be starting at one moment. Each start costs the machine a fifth of a second of processor time, and many at
// once would take it from everything else. Who waits here waits for its start, so the same deadline covers both.

import { AppError } from "../../kit/error.ts";

export const STARTS_AT_ONCE_MAX = 3;

export class StartSlots {
  #free = STARTS_AT_ONCE_MAX;
  /** Those who wait, first come first served; bounded by the calls that may run at once. */
  readonly #waiting = new Set<() => void>();

  /** Resolves with what gives the slot back. Raises `unavailable` when none is free before the deadline. */
  async take(deadlineMs: number): Promise<() => void> {
    if (this.#free === 0) await this.#wait(deadlineMs);
    else this.#free--;
    let held = true;
    return () => {
      if (held) this.#giveBack();
      held = false;
    };
  }

  async #wait(deadlineMs: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(turn.resolve);
      turn.reject(notStartedInTime());
    }, deadlineMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** To the one who waits longest, if anyone does. */
  #giveBack(): void {
    const [next] = this.#waiting;
    if (!next) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

export function notStartedInTime(): AppError {
  return new AppError(
    "unavailable",
    "the container daemon did not start a container in time; gears can't run until it does",
  );
}
