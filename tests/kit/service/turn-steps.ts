// Steps of a turn for tests of what is drawn from them: everything that a test does not name is plain. Times are milliseconds since BEGIN.

import type { CallSummary, TurnRunStep, TurnSteps, TurnToolStep } from "../../../src/service/turns/schema.ts";
import { turnOf } from "./shown-records.ts";

export const BEGIN = Date.parse("2026-11-14T10:42:00.000Z");
const at = (ms: number) => new Date(BEGIN + ms).toISOString();

export function run(id: number, agent: string, fields: Partial<TurnRunStep> = {}): TurnRunStep {
  return {
    id,
    agent_id: id,
    agent,
    parent_run_id: null,
    call_id: null,
    depth: 0,
    status: "done",
    started_at: at(0),
    finished_at: null,
    ...fields,
  };
}

export function modelCall(
  id: number,
  runId: number,
  round: number,
  startMs: number,
  durationMs: number | null,
  fields: Partial<CallSummary> = {},
): CallSummary {
  return {
    id,
    turn_id: 14,
    run_id: runId,
    agent_id: runId,
    round,
    model_id: 1,
    model_name: "m",
    provider_name: "p",
    protocol: "anthropic",
    status: durationMs === null ? "running" : "done",
    attempts: 1,
    finish: null,
    error: null,
    http_status: null,
    input_tokens: 10,
    cached_input_tokens: null,
    output_tokens: 5,
    cost: null,
    started_at: at(startMs),
    first_chunk_ms: null,
    duration_ms: durationMs,
    ...fields,
  };
}

export function tool(
  callId: string,
  runId: number,
  name: string,
  startMs: number | null,
  endMs: number | null,
  fields: Partial<TurnToolStep> = {},
): TurnToolStep {
  return {
    call_id: callId,
    run_id: runId,
    agent_id: runId,
    tool: name,
    arguments: "{}",
    state: endMs !== null ? "done" : startMs !== null ? "started" : "asked",
    outcome: endMs === null ? null : "ok",
    started_at: startMs === null ? null : at(startMs),
    finished_at: endMs === null ? null : at(endMs),
    gear_run_id: null,
    gear_id: null,
    gear_version: null,
    ...fields,
  };
}

export function stepsOf(fields: Partial<TurnSteps>): TurnSteps {
  return {
    turn: turnOf(14, { number: 3, text: "go", created_at: at(0), started_at: at(0), finished_at: null }),
    runs: [],
    calls: [],
    tools: [],
    ...fields,
  };
}

/** The same steps, begun at another time. */
export function stepsFrom(beginMs: number, steps: TurnSteps): TurnSteps {
  const moved = (time: string) => new Date(Date.parse(time) - BEGIN + beginMs).toISOString();
  return {
    turn: steps.turn,
    runs: steps.runs.map((one) => ({ ...one, started_at: moved(one.started_at) })),
    calls: steps.calls.map((one) => ({ ...one, started_at: moved(one.started_at) })),
    tools: steps.tools.map((one) => ({
      ...one,
      started_at: one.started_at && moved(one.started_at),
      finished_at: one.finished_at && moved(one.finished_at),
    })),
  };
}
