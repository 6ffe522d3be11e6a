// The one door to a workspace and to everything in it. What the caller may not see answers exactly like what does not exist.

import { AppError, notFound } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import { viewerOf, type WorkspaceRow, type WorkspaceStore } from "./store.ts";

/** Refusals of what is there, but not for this caller: the answer does not tell, the record does. */
const unseen = new WeakSet<AppError>();

export function isUnseen(error: AppError): boolean {
  return unseen.has(error);
}

export class Access {
  readonly #store: WorkspaceStore;

  constructor(store: WorkspaceStore) {
    this.#store = store;
  }

  /** Raises `not_found`. */
  workspace(caller: Caller, id: number): WorkspaceRow {
    const row = this.#store.visible.get({ id, ...viewerOf(caller) });
    if (!row) throw this.#missing("workspace", id, this.#store.byId.get(id) !== null);
    return row;
  }

  /** Whoever asks: for the record of what was done already. */
  exists(id: number): boolean {
    return this.#store.byId.get(id) !== null;
  }

  /** Raises `forbidden` unless the caller owns it or is an admin. `act`: "delete a workspace". */
  requireOwner<Row extends Pick<WorkspaceRow, "owner_id">>(caller: Caller, row: Row, act: string): Row {
    if (caller.role === "admin" || row.owner_id === caller.userId) return row;
    throw new AppError("forbidden", `only the owner or an admin may ${act}`);
  }

  sees(caller: Pick<Caller, "role" | "userId">, workspaceId: number): boolean {
    return this.#store.visible.get({ id: workspaceId, ...viewerOf(caller) }) !== null;
  }

  /** As `sees`, asked of the store once for each workspace: for lists. */
  sight(caller: Caller): (workspaceId: number) => boolean {
    const known = new Map<number, boolean>();
    return (id) => {
      const seen = known.get(id) ?? this.sees(caller, id);
      known.set(id, seen);
      return seen;
    };
  }

  /** For records in a workspace (agent, wire, entry, turn, …): the record, or the 404 of its own noun. */
  nested<Row extends { workspace_id: number }>(
    caller: Caller,
    noun: string,
    id: number,
    row: Row | null,
  ): Row {
    if (!row || !this.sees(caller, row.workspace_id)) throw this.#missing(noun, id, row !== null);
    return row;
  }

  #missing(noun: string, id: number, isThere: boolean): AppError {
    const error = notFound(noun, id);
    if (isThere) unseen.add(error);
    return error;
  }
}
