// The steps of a turn as rows nested below their callers, on one time axis. Pure. Only open waits depend on the current time (axis.ts), so a
// running turn moves only what is still open.

import type { CallSummary, TurnRunStep, TurnSteps, TurnToolStep } from "../../../src/service/turns/schema.ts";
import { axisOf, type Gap } from "./axis.ts";

interface RowPlace {
  readonly key: string;
  /** 0: the orchestrator's own steps. */
  readonly depth: number;
  /** Keys of the delegations above it, outermost first. */
  readonly under: readonly string[];
  readonly agentId: number;
  readonly agent: string;
  /** Position on the axis; undefined if it never started. */
  readonly from: number | undefined;
  /** Undefined while it runs, and if its end is unknown. */
  readonly to: number | undefined;
  readonly open: boolean;
  /** Undefined while it runs, if it never started, and if its end is unknown. */
  readonly durationMs: number | undefined;
  /** RFC 3339. */
  readonly startedAt: string | undefined;
}

export interface CallRow extends RowPlace {
  readonly kind: "call";
  readonly call: CallSummary;
  /** Position among the model calls of its run, from 1. */
  readonly number: number;
  /** Input and output; null if the provider reported nothing, undefined while it runs. */
  readonly tokens: number | null | undefined;
}

export interface ToolRow extends RowPlace {
  readonly kind: "tool";
  readonly step: TurnToolStep;
  /** Position among the tool calls of its turn, from 1. */
  readonly number: number;
  /** The agent of a delegation that has started. */
  readonly asked: { readonly id: number; readonly name: string } | undefined;
  readonly children: number;
}

export type WaterfallRow = CallRow | ToolRow;

export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  /** Length of the axis up to the last known end, in milliseconds; at least 1. */
  readonly length: number;
  /** The start of the axis, in milliseconds since 1970. */
  readonly beginMs: number;
  /** Added to a position at or after the last step, gives milliseconds since 1970. */
  readonly origin: number;
  readonly gaps: readonly Gap[];
}

/** `nowMs`: see `axisOf`. */
export function waterfallOf(steps: TurnSteps, nowMs: number | undefined): Waterfall {
  const axis = axisOf(steps, nowMs);
  const place = (start: string | null, durationMs: number | null, open: boolean) => {
    const startMs = start === null ? undefined : Date.parse(start);
    const known = startMs !== undefined && durationMs !== null;
    return {
      from: startMs === undefined ? undefined : axis.position(startMs),
      to: known ? axis.position(startMs + durationMs) : undefined,
      open: open && startMs !== undefined,
      durationMs: known ? durationMs : undefined,
      startedAt: start ?? undefined,
    };
  };
  const rows = new Nesting(steps, place).rows();
  const { length, beginMs, origin, gaps } = axis;
  return { rows, length, beginMs, origin, gaps };
}

type Place = (
  start: string | null,
  durationMs: number | null,
  open: boolean,
) => Pick<RowPlace, "from" | "to" | "open" | "durationMs" | "startedAt">;

class Nesting {
  readonly #steps: TurnSteps;
  readonly #place: Place;
  readonly #numbers: ReadonlyMap<TurnToolStep, number>;
  readonly #runsOfCall: ReadonlyMap<string | null, TurnRunStep[]>;
  readonly #callsOfRun: ReadonlyMap<number, CallSummary[]>;
  readonly #toolsOfRun: ReadonlyMap<number, TurnToolStep[]>;
  readonly #shown = new Set<TurnRunStep>();

  constructor(steps: TurnSteps, place: Place) {
    this.#steps = steps;
    this.#place = place;
    this.#numbers = new Map(steps.tools.map((step, index) => [step, index + 1]));
    this.#runsOfCall = Map.groupBy(steps.runs, (run) => run.call_id);
    this.#callsOfRun = Map.groupBy(steps.calls, (call) => call.run_id);
    this.#toolsOfRun = Map.groupBy(steps.tools, (tool) => tool.run_id);
  }

  rows(): WaterfallRow[] {
    const roots = this.#steps.runs.filter((run) => run.parent_run_id === null);
    const rows = roots.flatMap((run) => this.#rowsOf(run, 0, []));
    // Runs without a recorded call are shown, too.
    for (const run of this.#steps.runs)
      if (!this.#shown.has(run)) rows.push(...this.#rowsOf(run, run.depth, []));
    return rows;
  }

  #rowsOf(run: TurnRunStep, depth: number, under: readonly string[]): WaterfallRow[] {
    this.#shown.add(run);
    const calls = (this.#callsOfRun.get(run.id) ?? []).toSorted((a, b) => a.round - b.round || a.id - b.id);
    const tools = toolsByCall(calls, this.#toolsOfRun.get(run.id) ?? []);
    const rows: WaterfallRow[] = (tools.get(-1) ?? []).flatMap((step) =>
      this.#toolRows(step, run, depth, under),
    );
    for (const [index, call] of calls.entries()) {
      rows.push(this.#callRow(call, index + 1, run, { depth, under }));
      for (const step of tools.get(index) ?? []) rows.push(...this.#toolRows(step, run, depth, under));
    }
    return rows;
  }

  #callRow(
    call: CallSummary,
    number: number,
    run: TurnRunStep,
    { depth, under }: { depth: number; under: readonly string[] },
  ): CallRow {
    const open = call.status === "running";
    const reported = call.input_tokens !== null || call.output_tokens !== null;
    const sum = reported ? (call.input_tokens ?? 0) + (call.output_tokens ?? 0) : null;
    return {
      kind: "call",
      key: `call-${call.id}`,
      depth,
      under,
      agentId: run.agent_id,
      agent: run.agent,
      ...this.#place(call.started_at, call.duration_ms, open),
      call,
      number,
      tokens: open ? undefined : sum,
    };
  }

  #toolRows(step: TurnToolStep, run: TurnRunStep, depth: number, under: readonly string[]): WaterfallRow[] {
    const number = this.#numbers.get(step)!;
    const key = `tool-${number}`;
    const asked = (this.#runsOfCall.get(step.call_id) ?? []).filter((one) => one.parent_run_id === run.id);
    const below = asked
      .filter((one) => !this.#shown.has(one))
      .flatMap((one) => this.#rowsOf(one, depth + 1, [...under, key]));
    const { started_at: start, finished_at: finish } = step;
    const durationMs = start === null || finish === null ? null : Date.parse(finish) - Date.parse(start);
    const row: ToolRow = {
      kind: "tool",
      key,
      depth,
      under,
      agentId: run.agent_id,
      agent: run.agent,
      ...this.#place(start, durationMs, step.state === "started"),
      step,
      number,
      asked: asked[0] && { id: asked[0].agent_id, name: asked[0].agent },
      children: below.length,
    };
    return [row, ...below];
  }
}

/**
 * Groups tools by the index of the call that requested them; -1 is before every call. A tool starts after its call and before the next one; a
 * tool that never started goes with the one before it.
 */
function toolsByCall(
  calls: readonly CallSummary[],
  tools: readonly TurnToolStep[],
): ReadonlyMap<number, TurnToolStep[]> {
  const starts = calls.map((call) => Date.parse(call.started_at));
  const found = new Map<number, TurnToolStep[]>();
  let last: number | undefined;
  for (const [index, tool] of tools.entries()) {
    const began = tool.started_at ?? (last === undefined ? nextStart(tools, index) : undefined);
    if (began !== undefined) last = starts.findLastIndex((start) => start <= Date.parse(began));
    const place = last ?? calls.length - 1;
    found.set(place, [...(found.get(place) ?? []), tool]);
  }
  return found;
}

function nextStart(tools: readonly TurnToolStep[], from: number): string | undefined {
  return tools.slice(from).find((tool) => tool.started_at !== null)?.started_at ?? undefined;
}

/** The rows that are not below a folded one. */
export function unfolded(
  rows: readonly WaterfallRow[],
  folded: ReadonlySet<string>,
): readonly WaterfallRow[] {
  return folded.size === 0 ? rows : rows.filter(({ under }) => !under.some((key) => folded.has(key)));
}
