// Lists pending approvals from the sources that features register in parts.ts. It decides nothing: each approval names the route that
// decides it.

import { compare } from "../../kit/compare.ts";
import type { Caller } from "../identity/caller.ts";
import { APPROVALS_MAX, type Approval } from "./schema.ts";

/**
 * Returns a feature's pending approvals that this caller may decide, oldest first, at most `limit`. Synchronous and read-only, because it
 * runs for every request of the list.
 */
export type ApprovalSource = (caller: Caller, limit: number) => Approval[];

export class Approvals {
  readonly #sources: readonly ApprovalSource[];

  constructor(sources: readonly ApprovalSource[]) {
    this.#sources = sources;
  }

  /** Lists approvals of all workspaces, oldest first, at most APPROVALS_MAX. */
  list(caller: Caller): Approval[] {
    return this.#sources
      .flatMap((source) => source(caller, APPROVALS_MAX))
      .sort((a, b) => compare(a.requested_at, b.requested_at) || compare(a.kind, b.kind) || a.id - b.id)
      .slice(0, APPROVALS_MAX);
  }
}
