// Pending approvals: one shape for all kinds, so that one list, one badge and one dialog can show them. And what was decided.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";

/** If more are pending, the list shows the oldest. */
export const APPROVALS_MAX = 1000;

export const approvalKinds = ["gear", "instruction", "search"] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** The agents that can call a gear once it is approved. */
export const ApprovalCallers = closed({
  /** A null `agent` means all agents of the workspace. */
  named: Type.Array(closed({ workspace: Type.String(), agent: nullable(Type.String()) })),
  /** Number of bindings in workspaces that the reader may not see. */
  elsewhere: Type.Integer({ minimum: 0 }),
});
export type ApprovalCallers = Static<typeof ApprovalCallers>;

export const Approval = closed({
  kind: oneOf(approvalKinds),
  id: Type.Integer({
    minimum: 1,
    description: "id of the gear, proposal or search request: unique together with `kind`",
  }),
  /** The request in one line. */
  title: Type.String(),
  subject: Type.String({ description: "name of the gear or instruction, or the query" }),
  /** Facts to weigh before deciding, as sentences: whether gears are isolated, how long a query is. */
  facts: Type.Array(Type.String()),
  /** Null unless `kind` is `gear`. */
  callers: nullable(ApprovalCallers),
  /** Hash of the exact content to decide on. A decision must name it, so that it cannot apply to changed content. */
  content_hash: Type.String({ description: "SHA-256, hex" }),
  /** Null for an approval of no workspace. */
  workspace_id: nullable(Id),
  /** The requesting agent; null when a person asks. */
  agent: nullable(Type.String()),
  /** The user who asked, or whose turn it is. */
  requested_by: Type.String(),
  requested_at: Time,
  /** An approval counts as refused after this; null means that it never expires. */
  expires_at: nullable(Time),
  /** The route that takes the decision. */
  decide: closed({ method: oneOf(["POST", "PATCH"] as const), path: Type.String() }),
});
export type Approval = Static<typeof Approval>;

/** The outcome of an approval; `withdrawn` means that its subject is gone. */
export const approvalDecisions = [
  "approved",
  "accepted",
  "refused",
  "disabled",
  "expired",
  "withdrawn",
] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** A decision that was made in a workspace: about an approval, a permission to search (`grant`), or a mark of untrusted text (`taint`). */
export const DecisionRecord = closed({
  id: Type.Integer({ minimum: 1, description: "number of the event that recorded it" }),
  kind: oneOf([...approvalKinds, "grant", "taint"] as const),
  /** Id of the gear, proposal, search request, permission or entry. */
  subject_id: Id,
  decision: oneOf([...approvalDecisions, "granted", "revoked", "cleared"] as const),
  /** Null for the service itself, when the approval expired or the turn was cancelled. */
  by: nullable(Type.String()),
  auth: nullable(AuthKind),
  reason: nullable(Type.String()),
  time: Time,
  /** Name of the gear or instruction, or the query; null for others, and for decisions of earlier builds. */
  subject: nullable(Type.String()),
  /** Of the gear. */
  version: nullable(Id),
  content_hash: nullable(Type.String()),
  /** The agent that asked. */
  agent: nullable(Type.String()),
  /** The agent that got or lost a permission. */
  agent_id: nullable(Id),
  requested_at: nullable(Time),
  turn_id: nullable(Id),
});
export type DecisionRecord = Static<typeof DecisionRecord>;
