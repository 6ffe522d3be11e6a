// Builds approvals: the list of what waits for a person, and the record of what people decided.

import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Approvals, type ApprovalSource } from "./approvals.ts";
import { Decisions } from "./decisions.ts";
import { decisionStore } from "./store.ts";

interface ApprovalNeeds {
  readonly access: Access;
  readonly sources: readonly ApprovalSource[];
}

export function buildApprovals({ db }: Ground, { access, sources }: ApprovalNeeds) {
  const decisions = new Decisions({
    store: decisionStore(db),
    requireSight: (caller, workspaceId) => void access.workspace(caller, workspaceId),
  });
  return { approvals: new Approvals(sources), decisions };
}
