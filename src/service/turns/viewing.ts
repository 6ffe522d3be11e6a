// Streams turns and workspaces to viewers while they have access: stored events, the text so far, then live events.

import type { Viewer } from "../../kit/http/sse.ts";
import type { Journal, Transient } from "../journal/journal.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { TURN_FINISHED } from "./events.ts";
import { isOver } from "./records.ts";
import type { TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

interface ViewingDeps {
  journal: Journal;
  store: TurnStore;
  turns: Turns;
  access: Access;
  authentication: Authentication;
}

export class Viewing {
  readonly #deps: ViewingDeps;

  constructor(deps: ViewingDeps) {
    this.#deps = deps;
  }

  /** Sends a turn's events to a viewer until the turn ends. Call the returned function when the viewer leaves. */
  turn(
    caller: Caller,
    turn: { id: number; workspace_id: number },
    after: number,
    viewer: Viewer,
  ): () => void {
    const { journal, store } = this.#deps;
    return journal.follow(viewer, {
      workspaceId: turn.workspace_id,
      turnId: turn.id,
      after,
      allowed: () => this.#stillSees(caller, turn.workspace_id),
      inProgress: () => this.#inProgress(turn.workspace_id).filter(({ turnId }) => turnId === turn.id),
      endsWith: TURN_FINISHED,
      over: () => isOver(store.turnById.get(turn.id)?.status),
    });
  }

  /** Sends a workspace's events to a viewer. A null `after` means live events only. */
  workspace(caller: Caller, workspaceId: number, after: number | null, viewer: Viewer): () => void {
    const { journal } = this.#deps;
    return journal.follow(viewer, {
      workspaceId,
      turnId: null,
      after,
      allowed: () => this.#stillSees(caller, workspaceId),
      inProgress: () => this.#inProgress(workspaceId),
      over: () => false,
    });
  }

  #inProgress(workspaceId: number): Transient[] {
    return this.#deps.turns.inProgress(workspaceId);
  }

  #stillSees(caller: Caller, workspaceId: number): boolean {
    const { access, authentication } = this.#deps;
    const now = authentication.renewed(caller);
    return now !== undefined && access.sees(now, workspaceId);
  }
}
