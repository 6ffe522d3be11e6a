// Everything that waits for a person, from the sources that features registered. Decides nothing itself: each approval says where
// its decision goes. Adding a feature's approvals is one line in parts.ts.

import type { Caller } from "../identity/caller.ts";
import { APPROVALS_MAX, type Approval } from "./schema.ts";

/**
 * What waits in one feature, as far as this caller may decide it; `[]` for everybody else. Oldest first, at most `limit`.
 * Synchronous and read-only: it is called for every look at the list.
 */
export type ApprovalSource = (caller: Caller, limit: number) => Approval[];

export class Approvals {
  readonly #sources: readonly ApprovalSource[];

  constructor(sources: readonly ApprovalSource[]) {
    this.#sources = sources;
  }

  /** Over all workspaces, oldest first; at most APPROVALS_MAX. */
  list(caller: Caller): Approval[] {
    return this.#sources
      .flatMap((source) => source(caller, APPROVALS_MAX))
      .sort((a, b) => compare(a.requested_at, b.requested_at) || compare(a.kind, b.kind) || a.id - b.id)
      .slice(0, APPROVALS_MAX);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
