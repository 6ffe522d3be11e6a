// A workspace that is being imported: it has rows, and nobody sees it before its last transaction. After a crash, the next start removes it.

import { notFound } from "../../kit/error.ts";
import type { Name } from "../../kit/text/names.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { WorkspaceEvents } from "./events.ts";
import type { Budget, Workspace } from "./schema.ts";
import type { WorkspaceStore } from "./store.ts";

/** The workspace as a file describes it. */
interface Described {
  readonly name: string;
  readonly display_name: string | null;
  readonly description: string;
  readonly budget: Budget | null;
}

/** The parts that the rules of workspaces provide. */
interface Rows {
  readonly insertComing: (
    ownerId: number,
    made: { given: Name | undefined; original: string; description: string; budget: string | null },
  ) => number;
  readonly recordOf: (id: number) => Workspace;
  readonly abandon: (id: number) => void;
}

interface StagingDeps extends Rows {
  readonly store: WorkspaceStore;
  readonly journal: Journal<WorkspaceEvents>;
}

export class Staging {
  readonly #deps: StagingDeps;

  constructor(deps: StagingDeps) {
    this.#deps = deps;
  }

  /** Begins inside a write, under the given name, or under a free one like that of the file. Returns the id. Raises `conflict`. */
  beginIn(caller: Caller, described: Described, given: Name | undefined): number {
    requireSignedIn(caller);
    const { store, insertComing } = this.#deps;
    const { name, display_name: displayName, description, budget } = described;
    const json = budget === null ? null : JSON.stringify(budget);
    const id = insertComing(caller.userId, { given, original: name, description, budget: json });
    if (displayName !== null) store.setDisplayName.run(displayName, id);
    return id;
  }

  /** Makes it visible, inside a write. Raises `not_found` if its owner was deleted meanwhile. */
  showIn(caller: Caller, id: number): void {
    requireSignedIn(caller);
    if (this.#deps.store.setLive.run(id) === 0) throw notFound("workspace", id);
  }

  /** Returns its record, inside a write, as its first event says it. */
  announceIn(id: number): Workspace {
    const { journal, recordOf } = this.#deps;
    const workspace = recordOf(id);
    journal.append(id, null, "workspace.updated", { workspace });
    return workspace;
  }

  /** Removes what there is of it, in the background. */
  abandon(id: number): void {
    this.#deps.abandon(id);
  }
}
