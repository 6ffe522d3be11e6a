// What waits for a person: one shape for all kinds, so that one list, one badge and one dialog can show them.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";

/** Shown at once; of more, the oldest. What is decided makes room for the rest. */
export const APPROVALS_MAX = 1000;

export const approvalKinds = ["gear", "instruction", "search"] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** Who can call a gear once it is approved. */
export const ApprovalCallers = closed({
  /** `agent` null: all agents of the workspace. */
  named: Type.Array(closed({ workspace: Type.String(), agent: nullable(Type.String()) })),
  /** Counted only: bindings in workspaces that a reader of this approval may not see. */
  elsewhere: Type.Integer({ minimum: 0 }),
});
export type ApprovalCallers = Static<typeof ApprovalCallers>;

export const Approval = closed({
  kind: oneOf(approvalKinds),
  id: Type.Integer({
    minimum: 1,
    description: "id of the gear, proposal or search request: unique together with `kind`",
  }),
  /** One line that says what is asked. */
  title: Type.String(),
  subject: Type.String({ description: "name of the gear or instruction, or the query" }),
  /** What a person must know before deciding, in plain words: whether gears are isolated, how long a query is. */
  facts: Type.Array(Type.String()),
  /** Null for anything but a gear. */
  callers: nullable(ApprovalCallers),
  /** Exactly this is decided on; a decision names it, so that it can't be about something else by then. */
  content_hash: Type.String({ description: "SHA-256, hex" }),
  /** Null when it belongs to no workspace. */
  workspace_id: nullable(Id),
  /** The agent that asks; null when a person does. */
  agent: nullable(Type.String()),
  /** Who made it, or whose turn it is. */
  requested_by: Type.String(),
  requested_at: Time,
  /** After this it counts as refused; null: it waits for ever. */
  expires_at: nullable(Time),
  /** Where the decision goes. */
  decide: closed({ method: oneOf(["POST", "PATCH"] as const), path: Type.String() }),
});
export type Approval = Static<typeof Approval>;
