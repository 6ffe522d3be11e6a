// The only access check of a workspace and everything in it. A record that the caller may not see answers exactly like one that does not exist.

import { AppError, notFound, type ErrorDetails } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import { viewerOf, type WorkspaceRow, type WorkspaceStore } from "./store.ts";

/** A workspace, as far as memory needs it. */
export type BranchedWorkspace = Pick<WorkspaceRow, "id" | "branch" | "shared_branch">;

/** Errors for records that exist but are hidden from the caller. The response does not reveal the difference; the audit does. */
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
    if (!row) throw this.#missing("workspace", id, { isThere: this.#store.byId.get(id) !== null });
    return row;
  }

  /** As `workspace`, inside a write that changes it. Raises `refused` while it is archived. */
  changeable(caller: Caller, id: number): WorkspaceRow {
    const row = this.workspace(caller, id);
    requireUnarchived(row);
    return row;
  }

  /** Returns up to `limit` ids that the caller sees, in ascending order, with the times of their creation. */
  visibleAfter(caller: Caller, after: number, limit: number): { id: number; created_at: number }[] {
    return this.#store.visibleAfter.all({ ...viewerOf(caller), after, limit });
  }

  /** Ignores access, for recording an act that has already happened. */
  exists(id: number): boolean {
    return this.#store.byId.get(id) !== null;
  }

  /** Returns the highest id that this database ever gave to a workspace; 0 if it never had one. */
  highestId(): number {
    return this.#store.highestId.get()?.seq ?? 0;
  }

  /** Raises `forbidden` unless the caller owns it or is an admin. `act` is a clause such as "delete a workspace". */
  requireOwner<Row extends Pick<WorkspaceRow, "owner_id">>(
    caller: Caller,
    row: Row,
    act: string,
    details?: ErrorDetails,
  ): Row {
    if (caller.role === "admin" || row.owner_id === caller.userId) return row;
    throw new AppError("forbidden", `only the owner or an admin may ${act}`, details);
  }

  sees(caller: Pick<Caller, "role" | "userId">, workspaceId: number): boolean {
    return this.#store.visible.get({ id: workspaceId, ...viewerOf(caller) }) !== null;
  }

  /** Returns the workspaces that the caller sees, at most `limit`; undefined: all, because they are an admin. */
  visibleIds(caller: Caller, limit: number): number[] | undefined {
    const viewer = viewerOf(caller);
    if (viewer.is_admin === 1) return undefined;
    return this.#store.visibleAfter.all({ ...viewer, after: 0, limit }).map(({ id }) => id);
  }

  /** Like `sees`, with one lookup per workspace, for lists. */
  sight(caller: Caller): (workspaceId: number) => boolean {
    const known = new Map<number, boolean>();
    return (id) => {
      const seen = known.get(id) ?? this.sees(caller, id);
      known.set(id, seen);
      return seen;
    };
  }

  /** Returns a record of a workspace (agent, wire, entry, turn, …), or raises `not_found` with its noun. */
  nested<Row extends { workspace_id: number }>(
    caller: Caller,
    noun: string,
    id: number,
    row: Row | null,
  ): Row {
    if (!row || !this.sees(caller, row.workspace_id))
      throw this.#missing(noun, id, { isThere: row !== null });
    return row;
  }

  /** As `nested`, inside a write that changes the record. Raises `refused` while its workspace is archived. */
  changeableIn<Row extends { workspace_id: number }>(
    caller: Caller,
    noun: string,
    id: number,
    row: Row | null,
  ): Row {
    const found = this.nested(caller, noun, id, row);
    requireUnarchived(this.#store.byId.get(found.workspace_id)!);
    return found;
  }

  isArchived(id: number): boolean {
    return (this.#store.byId.get(id)?.archived_at ?? null) !== null;
  }

  #missing(noun: string, id: number, { isThere }: { readonly isThere: boolean }): AppError {
    const error = notFound(noun, id);
    if (isThere) unseen.add(error);
    return error;
  }
}

/** Raises `refused`. */
export function requireUnarchived({ archived_at: archivedAt }: Pick<WorkspaceRow, "archived_at">): void {
  if (archivedAt === null) return;
  throw new AppError("refused", "the workspace is archived; unarchive it to change it", { archived: true });
}
