// Composes a workspace's blueprint from the parts of its features, and stores it for the turns that begin with it.

import { sha256Hex } from "../../kit/crypto.ts";
import { notFound } from "../../kit/error.ts";
import type { Wire } from "../blueprint/schema.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Access } from "../workspaces/access.ts";
import type { BlueprintRecord, SnapshotContent } from "./schema.ts";
import type { SnapshotStore } from "./store.ts";

interface SnapshotsDeps {
  readonly store: SnapshotStore;
  readonly access: Access;
  readonly journal: Journal;
  /** Returns the current parts of all features. */
  readonly content: (workspaceId: number) => SnapshotContent;
}

export class Snapshots {
  readonly #deps: SnapshotsDeps;

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the blueprint, as of the start of turn `at` if given. Raises `not_found`, also for a turn of another workspace or one not yet
   * started.
   */
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

  /** Stores the current blueprint by content, inside a write, and returns its id for the turn that begins. */
  keep(workspaceId: number): number {
    const { store, content } = this.#deps;
    const text = JSON.stringify(content(workspaceId));
    const hash = sha256Hex(text);
    store.keep.run(workspaceId, hash, text);
    return store.byHash.get(workspaceId, hash)!.id;
  }

  /** Returns the wires of the blueprint that a turn began with. */
  wiresWhenBegan(turnId: number): Wire[] {
    const text = this.#deps.store.ofTurn.get(turnId)?.content;
    return text ? contentOf(text).wires : [];
  }
}

function contentOf(text: string): SnapshotContent {
  // Absent in blueprints of turns that began before documents could be bound.
  const { context_bindings = [], ...rest } = JSON.parse(text) as Partial<SnapshotContent>;
  return { ...(rest as SnapshotContent), context_bindings };
}
