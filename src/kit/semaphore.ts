// Lets work in while its weights together stay below a capacity; the rest waits, in the order in which it came.

import type { AppError } from "./error.ts";

interface Crowd {
  /** Those who may wait at once. */
  readonly waitingMax: number;
  /** Raised for one more. */
  readonly refusal: () => AppError;
}

interface Waiting {
  readonly weight: number;
  readonly enter: () => void;
}

export class Semaphore {
  readonly #capacity: number;
  readonly #crowd: Crowd | undefined;
  /** In order. */
  readonly #waiting = new Set<Waiting>();
  #inside = 0;

  /** Without `crowd`, those who wait are bounded by their callers. */
  constructor(capacity: number, crowd?: Crowd) {
    this.#capacity = capacity;
    this.#crowd = crowd;
  }

  /**
   * Resolves when there is room, to a function that leaves again; only its first call counts. A weight above the capacity counts as all of it.
   * Raises the signal's reason when it is aborted before, and the refusal of a crowd.
   */
  async enter({ weight = 1, signal }: { weight?: number; signal?: AbortSignal } = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const counted = Math.min(weight, this.#capacity);
    if (this.#waiting.size === 0 && this.#inside + counted <= this.#capacity) this.#inside += counted;
    else await this.#turn(counted, signal);
    let isInside = true;
    return () => {
      if (isInside) this.#leave(counted);
      isInside = false;
    };
  }

  /** `work`, when there is room. Raises as `enter`, and what `work` raises. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(signal && { signal });
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #turn(weight: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#crowd && this.#waiting.size >= this.#crowd.waitingMax) throw this.#crowd.refusal();
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { weight, enter: turn.resolve };
    const giveUp = () => {
      if (!this.#waiting.delete(waiting)) return;
      turn.reject(signal?.reason);
      // Those behind may be small enough for the room that there is.
      this.#admit();
    };
    this.#waiting.add(waiting);
    signal?.addEventListener("abort", giveUp, { once: true });
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

  /** A caller that enters takes its share at once, so that no other can take it first. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#inside + waiting.weight > this.#capacity) return;
      this.#waiting.delete(waiting);
      this.#inside += waiting.weight;
      waiting.enter();
    }
  }
}
