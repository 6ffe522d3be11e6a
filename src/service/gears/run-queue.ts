// Lets so many gears run at once and the others wait in order, up to a limit.

import { AppError } from "../../kit/error.ts";
import { Semaphore } from "../../kit/semaphore.ts";

/** The gear was not executed: what asked for it was stopped before its turn came. */
export class NeverStarted extends AppError {
  constructor() {
    super("unavailable", "stopped before it began; gear not executed");
  }
}

export class RunQueue {
  readonly #places: Semaphore;

  constructor(atOnceMax: number, waitingMax: number) {
    const refusal = () =>
      new AppError("unavailable", `${atOnceMax} gears are running and ${waitingMax} wait: try again later`);
    this.#places = new Semaphore(atOnceMax, { waitingMax, refusal });
  }

  /** Runs `work` when its turn has come. Raises `unavailable` when too many wait, NeverStarted when the signal is aborted before that. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.#enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#places.enter({ signal });
    } catch (error) {
      throw signal.aborted ? new NeverStarted() : error;
    }
  }
}
