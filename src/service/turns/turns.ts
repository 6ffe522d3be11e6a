// The life of turns: one at a time for a workspace, queued when asked, cancelled, resumed, interrupted by a stop of the service.
// A turn belongs to the server: it goes on when its viewers leave.
//
// Turns begin and end inside writes, several of which may share one commit. `#begun` is therefore kept in the writes themselves: a running
// turn that is not in it was left behind by a failure of the storage. Queued turns are on record only, with the person for whom they act.

import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "../../kit/background.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { within } from "../../kit/deadline.ts";
import { AppError, fieldError, messageOf, notFound } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { PartialData } from "./events.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { stopCause, TurnStopped, type RunOutcome, type TurnContext } from "./context.ts";
import type { Engine } from "./engine.ts";
import type { KeptBlueprints, Openings } from "./openings.ts";
import { isOver, toTurn, type OverStatus } from "./records.ts";
import type { Run } from "./recorder.ts";
import type { Standing } from "./standing.ts";
import { TURNS_QUEUED_MAX, type Chat, type Turn } from "./schema.ts";
import type { TurnRow, TurnStore } from "./store.ts";

/** For turns to end at shutdown; what takes longer is interrupted on record without waiting for it. */
const STOP_WAIT_MS = 4_000;

const END_RETRY_MS = 1_000;

export interface TurnsDeps {
  db: Db;
  store: TurnStore;
  openings: Openings;
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
  /** By workspace. */
  readonly #active = new Map<number, ActiveTurn>();
  /** Turns that this process began and whose end is not on record. */
  readonly #begun = new Set<number>();
  /** Workspaces that are about to be deleted. */
  readonly #closing = new Set<number>();
  #stopping = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** At start: a turn that was running when the service ended is interrupted, with what it had. Queued ones stay. Returns how many. */
  reconcile(): number {
    const { db, store, openings } = this.#deps;
    return db.writeNow(() => {
      const begun = store.openTurns.all().filter(({ status }) => status !== "queued");
      for (const turn of begun) openings.interrupt(turn);
      return begun.length;
    });
  }

  /** At start, once the service listens: turns that were queued when it ended begin. */
  startQueued(): void {
    const { store, background } = this.#deps;
    for (const { workspace_id: id } of store.workspacesWithQueue.all())
      background.run("queued turns", () => this.#startNext(id));
  }

  /** To be called whenever rights may have changed: ends the turns that may not go on. */
  recheck(): void {
    const { store, background } = this.#deps;
    for (const { context } of this.#active.values()) context.check();
    for (const { workspace_id: id } of store.workspacesWithQueue.all())
      background.run("queued turns", () => this.#endBarred(id));
  }

  /** Raises `turn_running` (409) while another turn runs, unless it may be queued; `refused` when the queue is full. */
  chat(caller: Caller, workspaceId: number, input: Chat): Promise<Turn> {
    const { db, store, access, openings, standing, clock } = this.#deps;
    return db.write(() => {
      access.workspace(caller, workspaceId);
      if (input.text.trim() === "") throw fieldError("invalid", "text", "must not be empty");
      this.#requireOpen(workspaceId);
      const busy = store.openCount.get(workspaceId)!.count > 0;
      if (busy) this.#requireQueue(workspaceId, input);
      const { id } = store.insertTurn.get({
        workspace_id: workspaceId,
        text: input.text,
        user_id: caller.userId,
        user_name: caller.name,
        auth: caller.auth,
        created_at: clock.now(),
      })!;
      standing.take(id, caller);
      const row = store.turnById.get(id)!;
      if (busy) openings.tell("turn.queued", id);
      else this.#launch(row, openings.begin(row));
      return toTurn(store.turnById.get(id)!);
    });
  }

  list(caller: Caller, workspaceId: number, page: PageQuery): Turn[] {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const rows = store.turns.all(
      workspaceId,
      page.before ?? Number.MAX_SAFE_INTEGER,
      page.limit ?? LIST_DEFAULT,
    );
    return rows.toReversed().map(toTurn);
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
    const workspaceId = await db.write(() => {
      const row = this.visible(caller, id);
      if (isOver(row.status))
        throw new AppError("conflict", `the turn is ${row.status}: there is nothing to cancel`);
      if (!this.#begun.has(id)) this.#cancelWaiting(row);
      return row.workspace_id;
    });
    const active = this.#active.get(workspaceId);
    if (active?.turnId === id) {
      active.abort.abort(new TurnStopped("cancelled"));
      await active.ended;
    }
    return toTurn(store.turnById.get(id) ?? gone(id));
  }

  /** Goes on, for the caller, with a turn that was interrupted, failed or cancelled, if nothing was said since. Raises `conflict`, `turn_running`. */
  resume(caller: Caller, id: number): Promise<Turn> {
    const { db, store, openings, standing } = this.#deps;
    return db.write(() => {
      const row = this.visible(caller, id);
      this.#requireOpen(row.workspace_id);
      const run = openings.reopen(row);
      standing.take(id, caller);
      this.#launch(row, run);
      return toTurn(store.turnById.get(id)!);
    });
  }

  /** Ends what runs or waits in a workspace that is deleted by the caller's next write. */
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
      // Opened again behind the caller's write, for when that one fails.
      const reopen = () => this.#closing.delete(workspaceId);
      setImmediate(() => db.write(reopen).catch(reopen));
    }
  }

  get running(): number {
    return this.#active.size;
  }

  /** At shutdown: running turns are marked interrupted with what they have. Queued ones stay, and begin after the next start. */
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

  /** What is being said at the moment. */
  partials(workspaceId: number): { turnId: number; data: PartialData }[] {
    const active = this.#active.get(workspaceId);
    if (!active) return [];
    const speaking = [...active.context.speaking.values()].filter(
      ({ call }) => !call.over && (call.text !== "" || call.reasoning !== ""),
    );
    return speaking.map(({ run, call }) => ({
      turnId: active.turnId,
      data: { run_id: run.row.id, agent_id: run.row.agent_id, text: call.text, reasoning: call.reasoning },
    }));
  }

  /** Inside a write. Also clears away what a failure of the storage left open, which would block the workspace for good. */
  #requireOpen(workspaceId: number): void {
    if (this.#stopping) throw new AppError("unavailable", "the service is stopping");
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
        "a turn is running in this workspace: wait for it, cancel it, or send queue: true to be next",
      );
    }
    if (this.#deps.store.queuedCount.get(workspaceId)!.count >= TURNS_QUEUED_MAX) {
      throw new AppError("refused", `${TURNS_QUEUED_MAX} turns are waiting already`);
    }
  }

  #cancelWaiting(row: TurnRow): void {
    this.#deps.openings.end(row, "cancelled", null);
  }

  /** Inside the write in which the turn begins or goes on. */
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
          // The next turn may have begun in the commit that ended this one.
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

  /** While storage refuses (a full disk) the end is tried again and again: without it the workspace would be busy until a restart. */
  async #finish(turnId: number, { status }: RunOutcome, error: string | null): Promise<void> {
    for (;;) {
      try {
        return await this.#recordEnd(turnId, status, status === "done" ? null : error);
      } catch (failure) {
        await this.#beforeRetry("cannot store the end of a turn", { turn: turnId }, failure);
      }
    }
  }

  /** While storage refuses, what has to be on record is tried again and again. Raises any other failure, and any while stopping. */
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

  /** Begins the first queued turn that may go on; those before it are cancelled with the reason. */
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

/** The workspace was deleted meanwhile. */
function gone(id: number): never {
  throw notFound("turn", id);
}
