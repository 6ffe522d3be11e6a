// Where an axis of time says how late it is: a few round values. Pure.

import { duration } from "../../kit/format.ts";

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000,
];
const TICKS_MAX = 4;

/** Without the zeros that a duration has: `10 s`, `1 min`, `1.5 s` stays. */
export function tickText(ms: number): string {
  return ms === 0
    ? "0"
    : duration(ms)
        .replace(/\.0 s$/, " s")
        .replace(/ 0 (s|min)$/, "");
}

/** From 0, none so near to the end that it would be cut. */
export function ticksOf(lengthMs: number): number[] {
  const step = STEPS_MS.find((one) => lengthMs / one <= TICKS_MAX) ?? lengthMs;
  const ticks: number[] = [];
  for (let at = 0; at < lengthMs * 0.9; at += step) ticks.push(at);
  return ticks;
}
