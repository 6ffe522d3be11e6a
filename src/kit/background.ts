// Work that nobody awaits at once: named, caught, logged, and awaited at shutdown. There are no bare promises elsewhere.

import { LATE, within } from "./deadline.ts";
import { messageOf } from "./error.ts";
import type { Log } from "./log.ts";

export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts `work` now. A failure is logged under `name` and goes no further. */
  run(name: string, work: () => Promise<unknown>): void {
    const task: Promise<void> = Promise.try(work)
      .then(() => {})
      .catch((error: unknown) =>
        this.#log.error("background task failed", { task: name, error: messageOf(error) }),
      )
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Waits until everything that was started has ended, also what starts meanwhile; gives up after `deadlineMs`. */
  async settle(deadlineMs: number): Promise<"settled" | "deadline"> {
    return (await within(deadlineMs, this.#idle())) === LATE ? "deadline" : "settled";
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
