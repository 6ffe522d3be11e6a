// How often something took how long, in buckets of Prometheus' text format: each counts what took at most so long.

export class Histogram {
  readonly #limits: readonly number[];
  readonly #buckets: number[];
  #count = 0;
  #seconds = 0;

  /** `limits`: seconds, ascending. */
  constructor(limits: readonly number[]) {
    this.#limits = limits;
    this.#buckets = limits.map(() => 0);
  }

  get count(): number {
    return this.#count;
  }

  observe(seconds: number): void {
    this.#count += 1;
    this.#seconds += seconds;
    for (const [index, limit] of this.#limits.entries()) if (seconds <= limit) this.#buckets[index]! += 1;
  }

  lines(name: string): string[] {
    return [
      ...this.#limits.map((limit, index) => `${name}_bucket{le="${limit}"} ${this.#buckets[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#seconds}`,
      `${name}_count ${this.#count}`,
    ];
  }
}
