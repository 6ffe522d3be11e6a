// The columns of the usage chart: one per day, stacked by agent or model. Pure. An unknown cost is no column of height zero: the day is marked.

import type { UsageDays } from "../../../src/service/usage/schema.ts";

type Row = UsageDays["rows"][number];
export type Measure = "tokens" | "cost";

export interface Series {
  readonly key: string;
  readonly id: number | null;
  readonly name: string;
}

export interface Column {
  readonly day: string;
  readonly total: number;
  /** Some calls of this day have no known cost. */
  readonly unknown: boolean;
  readonly pieces: readonly {
    readonly series: Series;
    readonly row: Row;
    readonly from: number;
    readonly value: number;
  }[];
}

export interface Chart {
  readonly columns: readonly Column[];
  /** Largest first; `others` last. */
  readonly series: readonly Series[];
  readonly max: number;
}

const DAY_MS = 86_400_000;
const TICKS_MAX = 4;
/** Of a power of ten. */
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** Round values of the axis, from 0 up to at least `max`; only 0 if nothing was used. */
export function ticksOf(max: number, measure: Measure): readonly number[] {
  if (max <= 0) return [0];
  const least = max / TICKS_MAX;
  const power = 10 ** Math.floor(Math.log10(least));
  const fits = (step: number) => step >= least && (measure === "cost" || Number.isInteger(step));
  const step = ROUND_STEPS.map((one) => one * power).find(fits) ?? 1;
  // Multiplied and rounded, because sums of tenths are not exact.
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

const keyOf = (row: Row) => String(row.id ?? "others");

export function chartOf({ from, to, rows }: UsageDays, measure: Measure): Chart {
  const value = (row: Row) => (measure === "cost" ? (row.cost ?? 0) : row.input_tokens + row.output_tokens);
  const totals = new Map<string, { series: Series; total: number }>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = totals.get(key) ?? { series: { key, id: row.id, name: row.name }, total: 0 };
    totals.set(key, { ...known, total: known.total + value(row) });
  }
  const series = [...totals.values()]
    .toSorted((a, b) => Number(a.series.id === null) - Number(b.series.id === null) || b.total - a.total)
    .map((one) => one.series);
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const columns = daysBetween(from, to).map((day) =>
    columnOf(day, byDay.get(day) ?? [], { series, value, measure }),
  );
  return { columns, series, max: Math.max(0, ...columns.map(({ total }) => total)) };
}

function columnOf(
  day: string,
  rows: readonly Row[],
  drawn: { series: readonly Series[]; value: (row: Row) => number; measure: Measure },
): Column {
  const { series, value, measure } = drawn;
  let total = 0;
  const pieces = series.flatMap((one) => {
    const row = rows.find((candidate) => keyOf(candidate) === one.key);
    if (!row) return [];
    const piece = { series: one, row, from: total, value: value(row) };
    total += piece.value;
    return [piece];
  });
  const unknown = measure === "cost" && rows.some(({ unpriced_calls: calls }) => calls > 0);
  return { day, total, unknown, pieces };
}

function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10),
  );
}
