// The runs of gears in this process, by id, so that a person can end one.

interface Running {
  readonly cancel: AbortController;
  readonly over: Promise<void>;
}

export class RunningGears {
  readonly #runs = new Map<number, Running>();

  /** Calls `work` with a signal that aborts with `signal`, or when the run is cancelled. Raises what `work` raises. */
  async during<T>(id: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancel = new AbortController();
    const over = Promise.withResolvers<void>();
    this.#runs.set(id, { cancel, over: over.promise });
    try {
      return await work(AbortSignal.any([signal, cancel.signal]));
    } finally {
      this.#runs.delete(id);
      over.resolve();
    }
  }

  /** Resolves once its end is recorded; at once for a run that is not running here. */
  async cancel(id: number): Promise<void> {
    const running = this.#runs.get(id);
    running?.cancel.abort();
    await running?.over;
  }
}
