// SQL of decisions, which are read from the events that recorded them.

import type { Db } from "../../kit/storage/db.ts";

export interface DecisionRow {
  id: number;
  turn_id: number | null;
  type: DecisionEvent;
  content: string;
}

type DecisionEvent = "approval.decided" | "entry.taint_cleared" | "grant.created" | "grant.removed";

export type DecisionStore = ReturnType<typeof decisionStore>;

export function decisionStore(db: Db) {
  return {
    // The planner uses the partial index only if a query repeats its condition exactly.
    page: db.query<DecisionRow, [number, number, number]>(
      `SELECT id, turn_id, type, content FROM events INDEXED BY events_decisions
       WHERE workspace_id = ? AND id < ? AND type IN ('approval.decided', 'entry.taint_cleared', 'grant.created', 'grant.removed')
       ORDER BY id DESC LIMIT ?`,
    ),
  };
}
