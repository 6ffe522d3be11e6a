// Limits concurrent runs of gears. The rest wait in order, up to a limit.

import { AppError } from "../../kit/error.ts";
import { Semaphore } from "../../kit/concurrency/semaphore.ts";
import { plural } from "../../kit/text/amounts.ts";

/** The gear was not executed, because its caller was stopped while it was queued. */
export class NeverStarted extends AppError {
  constructor() {
    super("unavailable", "stopped before it began; gear not executed");
  }
}

export class RunQueue {
  readonly #places: Semaphore;

  constructor(atOnceMax: number, waitingMax: number) {
    const refusal = () =>
      new AppError(
        "unavailable",
        `${plural(atOnceMax, "gear is", "gears are")} running and ${plural(waitingMax, "is", "are")} queued; try again later`,
      );
    this.#places = new Semaphore(atOnceMax, { waitingMax, refusal });
  }

  /**
   * Runs `work` when a place is free, and calls `waits` if none is. Raises `unavailable` when the queue is full, NeverStarted when the signal is
   * aborted first.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>, waits: () => void = () => {}): Promise<T> {
    const leave = await this.#enter(signal, waits);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #enter(signal: AbortSignal, waits: () => void): Promise<() => void> {
    try {
      return await this.#places.enter({ signal, waits });
    } catch (error) {
      throw signal.aborted ? new NeverStarted() : error;
    }
  }
}
