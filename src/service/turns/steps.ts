// Lists the steps of a turn for a timeline: its agents' runs, model calls and tool calls.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Outcome } from "../conversation/schema.ts";
import type { Caller } from "../identity/caller.ts";
import { toCall, toTurn } from "./records.ts";
import type { TurnRunStep, TurnSteps, TurnToolStep } from "./schema.ts";
import type { RunStepRow, ToolStepRow, TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

/** The part of a gear's run that a tool call shows. */
interface GearRunOfCall {
  readonly id: number;
  readonly gearId: number;
  readonly version: number;
}

interface StepsDeps {
  store: TurnStore;
  turns: Turns;
  conversation: Conversation;
  /** Returns the runs of gears in a turn, by tool call. */
  gearRuns: (turnId: number) => ReadonlyMap<string, GearRunOfCall>;
}

export class Steps {
  readonly #deps: StepsDeps;

  constructor(deps: StepsDeps) {
    this.#deps = deps;
  }

  /** Anyone who sees the workspace. Returns runs and model calls in the order of their start, tool calls in the order requested. */
  get(caller: Caller, turnId: number): TurnSteps {
    const { store, turns, conversation } = this.#deps;
    const turn = turns.visible(caller, turnId);
    const gearRuns = this.#deps.gearRuns(turn.id);
    const outcomes = conversation.outcomesOf(turn.id);
    const toTool = (row: ToolStepRow) =>
      toToolStep(row, outcomes.get(row.call_id) ?? null, gearRuns.get(row.call_id));
    return {
      turn: toTurn(turn),
      runs: store.runSteps.all(turn.id).map(toRunStep),
      calls: store.callsOfTurn.all(turn.id).map(toCall),
      tools: store.toolSteps.all(turn.id).map(toTool),
    };
  }
}

function toRunStep(row: RunStepRow): TurnRunStep {
  const { id, agent_id, agent, parent_run_id, parent_call_id, depth, status } = row;
  return {
    id,
    agent_id,
    agent,
    parent_run_id,
    call_id: parent_call_id,
    depth,
    status,
    started_at: rfc3339(row.created_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}

/** A call interrupted by a crash is closed much later, so its end is unknown. */
function toToolStep(
  row: ToolStepRow,
  outcome: Outcome | null,
  gearRun: GearRunOfCall | undefined,
): TurnToolStep {
  const { call_id, run_id, agent_id, tool, state } = row;
  return {
    call_id,
    run_id,
    agent_id,
    tool,
    arguments: row.arguments,
    state,
    outcome,
    started_at: rfc3339OrNull(row.started_at),
    finished_at: outcome === "unknown" ? null : rfc3339OrNull(row.finished_at),
    gear_run_id: gearRun?.id ?? null,
    gear_id: gearRun?.gearId ?? null,
    gear_version: gearRun?.version ?? null,
  };
}
