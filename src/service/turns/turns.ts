// The life of turns: one at a time for a workspace, queued when asked, cancelled, resumed, interrupted by a stop of the service.
// A turn belongs to the server: it goes on when its viewers leave.

import { rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import type { Background } from "../../kit/background.ts";
import type { Db } from "../../kit/db.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Viewer } from "../../kit/http/sse.ts";
import type { Log } from "../../kit/log.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Journal } from "../journal/journal.ts";
import type { PartialData } from "../journal/schema.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Caller } from "../people/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { TurnStopped, type Engine, type RunOutcome, type TurnContext } from "./engine.ts";
import type { Run } from "./recorder.ts";
import { TURNS_QUEUED_MAX, type Chat, type Turn, type TurnStatus } from "./schema.ts";
import type { TurnRow, TurnStore } from "./store.ts";

export interface TurnsDeps {
  db: Db;
  store: TurnStore;
  engine: Engine;
  conversation: Conversation;
  blueprint: Blueprint;
  access: Access;
  authentication: Authentication;
  journal: Journal;
  background: Background;
  clock: Clock;
  log: Log;
}

interface ActiveTurn {
  readonly turnId: number;
  readonly abort: AbortController;
  readonly context: TurnContext;
  readonly ended: Promise<void>;
}

export class Turns {
  readonly #deps: TurnsDeps;
  /** By workspace. */
  readonly #active = new Map<number, ActiveTurn>();
  /** Who asked for queued turns; they don't outlive the process, as queued turns don't. */
  readonly #waiting = new Map<number, Caller>();
  #stopping = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** At start: whatever was open when the service ended is interrupted, with what it had. */
  reconcile(): number {
    const { db, store } = this.#deps;
    return db.writeNow(() => {
      const open = store.openTurns.all();
      for (const turn of open) this.#endTurn(turn, "interrupted", null);
      return open.length;
    });
  }

  /** Raises `turn_running` (409) while another turn runs, unless it may be queued; `refused` when the queue is full. */
  async chat(caller: Caller, workspaceId: number, input: Chat): Promise<Turn> {
    const { db, store, access, journal, clock } = this.#deps;
    if (input.text.trim() === "") throw new AppError("invalid", "text: must not be empty");
    this.#requireRunning();
    const { turn, started } = await db.write(() => {
      access.workspace(caller, workspaceId);
      const busy = store.openCount.get(workspaceId)!.count > 0;
      if (busy) this.#requireQueue(workspaceId, input);
      const { id } = store.insertTurn.get(workspaceId, input.text, caller.userId, caller.name, caller.auth, clock.now())!;
      if (busy) {
        journal.append(workspaceId, id, "turn.queued", { turn: toTurn(store.turnById.get(id)!) });
        this.#waiting.set(id, caller);
      }
      const started = busy ? undefined : this.#begin(store.turnById.get(id)!);
      return { turn: toTurn(store.turnById.get(id)!), started };
    });
    if (started) this.#launch(turn.workspace_id, turn.id, caller, started);
    return turn;
  }

  list(caller: Caller, workspaceId: number, page: PageQuery): Turn[] {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const rows = store.turns.all(workspaceId, page.before ?? Number.MAX_SAFE_INTEGER, page.limit ?? LIST_DEFAULT);
    return rows.reverse().map(toTurn);
  }

  get(caller: Caller, id: number): Turn {
    return toTurn(this.visible(caller, id));
  }

  visible(caller: Caller, id: number): TurnRow {
    return this.#deps.access.nested(caller, "turn", id, this.#deps.store.turnById.get(id));
  }

  /** Ends a queued or running turn and answers when it has ended. Raises `conflict` when it is over already. */
  async cancel(caller: Caller, id: number): Promise<Turn> {
    const { db, store } = this.#deps;
    const turn = this.visible(caller, id);
    const active = this.#active.get(turn.workspace_id);
    if (active?.turnId === id) {
      active.abort.abort(new TurnStopped("cancelled"));
      await active.ended;
      return this.get(caller, id);
    }
    return db.write(() => {
      const row = this.visible(caller, id);
      if (row.status !== "queued") throw new AppError("conflict", `the turn is ${row.status}: there is nothing to cancel`);
      this.#endTurn(row, "cancelled", null);
      this.#waiting.delete(id);
      return toTurn(store.turnById.get(id)!);
    });
  }

  /** Goes on with a turn that was interrupted, failed or cancelled, if nothing was said since. Raises `conflict`, `turn_running`. */
  async resume(caller: Caller, id: number): Promise<Turn> {
    const { db, store } = this.#deps;
    this.#requireRunning();
    const { turn, run } = await db.write(() => {
      const row = this.visible(caller, id);
      const run = this.#reopen(row);
      return { turn: toTurn(store.turnById.get(id)!), run };
    });
    this.#launch(turn.workspace_id, id, caller, run);
    return turn;
  }

  /** Ends what runs or waits in a workspace that is about to be deleted. */
  async stopWorkspace(workspaceId: number): Promise<void> {
    const { db, store } = this.#deps;
    await db.write(() => {
      for (const turn of store.openTurns.all()) {
        if (turn.workspace_id === workspaceId && turn.status === "queued") this.#endTurn(turn, "cancelled", null);
      }
    });
    const active = this.#active.get(workspaceId);
    active?.abort.abort(new TurnStopped("cancelled"));
    await active?.ended;
  }

  /** At shutdown: running turns are marked interrupted with what they have; queued ones too. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const active = [...this.#active.values()];
    for (const turn of active) turn.abort.abort(new TurnStopped("interrupted"));
    await Promise.all(active.map((turn) => turn.ended));
    const { db, store } = this.#deps;
    await db.write(() => {
      for (const turn of store.openTurns.all()) this.#endTurn(turn, "interrupted", null);
    });
  }

  /** Sends a turn's events to a viewer: what is stored, what is being said, what comes; ends with the turn. */
  followTurn(caller: Caller, turn: { id: number; workspace_id: number }, after: number, viewer: Viewer): () => void {
    const { journal, store } = this.#deps;
    return journal.follow(viewer, {
      workspaceId: turn.workspace_id,
      turnId: turn.id,
      after,
      allowed: () => this.#stillSees(caller, turn.workspace_id),
      partials: () => this.#partials(turn.workspace_id),
      over: () => isOver(store.turnById.get(turn.id)?.status),
    });
  }

  /** `after` null: only what comes from now on. */
  followWorkspace(caller: Caller, workspaceId: number, after: number | null, viewer: Viewer): () => void {
    return this.#deps.journal.follow(viewer, {
      workspaceId,
      turnId: null,
      after,
      allowed: () => this.#stillSees(caller, workspaceId),
      partials: () => this.#partials(workspaceId),
      over: () => false,
    });
  }

  #requireRunning(): void {
    if (this.#stopping) throw new AppError("unavailable", "the service is stopping");
  }

  #requireQueue(workspaceId: number, input: Chat): void {
    if (input.queue !== true) {
      throw new AppError("turn_running", "a turn is running in this workspace: wait for it, cancel it, or send queue: true to be next");
    }
    if (this.#deps.store.queuedCount.get(workspaceId)!.count >= TURNS_QUEUED_MAX) {
      throw new AppError("refused", `${TURNS_QUEUED_MAX} turns are waiting already`);
    }
  }

  /** Inside a write: the turn runs from here on; its message is said, its blueprint kept. */
  #begin(row: TurnRow): Run {
    const { store, blueprint, conversation, journal, clock } = this.#deps;
    this.#closeDanglingCalls(row.workspace_id);
    const agent = blueprint.orchestratorOf(row.workspace_id);
    store.startTurn.run(blueprint.keep(row.workspace_id), clock.now(), row.id);
    journal.append(row.workspace_id, row.id, "turn.started", { turn: toTurn(store.turnById.get(row.id)!) });
    const run = store.insertRun.get(row.workspace_id, row.id, agent.id, null, null, 0, clock.now())!;
    const base = { workspaceId: row.workspace_id, turnId: row.id, runId: run.id, agentId: agent.id, thread: 0 };
    conversation.append({ ...base, kind: "person", text: row.text });
    return { row: run, agentIds: [agent.id] };
  }

  /** Calls that a crash left open in earlier turns get their end on record before the conversation goes on. */
  #closeDanglingCalls(workspaceId: number): void {
    const { store, conversation, blueprint, clock } = this.#deps;
    const agentId = blueprint.orchestratorOf(workspaceId).id;
    for (const call of store.danglingCalls.all(workspaceId)) {
      const begun = call.state === "started";
      store.finishToolCall.run(clock.now(), clock.now(), call.call_id);
      conversation.append({
        workspaceId,
        turnId: call.turn_id,
        runId: call.run_id,
        agentId,
        thread: 0,
        kind: "tool",
        callId: call.call_id,
        tool: call.tool,
        outcome: begun ? "unknown" : "interrupted",
        text: begun ? "Interrupted: whether this call took effect is not known." : "Interrupted before it began: nothing was done.",
      });
    }
  }

  #reopen(row: TurnRow): Run {
    const { store, conversation, journal } = this.#deps;
    if (!["interrupted", "failed", "cancelled"].includes(row.status)) {
      throw new AppError(row.status === "done" ? "conflict" : "turn_running", `the turn is ${row.status}: it can't be resumed`);
    }
    if (store.openCount.get(row.workspace_id)!.count > 0) throw new AppError("turn_running", "another turn is running in this workspace");
    if (store.laterStarted.get(row.workspace_id, row.id)) {
      throw new AppError("conflict", "the conversation went on after this turn: it can't be resumed any more");
    }
    for (const entry of store.partialsOf.all(row.id)) conversation.forgetById(entry.id);
    const root = store.rootRun.get(row.id);
    const run = root ? { row: root, agentIds: [root.agent_id] } : this.#begin(row);
    store.setRun.run("running", null, run.row.id);
    store.setTurn.run("running", null, null, row.id);
    if (root) journal.append(row.workspace_id, row.id, "turn.resumed", { turn: toTurn(store.turnById.get(row.id)!) });
    return run;
  }

  #launch(workspaceId: number, turnId: number, caller: Caller, run: Run): void {
    const abort = new AbortController();
    const context: TurnContext = { caller, wires: this.#wiresAtStart(turnId), signal: abort.signal, speaking: new Map() };
    const ended = Promise.withResolvers<void>();
    this.#active.set(workspaceId, { turnId, abort, context, ended: ended.promise });
    this.#deps.background.run(`turn ${turnId}`, async () => {
      try {
        await this.#finish(turnId, await this.#runTurn(context, run));
      } finally {
        this.#active.delete(workspaceId);
        ended.resolve();
      }
      await this.#startNext(workspaceId);
    });
  }

  async #runTurn(context: TurnContext, run: Run): Promise<RunOutcome> {
    try {
      return await this.#deps.engine.run(context, run);
    } catch (error) {
      this.#deps.log.error("turn failed", { turn: run.row.turn_id, error: messageOf(error) });
      return { status: "failed", error: error instanceof AppError ? error.message : "internal error" };
    }
  }

  #finish(turnId: number, outcome: RunOutcome): Promise<void> {
    const { db, store } = this.#deps;
    return db.write(() => {
      const row = store.turnById.get(turnId);
      if (row) this.#endTurn(row, outcome.status, outcome.status === "failed" ? outcome.error : null);
    });
  }

  async #startNext(workspaceId: number): Promise<void> {
    if (this.#stopping) return;
    const { db, store, authentication, access } = this.#deps;
    const next = await db.write(() => {
      const row = store.nextQueued.get(workspaceId);
      if (!row) return undefined;
      const asked = this.#waiting.get(row.id);
      this.#waiting.delete(row.id);
      const caller = asked && authentication.renewed(asked);
      if (caller && access.sees(caller, workspaceId)) return { id: row.id, caller, run: this.#begin(row) };
      this.#endTurn(row, "failed", "who asked for this turn may no longer use this workspace");
      return { id: row.id, caller: undefined, run: undefined };
    });
    if (!next) return;
    if (next.caller) this.#launch(workspaceId, next.id, next.caller, next.run);
    else await this.#startNext(workspaceId);
  }

  /** Inside a write. */
  #endTurn(row: TurnRow, status: Exclude<TurnStatus, "queued" | "running" | "waiting">, error: string | null): void {
    const { store, journal, clock } = this.#deps;
    const now = clock.now();
    store.setTurn.run(status, error, now, row.id);
    const runStatus = status === "done" ? "interrupted" : status;
    store.setOpenRuns.run(runStatus, now, row.id);
    store.setOpenCalls.run(runStatus, row.id);
    journal.append(row.workspace_id, row.id, "turn.finished", { turn: toTurn(store.turnById.get(row.id)!) });
  }

  #wiresAtStart(turnId: number): Set<string> {
    const wires = this.#deps.blueprint.wiresWhenBegan(turnId);
    return new Set(wires.map((wire) => `${wire.from_agent_id}>${wire.to_agent_id}`));
  }

  #stillSees(caller: Caller, workspaceId: number): boolean {
    const now = this.#deps.authentication.renewed(caller);
    return now !== undefined && this.#deps.access.sees(now, workspaceId);
  }

  #partials(workspaceId: number): { turnId: number; data: PartialData }[] {
    const active = this.#active.get(workspaceId);
    if (!active) return [];
    return [...active.context.speaking.values()].map(({ run, call }) => ({
      turnId: active.turnId,
      data: { run_id: run.row.id, agent_id: run.row.agent_id, text: call.text, reasoning: call.reasoning },
    }));
  }
}

function isOver(status: TurnStatus | undefined): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting";
}

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    status: row.status,
    text: row.text,
    user_id: row.user_id,
    user_name: row.user_name,
    error: row.error,
    created_at: rfc3339(row.created_at),
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}
