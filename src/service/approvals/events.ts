// Events of pending and decided approvals.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";
import { Approval, approvalKinds } from "./schema.ts";

/** The outcome of an approval; `withdrawn` means that its subject is gone. */
const approvalDecisions = ["approved", "accepted", "refused", "disabled", "expired", "withdrawn"] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

const ApprovalDecided = closed({
  kind: oneOf(approvalKinds),
  id: Id,
  decision: oneOf(approvalDecisions),
  /** Null for the service itself, when the approval expired or the turn was cancelled. */
  by: nullable(Type.String()),
  auth: nullable(AuthKind),
  reason: nullable(Type.String()),
  content_hash: Type.String(),
});
type ApprovalDecided = Static<typeof ApprovalDecided>;

export const approvalEvents = {
  "approval.requested": closed({ approval: Approval }),
  "approval.decided": ApprovalDecided,
};
export type ApprovalEvents = typeof approvalEvents;
