// The branches of a conversation. Every turn follows another one, so that a question can be asked again, in other words or of another model, and
// the previous answer stays. One branch is current: its entries are shown and replayed.

import type { Db } from "../../kit/storage/db.ts";
import { AppError, notFound } from "../../kit/error.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Access } from "../workspaces/access.ts";
import type { TurnEvents } from "./events.ts";
import { FORKS_MAX, type Branches as BranchesRecord, type Fork } from "./schema.ts";
import type { TurnRow, TurnStore } from "./store.ts";

interface BranchesDeps {
  db: Db;
  store: TurnStore;
  conversation: Conversation;
  journal: Journal<TurnEvents>;
  access: Access;
}

export class Branches {
  readonly #deps: BranchesDeps;

  constructor(deps: BranchesDeps) {
    this.#deps = deps;
  }

  /** The last turn of the current branch, and the places where the conversation has several continuations, the last place first. */
  list(caller: Caller, workspaceId: number): BranchesRecord {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const path = new Set(this.#pathTo(this.#tip(workspaceId)));
    const forks = new Map<number | null, Fork>();
    for (const { after_id, id, text } of store.forked.all({ workspace_id: workspaceId, limit: FORKS_MAX })) {
      const fork = forks.get(after_id) ?? { after_id, turns: [] };
      forks.set(after_id, fork);
      fork.turns.push({ id, text, current: path.has(id) });
    }
    return { turn_id: this.#tip(workspaceId), forks: [...forks.values()] };
  }

  /** Makes the newest branch with this turn current. Raises `not_found`, also for a turn that never started, and `turn_running`. */
  async choose(caller: Caller, workspaceId: number, turnId: number): Promise<BranchesRecord> {
    const { db, store, access } = this.#deps;
    await db.write(() => {
      access.changeable(caller, workspaceId);
      this.requireTurn(workspaceId, turnId);
      if (store.openCount.get(workspaceId)!.count > 0)
        throw new AppError("turn_running", "a turn is running in this workspace; wait for it or cancel it");
      this.#go(workspaceId, store.newestBelow.all(turnId).at(-1)!.id);
    });
    return this.list(caller, workspaceId);
  }

  /** Raises `not_found` unless it is a turn of this workspace that has started. */
  requireTurn(workspaceId: number, turnId: number): void {
    const row = this.#deps.store.turnById.get(turnId);
    if (row?.workspace_id !== workspaceId || row.started_at === null) throw notFound("turn", turnId);
  }

  /** Gives a turn its place when it begins, inside the write: where its person chose, or at the end of the current branch. */
  place(row: TurnRow): void {
    const { store } = this.#deps;
    const tip = this.#tip(row.workspace_id);
    if (row.is_placed === 0) store.setAfter.run(tip, row.id);
    else if (row.after_id !== tip) this.#go(row.workspace_id, row.after_id);
    store.setTip.run(row.workspace_id, row.id);
  }

  /** Raises `conflict` for a turn that is not the end of the current branch, that another turn follows, or that others overtook. */
  requireEnd(row: TurnRow): void {
    const { store } = this.#deps;
    const { workspace_id: workspaceId, id, started_at: startedAt } = row;
    const later = startedAt === null ? store.laterStarted : store.following;
    if (later.get(workspaceId, id))
      throw new AppError(
        "conflict",
        "the conversation has continued since this turn, so it can no longer be resumed",
      );
    if (startedAt !== null && this.#tip(workspaceId) !== id)
      throw new AppError("conflict", "the turn is on another branch; switch to it first", {
        branch: id,
      });
  }

  #go(workspaceId: number, tip: number | null): void {
    const { store, conversation, journal } = this.#deps;
    const path = new Set(this.#pathTo(tip));
    const aside = store.started.all(workspaceId).flatMap(({ id }) => (path.has(id) ? [] : [id]));
    conversation.setAside(workspaceId, aside);
    store.setTip.run(workspaceId, tip);
    journal.append(workspaceId, null, "branch.switched", { turn_id: tip });
  }

  #tip(workspaceId: number): number | null {
    return this.#deps.store.tip.get(workspaceId)?.turn_id ?? null;
  }

  #pathTo(turnId: number | null): number[] {
    return turnId === null ? [] : this.#deps.store.pathTo.all(turnId).map(({ id }) => id);
  }
}
