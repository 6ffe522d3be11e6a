// A weighted semaphore: admits work while the total weight fits the capacity, in order of arrival.

import type { AppError } from "../error.ts";

interface Crowd {
  /** The maximum number of waiters. */
  readonly waitingMax: number;
  /** Creates the error for one waiter more. */
  readonly refusal: () => AppError;
}

interface Entry {
  readonly weight?: number;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
  readonly waits?: () => void;
}

interface Waiting {
  readonly weight: number;
  readonly enter: () => void;
}

export class Semaphore {
  readonly #capacity: number;
  readonly #crowd: Crowd | undefined;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #inside = 0;

  /** Without `crowd`, the callers limit the number of waiters. */
  constructor(capacity: number, crowd?: Crowd) {
    this.#capacity = capacity;
    this.#crowd = crowd;
  }

  /**
   * Resolves to a release function once there is room; only its first call has an effect. A weight above the capacity takes all of it.
   * Calls `waits` if there is no room yet. Raises the reason of an aborted signal, and the error of `crowd` when too many wait.
   */
  async enter({ weight = 1, signal, waits }: Entry = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const counted = Math.min(weight, this.#capacity);
    if (this.#waiting.size === 0 && this.#inside + counted <= this.#capacity) this.#inside += counted;
    else await this.#turn(counted, signal, waits);
    let isInside = true;
    return () => {
      if (isInside) this.#leave(counted);
      isInside = false;
    };
  }

  /** Runs `work` once there is room. Raises as `enter`, and whatever `work` raises. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #turn(weight: number, signal?: AbortSignal, waits?: () => void): Promise<void> {
    if (this.#crowd && this.#waiting.size >= this.#crowd.waitingMax) throw this.#crowd.refusal();
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { weight, enter: turn.resolve };
    const giveUp = () => {
      if (!this.#waiting.delete(waiting)) return;
      turn.reject(signal?.reason);
      // The next waiters may fit into the free room.
      this.#admit();
    };
    this.#waiting.add(waiting);
    signal?.addEventListener("abort", giveUp, { once: true });
    waits?.();
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #leave(weight: number): void {
    this.#inside -= weight;
    this.#admit();
  }

  /** Takes the weight synchronously, so that no other caller can take it first. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#inside + waiting.weight > this.#capacity) return;
      this.#waiting.delete(waiting);
      this.#inside += waiting.weight;
      waiting.enter();
    }
  }
}
