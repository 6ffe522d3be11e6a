// Events of pending and decided approvals.

import { Type } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";
import { Approval, approvalDecisions, approvalKinds } from "./schema.ts";

const ApprovalDecided = closed({
  kind: oneOf(approvalKinds),
  id: Id,
  decision: oneOf(approvalDecisions),
  /** Null for the service itself, when the approval expired or the turn was cancelled. */
  by: nullable(Type.String()),
  auth: nullable(AuthKind),
  reason: nullable(Type.String()),
  content_hash: Type.String(),
  /** The question, so that the decision can be shown without the approval; absent from events of earlier builds. */
  subject: Type.Optional(Type.String()),
  /** Of a gear. */
  version: Type.Optional(nullable(Id)),
  agent: Type.Optional(nullable(Type.String())),
  requested_at: Type.Optional(Time),
});

export const approvalEvents = {
  "approval.requested": closed({ approval: Approval }),
  "approval.decided": ApprovalDecided,
};
export type ApprovalEvents = typeof approvalEvents;
