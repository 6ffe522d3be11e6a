// The people who wait for runs of gears. Once they lose the right to see a run, they get nothing more of it: their stream ends, and the answer is
// the refusal. The run itself continues.

import type { Viewer } from "../../kit/http/sse.ts";
import { UNASKED, ViewerRights, type Watching } from "../../kit/http/viewer-rights.ts";
import type { Log } from "../../kit/log.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Access } from "../workspaces/access.ts";

interface RunViewersDeps {
  readonly access: Access;
  readonly authentication: Authentication;
  readonly journal: Journal;
  readonly log: Log;
}

/** The person who asked for a run, and the workspace whose files it has. */
interface Asked {
  readonly caller: Caller;
  readonly workspaceId: number | null;
}

export class RunViewers {
  readonly #deps: RunViewersDeps;
  readonly #watching = new Set<Watching>();
  readonly #rights: ViewerRights;

  constructor(deps: RunViewersDeps) {
    this.#deps = deps;
    this.#rights = new ViewerRights(() => this.#watching, deps.log);
    deps.journal.whenRightsChange(() => this.#rights.changed());
  }

  /** Returns the viewer as one that is sent events only while its person sees the run. Call `leave` when it disconnects. */
  guard(asked: Asked, viewer: Viewer): { viewer: Viewer; leave: () => void } {
    const watching: Watching = { viewer, allowed: () => this.#sees(asked), asked: UNASKED };
    this.#watching.add(watching);
    const send: Viewer["send"] = (frame) => this.#rights.admits(watching) && viewer.send(frame);
    return {
      viewer: { send, drained: () => viewer.drained(), end: () => viewer.end() },
      leave: () => void this.#watching.delete(watching),
    };
  }

  /** Raises `unauthenticated` or `not_found` once the person may not see the run. */
  require({ caller, workspaceId }: Asked): void {
    requireSignedIn(caller);
    if (workspaceId !== null) this.#deps.access.workspace(caller, workspaceId);
  }

  #sees({ caller, workspaceId }: Asked): boolean {
    const now = this.#deps.authentication.renewed(caller);
    return now !== undefined && (workspaceId === null || this.#deps.access.sees(now, workspaceId));
  }
}
