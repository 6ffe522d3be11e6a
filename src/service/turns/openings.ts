// Records the beginning, resumption and end of turns. Everything here runs inside the caller's write, so that a turn's state, message and events
// are one commit.

import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Wire } from "../blueprint/schema.ts";
import { attachmentsOf, type Conversation } from "../conversation/conversation.ts";
import type { Outcome } from "../conversation/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { Branches } from "./branches.ts";
import type { TurnEvents } from "./events.ts";
import { threadOf, type Run } from "./recorder.ts";
import { toTurn } from "./records.ts";
import type { OverStatus, Turn } from "./schema.ts";
import type { TurnRow, TurnStore } from "./store.ts";

/** The blueprints that turns began with (snapshot/snapshots.ts). */
export interface KeptBlueprints {
  /** Stores the current blueprint inside a write, and returns its id. */
  readonly keep: (workspaceId: number) => number;
  readonly wiresWhenBegan: (turnId: number) => readonly Wire[];
}

/** Withdraws, inside a write, what earlier turns of a workspace asked of people and did not get. Returns the calls that so had no effect. */
export type WithdrawRequests = (workspaceId: number) => ReadonlySet<string>;

interface OpeningsDeps {
  store: TurnStore;
  conversation: Conversation;
  blueprint: Blueprint;
  snapshots: KeptBlueprints;
  withdrawRequests: WithdrawRequests;
  branches: Branches;
  journal: Journal<TurnEvents>;
  clock: Clock;
}

type TurnEvent = "turn.queued" | "turn.started" | "turn.resumed";

export class Openings {
  readonly #deps: OpeningsDeps;

  constructor(deps: OpeningsDeps) {
    this.#deps = deps;
  }

  /** Begins a turn: stores its blueprint and appends its message to the conversation. */
  begin(row: TurnRow): Run {
    const { store, blueprint, snapshots, conversation, branches, clock } = this.#deps;
    this.#closeDanglingCalls(row.workspace_id);
    const agent = blueprint.orchestratorOf(row.workspace_id);
    branches.place(row);
    store.startTurn.run(snapshots.keep(row.workspace_id), clock.now(), row.id);
    this.announce("turn.started", row.id);
    const run = store.insertRun.get({
      workspace_id: row.workspace_id,
      turn_id: row.id,
      agent_id: agent.id,
      parent_run_id: null,
      parent_call_id: null,
      depth: 0,
      created_at: clock.now(),
    })!;
    const base = {
      workspaceId: row.workspace_id,
      turnId: row.id,
      runId: run.id,
      agentId: agent.id,
      thread: 0,
    };
    conversation.append({ ...base, kind: "person", text: row.text, attachments: attachmentsOf(row) });
    return { row: run, agentIds: [agent.id] };
  }

  /** Continues a turn. Partial answers are forgotten and requested again. Raises `conflict`, `turn_running`. */
  reopen(row: TurnRow): Run {
    const { store, conversation, branches } = this.#deps;
    if (row.status === "done") throw new AppError("conflict", "a finished turn cannot be resumed");
    if (store.openCount.get(row.workspace_id)!.count > 0)
      throw new AppError("turn_running", "a turn is running in this workspace");
    branches.requireEnd(row);
    conversation.forgetPartials(row.id);
    const root = store.rootRun.get(row.id);
    if (!root) {
      store.setTurn.run({ id: row.id, status: "queued", error: null, finished_at: null });
      return this.begin(row);
    }
    store.setRun.run("running", null, root.id);
    store.setTurn.run({ id: row.id, status: "running", error: null, finished_at: null });
    this.announce("turn.resumed", row.id);
    return { row: root, agentIds: [root.agent_id] };
  }

  end(row: TurnRow, status: OverStatus, error: string | null): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    store.setTurn.run({ id: row.id, status, error, finished_at: now });
    const runStatus = status === "done" ? "interrupted" : status;
    store.setOpenRuns.run(runStatus, now, row.id);
    store.setOpenCalls.run(runStatus, row.id);
    this.#finished(row.id, status);
  }

  /** Appends an event with the current turn. A turn's first event includes its own id. */
  announce(type: TurnEvent, turnId: number): void {
    const turn = this.#shown(turnId);
    this.#deps.journal.append(turn.workspace_id, turnId, type, { turn });
  }

  /** Ends an open turn that is not running. If its last answer was recorded, the turn is done and only its end was missing. */
  interrupt(row: TurnRow): void {
    const { store } = this.#deps;
    if (store.rootRun.get(row.id)?.status === "done") return this.end(row, "done", null);
    this.#keepPartialAnswers(row);
    const reason = store.stopReason.get(row.id)!.stop_reason;
    if (reason === null) this.end(row, "interrupted", null);
    else this.end(row, "cancelled", reason);
  }

  /** Appends the end as final. If the turn is resumed later, a replay shows it as not final. */
  #finished(turnId: number, status: OverStatus): void {
    const turn = this.#shown(turnId);
    const error = turn.error === null ? {} : { error: turn.error };
    this.#deps.journal.append(turn.workspace_id, turnId, "turn.finished", {
      status,
      ...error,
      turn,
      final: true,
    });
  }

  #shown(turnId: number): Turn {
    const { store, journal } = this.#deps;
    const row = store.turnById.get(turnId)!;
    return { ...toTurn(row), first_event_id: row.first_event_id ?? journal.nextId(row.workspace_id) };
  }

  /** Records what arrived of the answers that a crash cut off. */
  #keepPartialAnswers(row: TurnRow): void {
    const { store, conversation } = this.#deps;
    const pieces = Map.groupBy(store.arrivedOfTurn.all(row.id), ({ call_id: callId }) => callId);
    for (const [callId, all] of pieces) {
      const run = store.runById.get(all[0]!.run_id)!;
      const arrived = (kind: string) =>
        all
          .filter((piece) => piece.kind === kind)
          .map(({ text }) => text)
          .join("");
      const text = arrived("text");
      store.dropArrived.run(callId);
      if (text.trim() === "") continue;
      conversation.append({
        workspaceId: row.workspace_id,
        turnId: row.id,
        runId: run.id,
        agentId: run.agent_id,
        thread: threadOf(run),
        kind: "agent",
        text,
        reasoning: arrived("reasoning"),
        partial: true,
        // The call may have been before the text from outside: too much is marked rather than too little.
        tainted: row.tainted_at !== null,
      });
    }
  }

  /** Records results for calls that earlier turns left open, before the conversation continues. */
  #closeDanglingCalls(workspaceId: number): void {
    const { store, conversation, journal, blueprint, withdrawRequests, clock } = this.#deps;
    const agentId = blueprint.orchestratorOf(workspaceId).id;
    const withdrawn = withdrawRequests(workspaceId);
    for (const call of store.danglingCalls.all(workspaceId)) {
      const begun = call.state === "started" && !withdrawn.has(call.call_id);
      const outcome: Outcome = begun ? "unknown" : "interrupted";
      const text = begun
        ? "Interrupted: it is not known whether this call took effect."
        : "Interrupted before it began: nothing was done.";
      const { turn_id: turnId, run_id: runId, call_id: callId, tool } = call;
      store.finishToolCall.run(clock.now(), callId);
      conversation.append({
        workspaceId,
        turnId,
        runId,
        agentId,
        thread: 0,
        kind: "tool",
        callId,
        tool,
        outcome,
        text,
      });
      const result = {
        run_id: runId,
        agent_id: agentId,
        call_id: callId,
        tool,
        outcome,
        text,
        duration_ms: null,
      };
      journal.append(workspaceId, turnId, "tool.result", result);
    }
  }
}
