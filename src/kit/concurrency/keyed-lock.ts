// Serializes work that shares a key; other work runs in parallel. For work that awaits the disk or the network. Work that only uses the
// database needs no lock, because transactions are synchronous.

export class KeyedLock<Key> {
  readonly #last = new Map<Key, Promise<void>>();

  /** Runs in call order. An error reaches only its own caller. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = Promise.withResolvers<void>();
    this.#last.set(key, done.promise);
    try {
      await before;
      return await work();
    } finally {
      done.resolve();
      if (this.#last.get(key) === done.promise) this.#last.delete(key);
    }
  }
}
