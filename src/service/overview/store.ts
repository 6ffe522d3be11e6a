// SQL of the list's figures: open turns, the last events.

import type { Db } from "../../kit/storage/db.ts";

export interface OpenTurnRow {
  id: number;
  workspace_id: number;
  number: number;
  status: "queued" | "running" | "waiting";
  started_at: number | null;
}

export function overviewStore(db: Db) {
  return {
    openTurns: db.query<OpenTurnRow, []>(
      "SELECT id, workspace_id, number, status, started_at FROM turns WHERE status IN ('queued', 'running', 'waiting') ORDER BY id",
    ),
    activeAt: db.query<{ at: number }, [number]>("SELECT at FROM activity WHERE workspace_id = ?"),
  };
}
export type OverviewStore = ReturnType<typeof overviewStore>;
