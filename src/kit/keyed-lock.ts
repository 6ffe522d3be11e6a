// One after the other for what shares a key, side by side for the rest. For work that waits in the middle (disk, network); what only
// touches the database needs no lock, since its transactions are synchronous.

export class KeyedLock<Key> {
  readonly #last = new Map<Key, Promise<void>>();

  /** In the order of the calls. A failure goes to its own caller only. */
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
