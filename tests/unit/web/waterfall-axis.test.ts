// Goal: idle hours and minutes of waiting for a person become gaps on the axis of a turn, so that other bars stay visible; everything else
// stays to scale, and no tick is in a gap.

import { expect, test } from "bun:test";
import { axisOf, hasOpenGap } from "../../../web/screens/activity/axis.ts";
import { ticksOf } from "../../../web/screens/activity/axis-ticks.ts";
import { gapSentence } from "../../../web/screens/activity/step-label.ts";
import { waterfallOf } from "../../../web/screens/activity/waterfall.ts";
import { BEGIN, modelCall, run, stepsOf, tool } from "../../kit/service/turn-steps.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const interrupted = stepsOf({
  runs: [run(1, "a")],
  calls: [modelCall(1, 1, 0, 0, 5_000), modelCall(2, 1, 1, 4 * HOUR, 5_000)],
});

/** scout asks after two seconds and waits until `endMs`; two more seconds of work follow. */
const asking = (endMs: number | null) =>
  stepsOf({
    runs: [run(1, "boss"), run(2, "scout", { parent_run_id: 1, call_id: "d", depth: 1 })],
    calls: [
      modelCall(1, 1, 0, 0, 1_000),
      modelCall(2, 2, 0, 1_000, 1_000),
      ...(endMs === null ? [] : [modelCall(3, 1, 1, endMs, 2_000)]),
    ],
    tools: [tool("d", 1, "delegate", 1_000, endMs), tool("s", 2, "web_search", 2_000, endMs)],
  });

test("turns hours between an interruption and its resumption into a gap", () => {
  const { rows, length, gaps, origin } = waterfallOf(interrupted, undefined);
  expect(length).toBe(10_800);
  expect(gaps).toEqual([
    { from: 5_000, to: 5_800, kind: "idle", startMs: BEGIN + 5_000, ms: 4 * HOUR - 5_000 },
  ]);
  expect(rows.map(({ from, to, durationMs }) => [from, to, durationMs])).toEqual([
    [0, 5_000, 5_000],
    [5_800, 10_800, 5_000],
  ]);
  expect(origin + length).toBe(BEGIN + 4 * HOUR + 5_000);
  expect(gapSentence(gaps[0]!, 0)).toBe("idle 3 h, not to scale");
});

test("turns a long wait for a person into a gap, also in its delegation", () => {
  const { rows, length, gaps } = waterfallOf(asking(4 * MINUTE + 2_000), undefined);
  expect(gaps).toEqual([{ from: 2_000, to: 2_640, kind: "person", startMs: BEGIN + 2_000, ms: 4 * MINUTE }]);
  expect(rows.map(({ key, from, to }) => [key, from, to])).toEqual([
    ["call-1", 0, 1_000],
    ["tool-1", 1_000, 2_640],
    ["call-2", 1_000, 2_000],
    ["tool-2", 2_000, 2_640],
    ["call-3", 2_640, 4_640],
  ]);
  expect(length).toBe(4_640);
  expect(gapSentence(gaps[0]!, 0)).toBe("waited 4 min for a person, not to scale");
});

test("draws short waits, and waits during other work, to scale", () => {
  expect(axisOf(asking(6_000), undefined).gaps).toEqual([]);
  const beside = asking(4 * MINUTE);
  const busy = modelCall(9, 1, 1, 3_000, 3 * MINUTE);
  expect(axisOf({ ...beside, calls: [...beside.calls, busy] }, undefined).gaps).toEqual([]);
});

test("makes a gap only of the idle part of a wait", () => {
  const beside = asking(4 * MINUTE + 2_000);
  const { gaps } = axisOf(
    { ...beside, calls: [...beside.calls, modelCall(9, 1, 1, 2_000, 8_000)] },
    undefined,
  );
  expect(gaps.map(({ startMs, ms }) => [startMs - BEGIN, ms])).toEqual([[10_000, 4 * MINUTE - 8_000]]);
});

test("merges two adjacent waits into one gap", () => {
  const steps = asking(2 * MINUTE);
  const second = tool("t", 2, "web_search", MINUTE, 3 * MINUTE);
  const { gaps } = axisOf(
    { ...steps, calls: steps.calls.slice(0, 2), tools: [...steps.tools, second] },
    undefined,
  );
  expect(gaps.map(({ startMs, ms }) => [startMs - BEGIN, ms])).toEqual([[2_000, 3 * MINUTE - 2_000]]);
});

test("turns a running wait into a gap once it is long, and keeps its position", () => {
  const steps = asking(null);
  expect(hasOpenGap(steps, BEGIN + 6_000)).toBe(false);
  expect(hasOpenGap(steps, BEGIN + MINUTE)).toBe(true);
  const early = axisOf(steps, BEGIN + MINUTE);
  const late = axisOf(steps, BEGIN + HOUR);
  expect(early.gaps).toEqual([
    { from: 2_000, to: 2_320, kind: "person", startMs: BEGIN + 2_000, ms: undefined },
  ]);
  expect(late.gaps).toEqual(early.gaps);
  expect([early.length, late.length]).toEqual([2_320, 2_320]);
  expect(gapSentence(late.gaps[0]!, BEGIN + HOUR)).toBe("waiting 59 min for a person, not to scale");
  // The length is unknown once the turn is over.
  expect(axisOf(steps, undefined).gaps).toEqual([]);
});

test("labels both sides of a gap with ticks, and puts none in or close to it", () => {
  const { gaps, length, beginMs } = axisOf(asking(4 * MINUTE + 2_000), undefined);
  expect(ticksOf(length, gaps, beginMs)).toEqual([
    { at: 0, ms: 0 },
    { at: 2_640, ms: 242_000 },
  ]);
});

test("puts a few round ticks on an axis without gaps", () => {
  expect(ticksOf(31_400, [], 0).map(({ ms }) => ms)).toEqual([0, 10_000, 20_000]);
  expect(ticksOf(1, [], 0)).toEqual([{ at: 0, ms: 0 }]);
});
