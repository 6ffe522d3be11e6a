// Turns as the API shows them.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Turn, TurnStatus } from "./schema.ts";
import type { TurnRow } from "./store.ts";

export type OverStatus = Exclude<TurnStatus, "queued" | "running" | "waiting">;

/** Also for a turn that is gone. */
export function isOver(status: TurnStatus | undefined): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting";
}

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    status: row.status,
    text: row.text,
    user_id: row.user_id,
    user_name: row.user_name,
    error: row.error,
    created_at: rfc3339(row.created_at),
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}
