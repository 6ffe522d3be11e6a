// SQL of the list's figures: open turns, the last events, today's spending.

import type { Db } from "../../kit/storage/db.ts";
import type { Nano } from "../../kit/text/money.ts";

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
    /** Agent 0 is the whole workspace. */
    spentOn: db.query<{ tokens: number; cost_nano: Nano; unpriced_calls: number }, [number, string]>(
      `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_nano), 0) AS cost_nano, coalesce(sum(unpriced_calls), 0) AS unpriced_calls
       FROM spending WHERE workspace_id = ? AND agent_id = 0 AND day = ?`,
    ),
  };
}
export type OverviewStore = ReturnType<typeof overviewStore>;
