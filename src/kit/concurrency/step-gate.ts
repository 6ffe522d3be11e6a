// Makes readers wait while a change is written in steps, so that none of them sees half of it.

import { turnOfOthers } from "../clock.ts";

export class StepGate {
  #reading = 0;
  #closed: PromiseWithResolvers<void> | undefined;
  #lastLeft: (() => void) | undefined;

  /** Reports whether a change is running or about to run. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** For a synchronous reader: check `isClosed` first, because this costs a turn of the event loop. */
  async opened(): Promise<void> {
    while (this.#closed) await this.#closed.promise;
  }

  /** For a reader with pauses. `run` must not wait for another reader or a change. */
  async read<T>(run: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed.promise;
    this.#reading += 1;
    try {
      return await run();
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#lastLeft?.();
    }
  }

  /** Runs one change at a time, after the current readers finish. New readers wait for its end. */
  async change<T>(run: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed.promise;
    const closed = (this.#closed = Promise.withResolvers<void>());
    try {
      // Readers that were just admitted finish first.
      await turnOfOthers();
      if (this.#reading > 0) await new Promise<void>((resolve) => (this.#lastLeft = resolve));
      return await run();
    } finally {
      this.#lastLeft = undefined;
      this.#closed = undefined;
      closed.resolve();
    }
  }
}
