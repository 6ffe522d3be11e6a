// The state of the workspaces that a person sees, for their list: running turns, pending approvals, the last activity, the cost of today.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { Today } from "../usage/schema.ts";

/** Ids of one request for some workspaces only, and of one event. */
export const ACTIVITY_IDS_MAX = 100;

export const WorkspaceActivity = closed({
  workspace_id: Id,
  /** The turn that runs or waits for a person; null: none. */
  turn: nullable(
    closed({
      id: Id,
      number: Id,
      status: oneOf(["running", "waiting"] as const),
      started_at: nullable(Time),
    }),
  ),
  /** Queued turns. */
  queued: Type.Integer({ minimum: 0 }),
  /** Approvals for this workspace that the caller may decide. */
  approvals: Type.Integer({ minimum: 0 }),
  /** The time of the last event. */
  last_activity_at: Time,
  today: Today,
});
export type WorkspaceActivity = Static<typeof WorkspaceActivity>;

export const Activities = closed({
  /** The UTC day whose cost is shown. */
  day: Type.String({ description: "2026-11-21" }),
  /** Latest activity first. */
  workspaces: Type.Array(WorkspaceActivity),
});

export const ActivityQuery = closed({
  ids: Type.Optional(
    Type.String({ description: `only these workspaces, at most ${ACTIVITY_IDS_MAX}: 3,14,15` }),
  ),
});

/** The `data:` of the only event of the list's stream, without an envelope: it belongs to several workspaces. */
export const ActivityChanged = closed({
  /** Workspaces in which something happened, and those that the viewer now sees or no longer sees; null: too many to name. */
  workspace_ids: nullable(Type.Array(Id)),
});
export type ActivityChanged = Static<typeof ActivityChanged>;
