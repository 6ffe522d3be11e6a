// Composes a workspace's blueprint from the features that have a part in it, and keeps it for the turns that begin with it.

import { sha256Hex } from "../../kit/crypto.ts";
import { notFound } from "../../kit/error.ts";
import type { Wire } from "../blueprint/schema.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Access } from "../workspaces/access.ts";
import type { BlueprintRecord, SnapshotContent } from "./schema.ts";
import type { SnapshotStore } from "./store.ts";

export interface SnapshotsDeps {
  readonly store: SnapshotStore;
  readonly access: Access;
  readonly journal: Journal;
  /** What the features have now. */
  readonly content: (workspaceId: number) => SnapshotContent;
}

export class Snapshots {
  readonly #deps: SnapshotsDeps;

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps;
  }

  /** `at`: as it was when that turn began. Raises `not_found`, also for a turn of another workspace or one that has not begun. */
  get(caller: Caller, workspaceId: number, at: number | undefined): BlueprintRecord {
    const { store, access, journal, content } = this.#deps;
    access.workspace(caller, workspaceId);
    if (at === undefined) {
      return {
        workspace_id: workspaceId,
        turn_id: null,
        event_id: journal.lastId(workspaceId),
        ...content(workspaceId),
      };
    }
    const past = store.ofTurn.get(at);
    if (past?.workspace_id !== workspaceId || past.content === null) throw notFound("turn", at);
    return { workspace_id: workspaceId, turn_id: at, event_id: null, ...contentOf(past.content) };
  }

  /** Inside a write: keeps the blueprint as it is now, by content, and returns its id for the turn that begins. */
  keep(workspaceId: number): number {
    const { store, content } = this.#deps;
    const text = JSON.stringify(content(workspaceId));
    const hash = sha256Hex(text);
    store.keep.run(workspaceId, hash, text);
    return store.byHash.get(workspaceId, hash)!.id;
  }

  /** Wires of the blueprint that a turn began with. */
  wiresWhenBegan(turnId: number): Wire[] {
    const text = this.#deps.store.ofTurn.get(turnId)?.content;
    return text ? contentOf(text).wires : [];
  }
}

function contentOf(text: string): SnapshotContent {
  return JSON.parse(text) as SnapshotContent;
}
