// The life cycle of turns: one at a time per workspace; queued on request, cancelled, resumed, or interrupted by a stop of the service.
// A turn belongs to the server: it continues when its viewers leave.
//
// Turns begin and end inside writes, several of which may share a commit, so `#begun` is updated in the writes themselves: a running turn that is
// not in it was left behind by a storage failure. Queued turns exist only in the database, with the person for whom they act.

import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { pagesBySize, type SizedRow } from "../../kit/storage/pages.ts";
import { within } from "../../kit/concurrency/deadline.ts";
import { AppError, fieldError, messageOf, notFound, stopping } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Attachments } from "../attachments/attachments.ts";
import type { Models } from "../catalog/models.ts";
import type { Branches } from "./branches.ts";
import type { InProgress } from "./events.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { stopCause, TurnStopped, type RunOutcome, type TurnContext } from "./turn-context.ts";
import type { Engine } from "./engine.ts";
import type { KeptBlueprints, Openings } from "./openings.ts";
import { isOver, toTurn } from "./records.ts";
import type { Run } from "./recorder.ts";
import type { Standing } from "./standing.ts";
import { TURNS_QUEUED_MAX, type Chat, type OverStatus, type Turn } from "./schema.ts";
import type { TurnRow, TurnStore } from "./store.ts";

/** Time for turns to end at shutdown; a turn that takes longer is recorded as interrupted. */
const STOP_WAIT_MS = 4_000;

const END_RETRY_MS = 1_000;

interface TurnsDeps {
  db: Db;
  store: TurnStore;
  openings: Openings;
  branches: Branches;
  attachments: Attachments;
  models: Models;
  /** The model of a workspace's orchestrator. */
  modelOf: (workspaceId: number) => number;
  engine: Engine;
  snapshots: KeptBlueprints;
  access: Access;
  standing: Standing;
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
  /** Running turns by workspace. */
  readonly #active = new Map<number, ActiveTurn>();
  /** Turns that this process began and whose end is not recorded. A failed commit leaves an ID behind, so look up only turns that are running. */
  readonly #begun = new Set<number>();
  /** Workspaces that are being deleted. */
  readonly #closing = new Set<number>();
  #stopping = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** Marks, at start, turns that a stop interrupted. Queued ones stay. Returns the number of interrupted turns. */
  reconcile(): number {
    const { db, store, openings } = this.#deps;
    return db.writeNow(() => {
      const begun = store.openTurns.all().filter(({ status }) => status !== "queued");
      for (const turn of begun) openings.interrupt(turn);
      return begun.length;
    });
  }

  /** Starts queued turns once the service listens. */
  startQueued(): void {
    const { store, background } = this.#deps;
    for (const { workspace_id: id } of store.workspacesWithQueue.all())
      background.run("queued turns", () => this.#startNext(id));
  }

  /** Ends turns that may no longer continue. Call it whenever rights may have changed. */
  recheck(): void {
    const { store, background } = this.#deps;
    for (const { context } of this.#active.values()) context.check();
    for (const { workspace_id: id } of store.workspacesWithQueue.all())
      background.run("queued turns", () => this.#endBarred(id));
  }

  /** Starts or queues a turn. Raises `turn_running` while another turn runs, unless `queue` is set; `refused` when the queue is full; `not_found`. */
  chat(caller: Caller, workspaceId: number, input: Chat): Promise<Turn> {
    const { db, store, access, openings, branches, models, standing, clock } = this.#deps;
    return db.write(() => {
      access.changeable(caller, workspaceId);
      if (input.text.trim() === "" && !input.attachments?.length)
        throw fieldError("invalid", "text", "must not be empty");
      this.#requireOpen(workspaceId);
      const busy = store.openCount.get(workspaceId)!.count > 0;
      if (busy) this.#requireQueue(workspaceId, input);
      if (input.after) branches.requireTurn(workspaceId, input.after);
      if (input.model_id !== undefined) models.existing(input.model_id);
      const attachments = this.#attached(workspaceId, input);
      const { id } = store.insertTurn.get({
        workspace_id: workspaceId,
        after_id: input.after ?? null,
        is_placed: input.after === undefined ? 0 : 1,
        model_id: input.model_id ?? null,
        text: input.text,
        attachments,
        user_id: caller.userId,
        user_name: caller.name,
        auth: caller.auth,
        created_at: clock.now(),
      })!;
      standing.take(id, caller);
      const row = store.turnById.get(id)!;
      if (busy) openings.announce("turn.queued", id);
      else this.#launch(row, openings.begin(row));
      return toTurn(store.turnById.get(id)!);
    });
  }

  /** Runs inside a write: keeps the attachments that the model can read, as JSON. */
  #attached(workspaceId: number, { attachments = [], model_id }: Chat): string | null {
    if (attachments.length === 0) return null;
    const { attachments: rules, models, modelOf } = this.#deps;
    const reader = models.readerOf(model_id ?? modelOf(workspaceId));
    return JSON.stringify(rules.use(workspaceId, attachments, reader));
  }

  /** Returns pages, oldest first. Access is checked at once, and again for each page. */
  list(caller: Caller, workspaceId: number, page: PageQuery): Generator<Turn[]> {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const { before = Number.MAX_SAFE_INTEGER, limit = LIST_DEFAULT } = page;
    const rows = store.newestTurns.all(workspaceId, before, limit);
    return this.#pages(caller, workspaceId, rows.toReversed());
  }

  *#pages(caller: Caller, workspaceId: number, rows: readonly SizedRow[]): Generator<Turn[]> {
    const { store, access } = this.#deps;
    for (const ids of pagesBySize(rows)) {
      access.workspace(caller, workspaceId);
      yield store.turnsByIds.all(JSON.stringify(ids)).map(toTurn);
    }
  }

  get(caller: Caller, id: number): Turn {
    return toTurn(this.visible(caller, id));
  }

  visible(caller: Caller, id: number): TurnRow {
    return this.#deps.access.nested(caller, "turn", id, this.#deps.store.turnById.get(id));
  }

  /** Cancels a queued or running turn, and resolves when it has ended. Raises `conflict` when it has already ended. */
  async cancel(caller: Caller, id: number): Promise<Turn> {
    const { db, store } = this.#deps;
    const workspaceId = await db.write(() => {
      const row = this.visible(caller, id);
      if (isOver(row.status))
        throw new AppError("conflict", `the turn is ${row.status}; there is nothing to cancel`);
      if (row.status === "queued" || !this.#begun.has(id)) this.#cancelWaiting(row);
      return row.workspace_id;
    });
    const active = this.#active.get(workspaceId);
    if (active?.turnId === id) {
      active.abort.abort(new TurnStopped("cancelled"));
      await active.ended;
    }
    return toTurn(store.turnById.get(id) ?? gone(id));
  }

  /** Resumes, for the caller, an interrupted, failed or cancelled turn, unless the conversation has continued. Raises `conflict`, `turn_running`. */
  resume(caller: Caller, id: number): Promise<Turn> {
    const { db, store, access, openings, standing } = this.#deps;
    return db.write(() => {
      const row = access.changeableIn(caller, "turn", id, store.turnById.get(id));
      this.#requireOpen(row.workspace_id);
      const run = openings.reopen(row);
      standing.take(id, caller);
      this.#launch(row, run);
      return toTurn(store.turnById.get(id)!);
    });
  }

  /** Raises `turn_running`, inside a write, unless every turn of the workspace has ended. */
  requireIdle(workspaceId: number): void {
    if (this.#deps.store.openCount.get(workspaceId)!.count === 0) return;
    throw new AppError(
      "turn_running",
      "a turn is running or queued in this workspace; wait for it or cancel it",
    );
  }

  /** Ends running and queued turns of a workspace that the caller's next write deletes. */
  async stopWorkspace(workspaceId: number): Promise<void> {
    const { db, store } = this.#deps;
    this.#closing.add(workspaceId);
    try {
      await db.write(() => {
        for (const turn of store.openTurnsOf.all(workspaceId))
          if (turn.status === "queued") this.#cancelWaiting(turn);
      });
      const active = this.#active.get(workspaceId);
      active?.abort.abort(new TurnStopped("cancelled"));
      await active?.ended;
    } finally {
      // Reopen after the caller's write, in case it fails.
      const reopen = () => this.#closing.delete(workspaceId);
      setImmediate(() => db.write(reopen).catch(reopen));
    }
  }

  get running(): number {
    return this.#active.size;
  }

  /** Interrupts running turns at shutdown. Queued ones start after the next start. */
  async stop(): Promise<void> {
    const { db, store, openings } = this.#deps;
    this.#stopping = true;
    const active = [...this.#active.values()];
    for (const turn of active) turn.abort.abort(new TurnStopped("interrupted"));
    await within(STOP_WAIT_MS, Promise.all(active.map((turn) => turn.ended)));
    await db.write(() => {
      for (const turn of store.openTurns.all()) if (turn.status !== "queued") openings.interrupt(turn);
    });
  }

  /** Returns the text so far of open model calls, and the pauses of refused ones. */
  inProgress(workspaceId: number): InProgress[] {
    const active = this.#active.get(workspaceId);
    if (!active) return [];
    const { turnId } = active;
    const open = [...active.context.speaking.values()].filter(({ call }) => !call.over);
    return open.flatMap(({ run, call }): InProgress[] => {
      const of = { run_id: run.row.id, agent_id: run.row.agent_id };
      const { text, reasoning, retry } = call;
      if (retry) {
        const wait_ms = Math.max(0, Math.round(retry.until - this.#deps.clock.elapsed()));
        return [{ turnId, type: "retry", data: { ...of, wait_ms, status: retry.status } }];
      }
      if (text === "" && reasoning === "") return [];
      return [{ turnId, type: "partial", data: { ...of, text, reasoning } }];
    });
  }

  /** Runs inside a write. Also ends turns that a storage failure left open, which would block the workspace forever. */
  #requireOpen(workspaceId: number): void {
    if (this.#stopping) throw stopping("service");
    if (this.#closing.has(workspaceId)) throw notFound("workspace", workspaceId);
    const { store, openings } = this.#deps;
    for (const turn of store.openTurnsOf.all(workspaceId)) {
      if (turn.status !== "queued" && !this.#begun.has(turn.id)) openings.interrupt(turn);
    }
  }

  #requireQueue(workspaceId: number, input: Chat): void {
    if (input.queue !== true) {
      throw new AppError(
        "turn_running",
        "a turn is running in this workspace; wait for it, cancel it, or send queue: true to queue the message",
      );
    }
    if (this.#deps.store.queuedCount.get(workspaceId)!.count >= TURNS_QUEUED_MAX) {
      throw new AppError("refused", `${TURNS_QUEUED_MAX} turns are already queued`);
    }
  }

  #cancelWaiting(row: TurnRow): void {
    this.#deps.openings.end(row, "cancelled", null);
  }

  /** Starts the engine after the write in which the turn begins or resumes. */
  #launch({ id: turnId, workspace_id: workspaceId }: TurnRow, run: Run): void {
    const { db, background, standing } = this.#deps;
    this.#begun.add(turnId);
    db.afterCommit(() => {
      const abort = new AbortController();
      const ended = Promise.withResolvers<void>();
      const context: TurnContext = {
        caller: standing.callerOf(turnId),
        check: () => {
          const problem = standing.problem(turnId);
          if (problem !== undefined) abort.abort(new TurnStopped("cancelled", problem));
        },
        require: () => void standing.require(turnId),
        wires: this.#wiresAtStart(turnId),
        signal: abort.signal,
        speaking: new Map(),
        waiting: new Map(),
        documents: new Map(),
        thoughts: new Map(),
      };
      const active: ActiveTurn = { turnId, abort, context, ended: ended.promise };
      this.#active.set(workspaceId, active);
      background.run(`turn ${turnId}`, async () => {
        try {
          const outcome = await this.#runTurn(context, run);
          await this.#finish(
            turnId,
            outcome,
            outcome.status === "failed" ? outcome.error : stopCause(abort.signal),
          );
        } finally {
          this.#begun.delete(turnId);
          // The commit that ended this turn may have begun the next.
          if (this.#active.get(workspaceId) === active) this.#active.delete(workspaceId);
          ended.resolve();
          await this.#startNext(workspaceId);
        }
      });
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

  /** Retries while storage fails (a full disk), because without a recorded end the workspace would be busy until a restart. */
  async #finish(turnId: number, { status }: RunOutcome, error: string | null): Promise<void> {
    for (;;) {
      try {
        return await this.#recordEnd(turnId, status, status === "done" ? null : error);
      } catch (failure) {
        await this.#beforeRetry("cannot store the end of a turn", { turn: turnId }, failure);
      }
    }
  }

  /** Waits before the retry of a write that storage refused. Raises any other failure, and every failure while stopping. */
  async #beforeRetry(what: string, about: Record<string, number>, failure: unknown): Promise<void> {
    const refused = failure instanceof AppError && failure.code === "unavailable";
    if (!refused || this.#stopping) throw failure;
    this.#deps.log.error(what, { ...about, error: failure.message });
    await sleep(END_RETRY_MS);
  }

  #recordEnd(turnId: number, status: OverStatus, error: string | null): Promise<void> {
    const { db, store, openings } = this.#deps;
    return db.write(() => {
      const row = store.turnById.get(turnId);
      if (!row || isOver(row.status)) return;
      openings.end(row, status, error);
    });
  }

  /** Starts the first queued turn that may continue. Those before it are cancelled, with the reason. */
  async #startNext(workspaceId: number): Promise<void> {
    const { db, store } = this.#deps;
    while (!this.#stopping && store.queuedCount.get(workspaceId)!.count > 0) {
      try {
        return await db.write(() => {
          if (!this.#stopping && !this.#closing.has(workspaceId)) this.#beginQueued(workspaceId);
        });
      } catch (failure) {
        await this.#beforeRetry("cannot start a queued turn", { workspace: workspaceId }, failure);
      }
    }
  }

  #beginQueued(workspaceId: number): void {
    const { store, openings } = this.#deps;
    if (store.openCount.get(workspaceId)!.count > store.queuedCount.get(workspaceId)!.count) return;
    this.#cancelBarred(workspaceId);
    const [row] = store.queuedOf.all(workspaceId);
    if (row) this.#launch(row, openings.begin(row));
  }

  #endBarred(workspaceId: number): Promise<void> {
    return this.#deps.db.write(() => this.#cancelBarred(workspaceId));
  }

  #cancelBarred(workspaceId: number): void {
    const { store, openings, standing } = this.#deps;
    for (const row of store.queuedOf.all(workspaceId)) {
      const problem = standing.problem(row.id);
      if (problem !== undefined) openings.end(row, "cancelled", problem);
    }
  }

  #wiresAtStart(turnId: number): Set<string> {
    const wires = this.#deps.snapshots.wiresWhenBegan(turnId);
    return new Set(wires.map((wire) => `${wire.from_agent_id}>${wire.to_agent_id}`));
  }
}

/** For a turn whose workspace was deleted meanwhile. */
function gone(id: number): never {
  throw notFound("turn", id);
}
