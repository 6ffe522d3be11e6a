// Tells viewers of the list in which workspaces something happened, so that they ask for those again, and which ones they now see or no longer see.
// Changes are collected for a moment: a turn makes many events, and the list shows only their sum.

import type { Background } from "../../kit/concurrency/background.ts";
import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { frame, type Viewer } from "../../kit/http/sse.ts";
import { UNASKED, ViewerRights, type Watching } from "../../kit/http/viewer-rights.ts";
import type { Log } from "../../kit/log.ts";
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
  readonly log: Log;
}

interface Follower extends Watching {
  readonly caller: Caller;
  /** The workspaces that they saw: only those may be named once they no longer see them. */
  readonly known: Set<number>;
}

export class LiveList {
  readonly #deps: LiveListDeps;
  readonly #followers = new Set<Follower>();
  #changed = new Set<number>();
  /** Whether rights changed since viewers were told. */
  #hasNewRights = false;
  #isCollecting = false;
  readonly #rights: ViewerRights;

  constructor(deps: LiveListDeps) {
    this.#deps = deps;
    this.#rights = new ViewerRights(() => this.#followers, deps.log);
    deps.journal.whenActive((id) => this.#note(id));
    deps.journal.whenRightsChange(() => this.#noteRights());
  }

  /** Call the returned function when the viewer leaves. */
  follow(caller: Caller, viewer: Viewer): () => void {
    const { access, authentication } = this.#deps;
    const known = new Set(access.visibleAfter(caller, 0, KNOWN_MAX).map(({ id }) => id));
    const allowed = () => authentication.renewed(caller) !== undefined;
    const follower: Follower = { caller, viewer, known, allowed, asked: UNASKED };
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  #note(workspaceId: number): void {
    if (this.#followers.size === 0) return;
    this.#changed.add(workspaceId);
    this.#collect();
  }

  /** A person may see other workspaces now, although nothing happened in them. */
  #noteRights(): void {
    if (this.#followers.size === 0) return;
    this.#rights.changed();
    this.#hasNewRights = true;
    this.#collect();
  }

  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    setTimeout(() => this.#deps.background.run("list of workspaces", () => this.#tell()), COLLECTED_MS);
  }

  async #tell(): Promise<void> {
    const changed = this.#changed;
    const hasNewRights = this.#hasNewRights;
    this.#changed = new Set();
    this.#hasNewRights = false;
    this.#isCollecting = false;
    const stretch = new Stretch(LIGHT_STEPS);
    for (const { caller, viewer, known } of this.#followers) {
      const now = this.#deps.authentication.renewed(caller);
      if (!now) {
        viewer.end();
        continue;
      }
      const told = new Set(hasNewRights ? await this.#gainedOrLost(now, known) : []);
      if (changed.size <= CHANGED_MAX)
        for (const id of changed) {
          if (this.#concerns(now, known, id)) told.add(id);
          if (stretch.isOver()) await turnOfOthers();
        }
      const isAll = changed.size > CHANGED_MAX || told.size > ACTIVITY_IDS_MAX;
      const data: ActivityChanged = { workspace_ids: isAll ? null : [...told] };
      if (isAll || told.size > 0) viewer.send(frame("activity.changed", data));
    }
  }

  async #gainedOrLost(caller: Caller, known: Set<number>): Promise<number[]> {
    const { access } = this.#deps;
    const stretch = new Stretch();
    const visible = new Set(access.visibleAfter(caller, 0, KNOWN_MAX).map(({ id }) => id));
    const found: number[] = [];
    for (const id of known)
      if (!visible.has(id)) {
        if (!access.sees(caller, id) && known.delete(id)) found.push(id);
        if (stretch.isOver()) await turnOfOthers();
      }
    for (const id of visible)
      if (known.size < KNOWN_MAX && !known.has(id)) {
        known.add(id);
        found.push(id);
      }
    if (stretch.isOver()) await turnOfOthers();
    return found;
  }

  /** Whether they see it, or no longer see it. */
  #concerns(caller: Caller, known: Set<number>, id: number): boolean {
    if (!this.#deps.access.sees(caller, id)) return known.delete(id);
    if (known.size < KNOWN_MAX) known.add(id);
    return true;
  }
}
