// Bounds concurrent deliveries. Hooks whose last attempt failed share only part of the slots, so that unresponsive receivers never take them all.

import { Semaphore } from "../../kit/concurrency/semaphore.ts";

export const AT_ONCE_MAX = 8;
/** The slots available to attempts after a failure. */
export const AFTER_FAILURE_AT_ONCE_MAX = 4;

export type Lane = "first" | "after failure";

export class Places {
  readonly #all = new Semaphore(AT_ONCE_MAX);
  readonly #afterFailure = new Semaphore(AFTER_FAILURE_AT_ONCE_MAX);

  /** Runs `work` once a slot is free. */
  run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const inSlot = () => this.#all.run(work);
    return lane === "first" ? inSlot() : this.#afterFailure.run(inSlot);
  }
}
