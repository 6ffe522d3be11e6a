// Lets so many gears run at once and the others wait in order, up to a limit.

import { AppError } from "../../kit/error.ts";

/** The gear was not executed: what asked for it was stopped before its turn came. */
export class NeverStarted extends AppError {
  constructor() {
    super("unavailable", "stopped before it began; gear not executed");
  }
}

interface Waiting {
  readonly start: () => void;
}

export class RunQueue {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs `work` when its turn has come. Raises `unavailable` when too many wait, NeverStarted when the signal is aborted before that. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new NeverStarted();
    if (this.#running < this.#atOnceMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.size >= this.#waitingMax) {
      throw new AppError(
        "unavailable",
        `${this.#atOnceMax} gears are running and ${this.#waitingMax} wait: try again later`,
      );
    }
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { start: turn.resolve };
    const leave = () => {
      if (this.#waiting.delete(waiting)) turn.reject(new NeverStarted());
    };
    this.#waiting.add(waiting);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Who starts takes over the place, so that nobody slips in between. */
  #startNext(): void {
    const next = this.#waiting.values().next().value;
    if (!next || this.#running >= this.#atOnceMax) return;
    this.#waiting.delete(next);
    this.#running += 1;
    next.start();
  }
}
