// Collects last-used times and writes them in batches, because a write per use would cost every request a commit.

import type { Db } from "./db.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";

const WRITE_INTERVAL_MS = 60_000;

export class LastUsed {
  readonly #db: Db;
  readonly #log: Log;
  readonly #write: (id: number, time: number) => void;
  /** Pending times, by id. */
  readonly #times = new Map<number, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `write` stores one time (ms since the epoch) inside a write. */
  constructor(db: Db, log: Log, write: (id: number, time: number) => void) {
    this.#db = db;
    this.#log = log;
    this.#write = write;
  }

  /** Undefined if the store has the latest time. */
  get(id: number): number | undefined {
    return this.#times.get(id);
  }

  mark(id: number, time: number): void {
    this.#times.set(id, time);
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.flush().catch((error: unknown) =>
        this.#log.error("cannot store the last-used times", { error: messageOf(error) }),
      );
    }, WRITE_INTERVAL_MS);
    this.#timer.unref?.();
  }

  /** Writes the pending times. Also called at shutdown. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const times = [...this.#times];
    this.#times.clear();
    if (times.length === 0) return Promise.resolve();
    return this.#db.write(() => {
      for (const [id, time] of times) this.#write(id, time);
    });
  }
}
