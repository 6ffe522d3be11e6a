// SQL of usage and spending.

import type { Db } from "../../kit/storage/db.ts";
import type { Nano } from "../../kit/text/money.ts";

export interface UsageRow {
  agent_id: number;
  agent: string;
  removed: number;
  calls: number;
  unreported_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost_nano: Nano | null;
  unpriced_calls: number;
}

export interface EndedCallRow {
  started_at: number;
  id: number;
  agent_id: number;
  model_id: number;
  model_name: string;
  duration_ms: number;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost_nano: Nano | null;
}

export interface SpentRow {
  tokens: number;
  cost_nano: Nano;
  unpriced_calls: number;
}

export type UsageStore = ReturnType<typeof usageStore>;

export function usageStore(db: Db) {
  return {
    byAgent: db.query<UsageRow, [number]>(
      `SELECT a.id AS agent_id, a.name AS agent, a.removed_at IS NOT NULL AS removed, count(c.agent_id) AS calls,
         count(c.agent_id) FILTER (WHERE c.input_tokens IS NULL AND c.output_tokens IS NULL) AS unreported_calls,
         coalesce(sum(c.input_tokens), 0) AS input_tokens, coalesce(sum(c.cached_input_tokens), 0) AS cached_input_tokens,
         coalesce(sum(c.output_tokens), 0) AS output_tokens, sum(c.cost_nano) AS cost_nano,
         count(c.agent_id) FILTER (WHERE c.cost_nano IS NULL) AS unpriced_calls
       FROM agents a LEFT JOIN calls c ON c.agent_id = a.id AND c.workspace_id = a.workspace_id AND c.status <> 'running'
       WHERE a.workspace_id = ? GROUP BY a.id HAVING a.removed_at IS NULL OR count(c.agent_id) > 0
       ORDER BY a.orchestrator DESC, a.name_key, a.id`,
    ),
    // A page at a time, so that no statement takes long.
    endedSince: db.query<EndedCallRow, { workspace_id: number; at: number; id: number; limit: number }>(
      `SELECT started_at, id, agent_id, model_id, model_name, coalesce(duration_ms, 0) AS duration_ms, input_tokens,
         cached_input_tokens, output_tokens, cost_nano
       FROM calls INDEXED BY calls_days
       WHERE workspace_id = $workspace_id AND (started_at, id) > ($at, $id) AND status <> 'running'
       ORDER BY started_at, id LIMIT $limit`,
    ),
    names: db.query<{ id: number; name: string }, [number]>(
      "SELECT id, name FROM agents WHERE workspace_id = ?",
    ),
    spend: db.query<
      never,
      SpentRow & { workspace_id: number; agent_id: number; day: string; turn_id: number }
    >(
      `INSERT INTO spending (workspace_id, agent_id, day, turn_id, tokens, cost_nano, unpriced_calls)
       VALUES ($workspace_id, $agent_id, $day, $turn_id, $tokens, $cost_nano, $unpriced_calls)
       ON CONFLICT (workspace_id, agent_id, day, turn_id) DO UPDATE SET tokens = tokens + excluded.tokens,
         cost_nano = cost_nano + excluded.cost_nano, unpriced_calls = unpriced_calls + excluded.unpriced_calls`,
    ),
    spentInTurn: db.query<SpentRow, [number, number, number]>(
      `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_nano), 0) AS cost_nano,
         coalesce(sum(unpriced_calls), 0) AS unpriced_calls FROM spending
       WHERE workspace_id = ? AND agent_id = ? AND turn_id = ?`,
    ),
    spentOnDay: db.query<SpentRow, [number, number, string]>(
      `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_nano), 0) AS cost_nano,
         coalesce(sum(unpriced_calls), 0) AS unpriced_calls FROM spending
       WHERE workspace_id = ? AND agent_id = ? AND day = ?`,
    ),
  };
}
