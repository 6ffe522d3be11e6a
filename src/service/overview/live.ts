// Tells viewers of the list in which workspaces something happened, so that they ask for those again. Changes are collected for a moment: a
// turn makes many events, and the list shows only their sum.

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

interface LiveListDeps {
  readonly journal: Journal;
  readonly access: Access;
  readonly authentication: Authentication;
  readonly background: Background;
}

interface Follower {
  readonly caller: Caller;
  readonly viewer: Viewer;
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
    const follower = { caller, viewer };
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
    for (const { caller, viewer } of this.#followers) {
      const now = this.#deps.authentication.renewed(caller);
      if (!now) {
        viewer.end();
        continue;
      }
      const seen: number[] = [];
      if (changed.size <= CHANGED_MAX)
        for (const id of changed) {
          if (this.#deps.access.sees(now, id)) seen.push(id);
          if (stretch.isOver()) await turnOfOthers();
        }
      const isAll = changed.size > CHANGED_MAX || seen.length > ACTIVITY_IDS_MAX;
      const data: ActivityChanged = { workspace_ids: isAll ? null : seen };
      if (isAll || seen.length > 0) viewer.send(frame("activity.changed", data));
    }
  }
}
