// Goal: the chart of usage has a column for every day, stacks the series in one order, marks days whose cost is not all known, and has a round axis.

import { expect, test } from "bun:test";
import type { UsageDays } from "../../../src/service/usage/schema.ts";
import { chartOf, ticksOf } from "../../../web/parts/usage/usage-columns.ts";

const row = (
  day: string,
  id: number | null,
  input: number,
  cost: number | null,
): UsageDays["rows"][number] => ({
  day,
  id,
  name: id === null ? "others" : `agent ${id}`,
  calls: 1,
  unreported_calls: 0,
  input_tokens: input,
  cached_input_tokens: 0,
  output_tokens: 1,
  cost,
  unpriced_calls: cost === null ? 1 : 0,
});

const USAGE: UsageDays = {
  from: "2026-02-27",
  to: "2026-03-01",
  rows: [
    row("2026-02-27", null, 900, 1),
    row("2026-02-27", 2, 9, 2),
    row("2026-03-01", 1, 99, 0.5),
    row("2026-03-01", 2, 19, null),
  ],
};

test("stacks tokens by day, the largest series first and the others last", () => {
  const { columns, series, max } = chartOf(USAGE, "tokens");
  expect(series.map(({ name }) => name)).toEqual(["agent 1", "agent 2", "others"]);
  expect(columns.map(({ day, total, unknown }) => [day, total, unknown])).toEqual([
    ["2026-02-27", 911, false],
    ["2026-02-28", 0, false],
    ["2026-03-01", 120, false],
  ]);
  expect(columns[2]!.pieces.map(({ series: of, from, value }) => [of.name, from, value])).toEqual([
    ["agent 1", 0, 100],
    ["agent 2", 100, 20],
  ]);
  expect(max).toBe(911);
});

test("marks the days whose cost is not all known", () => {
  const { columns, max } = chartOf(USAGE, "cost");
  expect(columns.map(({ total, unknown }) => [total, unknown])).toEqual([
    [3, false],
    [0, false],
    [0.5, true],
  ]);
  expect(max).toBe(3);
  expect(chartOf({ ...USAGE, rows: [] }, "cost")).toMatchObject({ series: [], max: 0 });
});

test.each([
  [0, "tokens", [0]],
  [1, "tokens", [0, 1]],
  [3, "tokens", [0, 1, 2, 3]],
  [7, "tokens", [0, 2, 4, 6, 8]],
  [9, "tokens", [0, 5, 10]],
  [22_435, "tokens", [0, 10_000, 20_000, 30_000]],
  [100_000, "tokens", [0, 25_000, 50_000, 75_000, 100_000]],
  [0.3, "cost", [0, 0.1, 0.2, 0.3]],
  [0.000_38, "cost", [0, 0.0001, 0.0002, 0.0003, 0.0004]],
  [9, "cost", [0, 2.5, 5, 7.5, 10]],
] as const)("the axis up to %p %s is round", (max, measure, ticks) => {
  expect(ticksOf(max, measure)).toEqual([...ticks]);
});
