// Tells viewers of the list in which workspaces something happened, so that they ask for those again, and which ones they no longer see. Changes are
// collected for a moment: a turn makes many events, and the list shows only their sum.

import type { Background } from "../../kit/concurrency/background.ts";
import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { frame, type Viewer } from "../../kit/http/sse.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Access } from "../workspaces/access.ts";
import { ACTIVITY_IDS_MAX, type ActivityChanged } from "./schema.ts";

const COLLECTED_MS = 500;
/** Changed workspaces that are checked for each viewer; for more, viewers read the whole list again. */
const CHANGED_MAX = 1_000;
/** Workspaces of a viewer whose end they are told; of others they learn when they read the list. */
const KNOWN_MAX = 5_000;

interface LiveListDeps {
  readonly journal: Journal;
  readonly access: Access;
  readonly authentication: Authentication;
  readonly background: Background;
}

interface Follower {
  readonly caller: Caller;
  readonly viewer: Viewer;
  /** The workspaces that they saw: only those may be named once they no longer see them. */
  readonly known: Set<number>;
}

export class LiveList {
  readonly #deps: LiveListDeps;
  readonly #followers = new Set<Follower>();
  #changed = new Set<number>();
  #isCollecting = false;

  constructor(deps: LiveListDeps) {
    this.#deps = deps;
    deps.journal.whenActive((id) => this.#note(id));
  }

  /** Call the returned function when the viewer leaves. */
  follow(caller: Caller, viewer: Viewer): () => void {
    const seen = this.#deps.access.visibleAfter(caller, 0, KNOWN_MAX);
    const follower = { caller, viewer, known: new Set(seen.map(({ id }) => id)) };
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  #note(workspaceId: number): void {
    if (this.#followers.size === 0) return;
    this.#changed.add(workspaceId);
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    setTimeout(() => this.#deps.background.run("list of workspaces", () => this.#tell()), COLLECTED_MS);
  }

  async #tell(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#isCollecting = false;
    const stretch = new Stretch(LIGHT_STEPS);
    for (const { caller, viewer, known } of this.#followers) {
      const now = this.#deps.authentication.renewed(caller);
      if (!now) {
        viewer.end();
        continue;
      }
      const told: number[] = [];
      if (changed.size <= CHANGED_MAX)
        for (const id of changed) {
          if (this.#concerns(now, known, id)) told.push(id);
          if (stretch.isOver()) await turnOfOthers();
        }
      const isAll = changed.size > CHANGED_MAX || told.length > ACTIVITY_IDS_MAX;
      const data: ActivityChanged = { workspace_ids: isAll ? null : told };
      if (isAll || told.length > 0) viewer.send(frame("activity.changed", data));
    }
  }

  /** Whether they see it, or no longer see it. */
  #concerns(caller: Caller, known: Set<number>, id: number): boolean {
    if (!this.#deps.access.sees(caller, id)) return known.delete(id);
    if (known.size < KNOWN_MAX) known.add(id);
    return true;
  }
}
