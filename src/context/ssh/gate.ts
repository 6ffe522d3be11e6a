// Keeps count of what sessions are asking the server, so that it closes its spaces only when nobody uses them: a question that came later would open
// them again.

import { within } from "../../kit/concurrency/deadline.ts";
import { stopping } from "../../kit/error.ts";

const CLOSE_MS = 5_000;

export class Gate {
  #running = 0;
  #onIdle: (() => void) | undefined;
  readonly #settled: () => Promise<void> | undefined;
  #isClosed = false;

  /** `settled`: as of `Ground`. */
  constructor(settled: () => Promise<void> | undefined = () => undefined) {
    this.#settled = settled;
  }

  /** Resolves when the answer may be shown. Raises `unavailable` once the server stops, and what `work` raises. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw stopping("server");
    this.#running += 1;
    try {
      const answer = await work();
      await this.#settled();
      return answer;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  /** Admits no new work, and waits for the work in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#running === 0) return;
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    await within(CLOSE_MS, idle.promise);
  }
}
