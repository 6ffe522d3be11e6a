// A histogram of durations in Prometheus buckets: each counts durations up to its limit.

export class Histogram {
  readonly #limits: readonly number[];
  /** Counts per bucket, not cumulative; the last counts durations above all limits. */
  readonly #buckets: number[];
  #count = 0;
  #seconds = 0;

  /** `limits`: seconds, ascending. */
  constructor(limits: readonly number[]) {
    this.#limits = limits;
    this.#buckets = [...limits, Infinity].map(() => 0);
  }

  get count(): number {
    return this.#count;
  }

  observe(seconds: number): void {
    this.#count += 1;
    this.#seconds += seconds;
    let bucket = 0;
    while (bucket < this.#limits.length && seconds > this.#limits[bucket]!) bucket += 1;
    this.#buckets[bucket]! += 1;
  }

  lines(name: string): string[] {
    let atMost = 0;
    return [
      ...this.#limits.map(
        (limit, index) => `${name}_bucket{le="${limit}"} ${(atMost += this.#buckets[index]!)}`,
      ),
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#seconds}`,
      `${name}_count ${this.#count}`,
    ];
  }
}
