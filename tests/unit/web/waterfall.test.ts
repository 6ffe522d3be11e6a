// Goal: the steps of a turn become rows under their callers, in order, on one axis without idle hours.

import { expect, test } from "bun:test";
import type { DecisionRecord } from "../../../src/service/approvals/schema.ts";
import type { CallSummary } from "../../../src/service/turns/schema.ts";
import { labelOf } from "../../../web/screens/activity/step-label.ts";
import { unfolded, waterfallOf, type WaterfallRow } from "../../../web/screens/activity/waterfall.ts";
import { refusalOf } from "../../../web/state/tool-state.ts";
import { BEGIN, modelCall, run, stepsOf, tool } from "../../kit/service/turn-steps.ts";

const named = (row: WaterfallRow) =>
  `${"  ".repeat(row.depth)}${row.agent} ${row.kind === "call" ? `call ${row.number}` : row.step.tool}${
    row.kind === "tool" && row.asked ? ` ${row.asked.name}` : ""
  }`;

/** The example of the design: two parallel delegations, one with a gear, one with a search. */
const desk = stepsOf({
  runs: [
    run(1, "orchestrator"),
    run(2, "scribe", { parent_run_id: 1, call_id: "d1", depth: 1 }),
    run(3, "scout", { parent_run_id: 1, call_id: "d2", depth: 1 }),
  ],
  calls: [
    modelCall(1, 1, 0, 0, 2_500),
    modelCall(2, 2, 0, 2_500, 2_900),
    modelCall(3, 3, 0, 2_500, 1_900),
    modelCall(4, 2, 1, 5_500, 14_800),
    modelCall(5, 3, 1, 26_400, 1_200),
    modelCall(6, 1, 1, 27_600, 3_800),
  ],
  tools: [
    tool("d1", 1, "delegate", 2_500, 20_700),
    tool("d2", 1, "delegate", 2_500, 27_600),
    tool("g", 2, "changelog_draft", 5_400, 5_441),
    tool("s", 3, "web_search", 4_400, 26_400),
  ],
});

test("places rows under their delegation", () => {
  const { rows, length, gaps } = waterfallOf(desk, undefined);
  expect(rows.map(named)).toEqual([
    "orchestrator call 1",
    "orchestrator delegate scribe",
    "  scribe call 1",
    "  scribe changelog_draft",
    "  scribe call 2",
    "orchestrator delegate scout",
    "  scout call 1",
    "  scout web_search",
    "  scout call 2",
    "orchestrator call 2",
  ]);
  expect(length).toBe(31_400);
  expect(gaps).toEqual([]);
  expect(rows.map(({ from, to }) => [from, to])).toEqual([
    [0, 2_500],
    [2_500, 20_700],
    [2_500, 5_400],
    [5_400, 5_441],
    [5_500, 20_300],
    [2_500, 27_600],
    [2_500, 4_400],
    [4_400, 26_400],
    [26_400, 27_600],
    [27_600, 31_400],
  ]);
  expect(rows.map((row) => (row.kind === "tool" ? row.children : 0))).toEqual([0, 3, 0, 0, 0, 3, 0, 0, 0, 0]);
});

test("hides all rows below a folded delegation", () => {
  const { rows } = waterfallOf(desk, undefined);
  expect(unfolded(rows, new Set(["tool-1"])).map(named)).toEqual([
    "orchestrator call 1",
    "orchestrator delegate scribe",
    "orchestrator delegate scout",
    "  scout call 1",
    "  scout web_search",
    "  scout call 2",
    "orchestrator call 2",
  ]);
  expect(unfolded(rows, new Set())).toBe(rows);
});

test("gives running steps no end, and steps that never started no position", () => {
  const { rows, length } = waterfallOf(
    stepsOf({
      runs: [run(1, "orchestrator")],
      calls: [
        modelCall(1, 1, 0, 0, 1_000),
        modelCall(2, 1, 1, 1_500, null, { input_tokens: null, output_tokens: null }),
      ],
      tools: [
        tool("a", 1, "file_read", 1_000, 1_400),
        tool("b", 1, "file_list", null, null),
        tool("c", 1, "file_write", 1_100, null),
      ],
    }),
    undefined,
  );
  expect(rows.map((row) => [named(row), row.from, row.to, row.open])).toEqual([
    ["orchestrator call 1", 0, 1_000, false],
    ["orchestrator file_read", 1_000, 1_400, false],
    ["orchestrator file_list", undefined, undefined, false],
    ["orchestrator file_write", 1_100, undefined, true],
    ["orchestrator call 2", 1_500, undefined, true],
  ]);
  expect(length).toBe(1_500);
});

test("does not count unreported tokens as zero", () => {
  const tokens = (fields: Partial<CallSummary>, durationMs: number | null = 10) => {
    const { rows } = waterfallOf(
      stepsOf({ runs: [run(1, "a")], calls: [modelCall(1, 1, 0, 0, durationMs, fields)] }),
      undefined,
    );
    const [row] = rows;
    return row?.kind === "call" ? row.tokens : "not a call";
  };
  expect(tokens({})).toBe(15);
  expect(tokens({ input_tokens: null, output_tokens: null })).toBe(null);
  expect(tokens({ input_tokens: 7, output_tokens: null })).toBe(7);
  expect(tokens({ input_tokens: null, output_tokens: null }, null)).toBe(undefined);
});

test("places tools that never started with their call", () => {
  const { rows } = waterfallOf(
    stepsOf({
      runs: [run(1, "a", { status: "cancelled" })],
      calls: [modelCall(1, 1, 0, 0, 100), modelCall(2, 1, 1, 300, 100)],
      tools: [
        tool("a", 1, "first", 100, 200),
        tool("b", 1, "second", null, null, { outcome: "cancelled", state: "done" }),
        tool("c", 1, "third", 400, 500),
      ],
    }),
    undefined,
  );
  expect(rows.map(named)).toEqual(["a call 1", "a first", "a second", "a call 2", "a third"]);
});

test("shows a run whose call is not recorded", () => {
  const { rows } = waterfallOf(
    stepsOf({
      runs: [run(1, "a"), run(2, "b", { parent_run_id: 1, call_id: "gone", depth: 1 })],
      calls: [modelCall(1, 1, 0, 0, 100), modelCall(2, 2, 0, 100, 100)],
    }),
    undefined,
  );
  expect(rows.map(named)).toEqual(["a call 1", "  b call 1"]);
});

test("has no rows for a turn that has not started", () => {
  const queued = stepsOf({});
  const turn = { ...queued.turn, status: "queued" as const, started_at: null };
  expect(waterfallOf({ ...queued, turn }, BEGIN)).toEqual({
    rows: [],
    length: 1,
    beginMs: 0,
    origin: 0,
    gaps: [],
  });
});

test("says that a search was rejected or has expired, not that it failed", () => {
  const search = (id: string, query: string) =>
    tool(id, 1, "web_search", 0, 1_000, { arguments: JSON.stringify({ query }), outcome: "error" });
  const steps = stepsOf({
    runs: [run(1, "orchestrator")],
    calls: [modelCall(1, 1, 0, 0, 100)],
    tools: [search("a", "one"), search("b", "two"), search("c", "three")],
  });
  const requested = { kind: "search", requested_at: new Date(BEGIN).toISOString() };
  const decisions = [
    { ...requested, subject: "one", decision: "refused", by: "ada" },
    { ...requested, subject: "two", decision: "expired", by: null },
  ] as unknown as DecisionRecord[];
  const notes = waterfallOf(steps, undefined).rows.flatMap((row) =>
    row.kind === "tool" ? [labelOf(row, { waits: false, refusal: refusalOf(row.step, decisions) }).note] : [],
  );
  expect(notes).toEqual(["rejected", "expired", "failed"]);
});
