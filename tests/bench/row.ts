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

interface Bound {
  /** Milliseconds unless another is named. */
  readonly unit?: string;
  readonly atMost?: number;
  /** The same figure for the least program. */
  readonly limit?: number;
  /** In other words than `≤ 80 ms`. */
  readonly target?: string;
}

/** A figure that should be small. Without `atMost` it has no target. */
export function figure(
  name: string,
  measured: number,
  { unit = "ms", atMost, limit, target }: Bound = {},
): Row {
  const most = atMost === undefined ? "(no target)" : `≤ ${atMost.toLocaleString("en-US")} ${unit}`.trimEnd();
  return {
    name,
    measured,
    unit,
    ...(limit === undefined ? {} : { limit, ratio: limit / measured }),
    target: target ?? most,
    met: atMost === undefined || measured <= atMost,
  };
}

/** Of values in any order. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** In milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Of a command that succeeds. */
export function timedCommand(command: string[]): Promise<number> {
  return timed(async () => {
    const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "inherit"] });
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
  });
}

/** The median of so many measurements, one after the other. */
export async function medianOf(runs: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < runs; run += 1) values.push(await measure());
  return median(values);
}
