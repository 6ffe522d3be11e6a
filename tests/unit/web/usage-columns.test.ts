// Goal: the chart of usage has a column for every day, stacks the series in one order, and marks days whose cost is not all known.

import { expect, test } from "bun:test";
import type { UsageDays } from "../../../src/service/usage/schema.ts";
import { chartOf } from "../../../web/parts/usage/usage-columns.ts";

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
