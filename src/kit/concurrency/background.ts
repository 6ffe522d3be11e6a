// Background work, awaited at shutdown. No other code leaves a promise unawaited.

import { LATE, within } from "./deadline.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";

/** Work that callers await and that must end before its resources are closed. */
export class Ongoing {
  readonly #work = new Set<Promise<unknown>>();

  get size(): number {
    return this.#work.size;
  }

  /** Returns `work`. */
  keep<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const forget = () => void this.#work.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work has settled, including work that began in the meantime. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}

/** Runs work that no caller awaits: named, caught and logged. */
export class Background {
  readonly #log: Log;
  readonly #ongoing = new Ongoing();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts `work` now. Logs a failure under `name` and does not rethrow it. */
  run(name: string, work: () => Promise<unknown>): void {
    const task = Promise.try(work).catch((error: unknown) =>
      this.#log.error("background task failed", { task: name, error: messageOf(error) }),
    );
    void this.#ongoing.keep(task);
  }

  /** Waits for all work, including work that starts in the meantime; gives up after `deadlineMs`. */
  async settle(deadlineMs: number): Promise<"settled" | "deadline"> {
    return (await within(deadlineMs, this.ended())) === LATE ? "deadline" : "settled";
  }

  ended(): Promise<void> {
    return this.#ongoing.ended();
  }
}
