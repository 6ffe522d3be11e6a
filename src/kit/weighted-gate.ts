// Lets work in while its weights together stay below a capacity; the others wait, in the order in which they came.

interface Waiting {
  readonly weight: number;
  readonly enter: () => void;
}

export class WeightedGate {
  readonly #capacity: number;
  readonly #waiting: Waiting[] = [];
  #inside = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** A weight above the capacity counts as all of it. Resolves to what leaves again, to be called once. */
  async enter(weight: number): Promise<() => void> {
    const counted = Math.min(weight, this.#capacity);
    if (this.#waiting.length > 0 || this.#inside + counted > this.#capacity) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push({ weight: counted, enter: resolve });
      await promise;
    } else this.#inside += counted;
    return () => this.#leave(counted);
  }

  #leave(weight: number): void {
    this.#inside -= weight;
    for (
      let next = this.#waiting[0];
      next && this.#inside + next.weight <= this.#capacity;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#inside += next.weight;
      next.enter();
    }
  }
}
