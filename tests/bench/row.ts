// The report of a benchmark. A benchmark is a file `tests/bench/<noun>.bench.ts` that exports `run(): Promise<Row[]>`; it starts and
// stops everything it needs, measures the limit of the machine in the same run, and never fails because a figure is missed.

export interface Row {
  /** The measurement, in a few words. */
  name: string;
  measured: number;
  unit: string;
  /** The same figure for the least program that could do it, in this run on this machine. */
  limit?: number;
  /** measured / limit, for rates; limit / measured, for times: 1 means nothing is left to gain. */
  ratio?: number;
  /** As the specification words it: `≥ 0.6 of bare Bun.serve`, `≤ 80 ms`. */
  target: string;
  met: boolean;
}

export interface Benchmark {
  run(): Promise<Row[]>;
}

/** Of ascending values. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Of values in any order. */
export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
