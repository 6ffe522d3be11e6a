// The ticks of a time axis: a few round values, none in or next to a gap, which is not to scale. Pure.

import { duration } from "../../kit/format.ts";
import type { Gap } from "./axis.ts";

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000,
];
const TICKS_MAX = 4;
/** Share of the axis: closer labels would touch. */
const ROOM_SHARE = 0.1;

interface Tick {
  /** Position on the axis. */
  readonly at: number;
  /** Since the start of the axis. */
  readonly ms: number;
}

/** A duration without trailing zeros: `10 s`, `1 min`; `1.5 s` stays. */
export function tickText(ms: number): string {
  return ms === 0
    ? "0"
    : duration(ms)
        .replace(/\.0 s$/, " s")
        .replace(/ 0 (s|min)$/, "");
}

/** Ticks from 0, except those that the end or a gap would cut off. */
export function ticksOf(length: number, gaps: readonly Gap[], beginMs: number): Tick[] {
  const step = STEPS_MS.find((one) => length / one <= TICKS_MAX) ?? length;
  const room = length * ROOM_SHARE;
  const ticks: Tick[] = [];
  for (const { from, to, ms } of stretchesOf(length, gaps, beginMs)) {
    for (let at = Math.ceil(ms / step) * step; ; at += step) {
      const place = from + (at - ms);
      if (place > to - room) break;
      if (ticks.length === 0 || place - ticks.at(-1)!.at >= room) ticks.push({ at: place, ms: at });
    }
  }
  return ticks;
}

/** The stretches drawn to scale, with the time at their start. */
function stretchesOf(length: number, gaps: readonly Gap[], beginMs: number) {
  const stretches: { from: number; to: number; ms: number }[] = [];
  let from = 0;
  let ms = 0;
  for (const gap of gaps) {
    stretches.push({ from, to: gap.from, ms });
    from = gap.to;
    ms = gap.ms === undefined ? Infinity : gap.startMs + gap.ms - beginMs;
  }
  if (Number.isFinite(ms)) stretches.push({ from, to: length, ms });
  return stretches;
}
