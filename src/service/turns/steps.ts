// What was done in a turn, step by step, for a timeline: the runs of its agents, their model calls, and their tools.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Outcome } from "../conversation/schema.ts";
import type { Caller } from "../identity/caller.ts";
import { toCall, toTurn } from "./records.ts";
import type { TurnRunStep, TurnSteps, TurnToolStep } from "./schema.ts";
import type { RunStepRow, ToolStepRow, TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

/** A gear's run, as far as it belongs to a tool call. */
export interface GearRunOfCall {
  readonly id: number;
  readonly gearId: number;
  readonly version: number;
}

export interface StepsDeps {
  store: TurnStore;
  turns: Turns;
  conversation: Conversation;
  /** By tool call. */
  gearRuns: (turnId: number) => ReadonlyMap<string, GearRunOfCall>;
}

export class Steps {
  readonly #deps: StepsDeps;

  constructor(deps: StepsDeps) {
    this.#deps = deps;
  }

  /** Who sees the workspace. Runs and calls in the order in which they began, tools in the order asked. */
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

/** What was cut off by a crash is closed on record much later: when it ended is not known. */
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
