// The life of turns: one at a time for a workspace, queued when asked, cancelled, resumed, interrupted by a stop of the service.
// A turn belongs to the server: it goes on when its viewers leave.
//
// Turns begin and end inside writes, several of which may share one commit. `#begun` and `#waiting` are therefore kept in the writes
// themselves: an open turn that is in neither was left behind by a failure of the storage.

import type { Background } from "../../kit/background.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { AppError, messageOf, notFound } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Journal } from "../journal/journal.ts";
import type { PartialData } from "../journal/schema.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Caller } from "../people/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { TurnStopped, type RunOutcome, type TurnContext } from "./context.ts";
import type { Engine } from "./engine.ts";
import type { Openings } from "./openings.ts";
import { isOver, toTurn } from "./records.ts";
import type { Run } from "./recorder.ts";
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
  /** Turns that this process began and whose end is not on record. */
  readonly #begun = new Set<number>();
  /** Who asked for queued turns; they don't outlive the process, as queued turns don't. */
  readonly #waiting = new Map<number, Caller>();
  /** Workspaces that are about to be deleted. */
  readonly #closing = new Set<number>();
  #stopping = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  /** At start: whatever was open when the service ended is interrupted, with what it had. */
  reconcile(): number {
    const { db, store, openings } = this.#deps;
    return db.writeNow(() => {
      const open = store.openTurns.all();
      for (const turn of open) openings.interrupt(turn);
      return open.length;
    });
  }

  /** Raises `turn_running` (409) while another turn runs, unless it may be queued; `refused` when the queue is full. */
  chat(caller: Caller, workspaceId: number, input: Chat): Promise<Turn> {
    const { db, store, access, openings, clock } = this.#deps;
    return db.write(() => {
      access.workspace(caller, workspaceId);
      if (input.text.trim() === "") throw new AppError("invalid", "text: must not be empty");
      this.#requireOpen(workspaceId);
      const busy = store.openCount.get(workspaceId)!.count > 0;
      if (busy) this.#requireQueue(workspaceId, input);
      const { id } = store.insertTurn.get(
        workspaceId,
        input.text,
        caller.userId,
        caller.name,
        caller.auth,
        clock.now(),
      )!;
      const row = store.turnById.get(id)!;
      if (busy) {
        openings.tell("turn.queued", id);
        this.#waiting.set(id, caller);
      } else this.#launch(row, caller, openings.begin(row));
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

  /** Goes on with a turn that was interrupted, failed or cancelled, if nothing was said since. Raises `conflict`, `turn_running`. */
  resume(caller: Caller, id: number): Promise<Turn> {
    const { db, store, openings } = this.#deps;
    return db.write(() => {
      const row = this.visible(caller, id);
      this.#requireOpen(row.workspace_id);
      this.#launch(row, caller, openings.reopen(row));
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

  /** At shutdown: running turns are marked interrupted with what they have; queued ones too. */
  async stop(): Promise<void> {
    const { db, store, openings } = this.#deps;
    this.#stopping = true;
    const active = [...this.#active.values()];
    for (const turn of active) turn.abort.abort(new TurnStopped("interrupted"));
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, STOP_WAIT_MS);
    await Promise.race([Promise.all(active.map((turn) => turn.ended)), deadline.promise]);
    clearTimeout(timer);
    await db.write(() => {
      for (const turn of store.openTurns.all()) openings.interrupt(turn);
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
      if (!this.#begun.has(turn.id) && !this.#waiting.has(turn.id)) openings.interrupt(turn);
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
    const { db, openings } = this.#deps;
    openings.end(row, "cancelled", null);
    db.afterCommit(() => this.#waiting.delete(row.id));
  }

  /** Inside the write in which the turn begins or goes on. */
  #launch({ id: turnId, workspace_id: workspaceId }: TurnRow, caller: Caller, run: Run): void {
    const { db, background } = this.#deps;
    this.#begun.add(turnId);
    db.afterCommit(() => {
      this.#waiting.delete(turnId);
      const abort = new AbortController();
      const ended = Promise.withResolvers<void>();
      const context: TurnContext = {
        caller,
        wires: this.#wiresAtStart(turnId),
        signal: abort.signal,
        speaking: new Map(),
        waiting: new Map(),
        tainted: this.#deps.store.isTainted.get(turnId) !== null,
      };
      const active: ActiveTurn = { turnId, abort, context, ended: ended.promise };
      this.#active.set(workspaceId, active);
      background.run(`turn ${turnId}`, async () => {
        try {
          await this.#finish(turnId, await this.#runTurn(context, run));
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
  async #finish(turnId: number, outcome: RunOutcome): Promise<void> {
    for (;;) {
      try {
        return await this.#recordEnd(turnId, outcome);
      } catch (error) {
        const refused = error instanceof AppError && error.code === "unavailable";
        if (!refused || this.#stopping) throw error;
        this.#deps.log.error("the end of a turn could not be stored", { turn: turnId, error: error.message });
        await new Promise((resolve) => setTimeout(resolve, END_RETRY_MS));
      }
    }
  }

  #recordEnd(turnId: number, outcome: RunOutcome): Promise<void> {
    const { db, store, openings } = this.#deps;
    return db.write(() => {
      const row = store.turnById.get(turnId);
      if (!row || isOver(row.status)) return;
      openings.end(row, outcome.status, outcome.status === "failed" ? outcome.error : null);
    });
  }

  /** Begins the first queued turn whose person may still use the workspace; those before it fail, which they are told. */
  async #startNext(workspaceId: number): Promise<void> {
    const { db, store } = this.#deps;
    if (this.#stopping || store.queuedCount.get(workspaceId)!.count === 0) return;
    try {
      await db.write(() => {
        if (!this.#stopping && !this.#closing.has(workspaceId)) this.#beginQueued(workspaceId);
      });
    } catch (error) {
      for (const row of store.queuedOf.all(workspaceId)) this.#waiting.delete(row.id);
      throw error;
    }
  }

  #beginQueued(workspaceId: number): void {
    const { store, openings, authentication, access } = this.#deps;
    if (store.openCount.get(workspaceId)!.count > store.queuedCount.get(workspaceId)!.count) return;
    for (const row of store.queuedOf.all(workspaceId)) {
      const asked = this.#waiting.get(row.id);
      const caller = asked && authentication.renewed(asked);
      if (caller && access.sees(caller, workspaceId)) return this.#launch(row, caller, openings.begin(row));
      openings.end(row, "failed", "who asked for this turn may no longer use this workspace");
      this.#waiting.delete(row.id);
    }
  }

  #wiresAtStart(turnId: number): Set<string> {
    const wires = this.#deps.blueprint.wiresWhenBegan(turnId);
    return new Set(wires.map((wire) => `${wire.from_agent_id}>${wire.to_agent_id}`));
  }
}

/** The workspace was deleted meanwhile. */
function gone(id: number): never {
  throw notFound("turn", id);
}
