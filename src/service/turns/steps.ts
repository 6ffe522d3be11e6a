// Lists the steps of a turn for a timeline: its agents' runs, model calls and tool calls.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Listing } from "../../kit/http/list-answer.ts";
import { pagesBySize, pagesOf } from "../../kit/storage/pages.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Outcome } from "../conversation/schema.ts";
import type { Caller } from "../identity/caller.ts";
import { callPages, toTurn } from "./records.ts";
import type { TurnRunStep, TurnToolStep } from "./schema.ts";
import type { RunStepRow, ToolStepRow, TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

/** The part of a gear's run that a tool call shows. */
interface GearRunOfCall {
  readonly id: number;
  readonly gearId: number;
  readonly version: number;
}

const RUNS_PER_PAGE = 1_000;

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

  /**
   * A `TurnSteps`, for anyone who sees the workspace: runs and model calls in the order of their start, tool calls in the order requested. Access is
   * checked at once, and again for each page.
   */
  get(caller: Caller, turnId: number): Listing<TurnRunStep> {
    const { store, turns } = this.#deps;
    const turn = turns.visible(caller, turnId);
    const check = () => void turns.visible(caller, turnId);
    return {
      before: { turn: toTurn(turn) },
      field: "runs",
      pages: this.#runs(turn.id, check),
      more: [
        { field: "calls", pages: callPages(store, turn.id, check) },
        { field: "tools", pages: this.#tools(turn.id, check) },
      ],
    };
  }

  *#runs(turnId: number, check: () => void): Generator<TurnRunStep[]> {
    const { runSteps } = this.#deps.store;
    const pageAfter = (id: number) => runSteps.all(turnId, id, RUNS_PER_PAGE);
    for (const rows of pagesOf(pageAfter, ({ id }) => id, 0, RUNS_PER_PAGE)) {
      check();
      yield rows.map(toRunStep);
    }
  }

  *#tools(turnId: number, check: () => void): Generator<TurnToolStep[]> {
    const { store, conversation } = this.#deps;
    const gearRuns = this.#deps.gearRuns(turnId);
    const outcomes = conversation.outcomesOf(turnId);
    for (const ids of pagesBySize(store.toolStepSizes.all(turnId))) {
      check();
      yield store.toolStepsByIds
        .all(JSON.stringify(ids))
        .map((row) => toToolStep(row, outcomes.get(row.call_id) ?? null, gearRuns.get(row.call_id)));
    }
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
