// Makes readers wait while a change is written in steps, so that none of them sees half of it.

import { turnOfOthers } from "./clock.ts";

export class StepGate {
  #reading = 0;
  #closed: PromiseWithResolvers<void> | undefined;
  #lastLeft: (() => void) | undefined;

  /** Is it being changed, or about to be? */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** For a reader that is done before anybody else runs: ask `isClosed` first, this costs a turn. */
  async opened(): Promise<void> {
    while (this.#closed) await this.#closed.promise;
  }

  /** For a reader that pauses. It must not wait for another reader or a change inside. */
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

  /** One change at a time, once those who read have left. Who comes to read meanwhile waits for its end. */
  async change<T>(run: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed.promise;
    const closed = (this.#closed = Promise.withResolvers<void>());
    try {
      // Readers that have just been let in finish first.
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
