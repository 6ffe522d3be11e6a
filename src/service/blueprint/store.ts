// SQL of agents, wires and past blueprints.

import type { Db } from "../../kit/storage/db.ts";

export interface AgentRow {
  id: number;
  workspace_id: number;
  name: string;
  name_key: string;
  role: string;
  model_id: number;
  orchestrator: number;
  x: number;
  y: number;
  budget: string | null;
  created_at: number;
}

export interface WireRow {
  id: number;
  workspace_id: number;
  from_agent_id: number;
  to_agent_id: number;
  created_at: number;
}

const AGENT =
  "SELECT id, workspace_id, name, name_key, role, model_id, orchestrator, x, y, budget, created_at FROM agents";
const WIRE = "SELECT id, workspace_id, from_agent_id, to_agent_id, created_at FROM wires";

export type BlueprintStore = ReturnType<typeof blueprintStore>;

export function blueprintStore(db: Db) {
  return {
    agentById: db.query<AgentRow, [number]>(`${AGENT} WHERE id = ? AND removed_at IS NULL`),
    agentWithRemoved: db.query<AgentRow, [number]>(`${AGENT} WHERE id = ?`),
    agentByKey: db.query<AgentRow, [number, string]>(
      `${AGENT} WHERE workspace_id = ? AND name_key = ? AND removed_at IS NULL`,
    ),
    agents: db.query<AgentRow, [number]>(
      `${AGENT} WHERE workspace_id = ? AND removed_at IS NULL ORDER BY orchestrator DESC, name_key`,
    ),
    agentCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM agents WHERE workspace_id = ? AND removed_at IS NULL",
    ),
    /** Reads no role: the size of each is in the head of its row. */
    roleBytes: db.query<{ bytes: number }, [number]>(
      "SELECT ifnull(sum(octet_length(role)), 0) AS bytes FROM agents WHERE workspace_id = ? AND removed_at IS NULL",
    ),
    countWithModel: db.query<{ count: number }, [number]>(
      `SELECT count(*) AS count FROM agents a JOIN workspaces w ON w.id = a.workspace_id
       WHERE a.model_id = ? AND a.removed_at IS NULL`,
    ),
    firstWithModel: db.query<{ agent: string; workspace: string }, [modelId: number, limit: number]>(
      `SELECT a.name AS agent, w.display_name AS workspace FROM agents a JOIN workspaces w ON w.id = a.workspace_id
       WHERE a.model_id = ? AND a.removed_at IS NULL ORDER BY a.id LIMIT ?`,
    ),
    orchestrator: db.query<AgentRow, [number]>(`${AGENT} WHERE workspace_id = ? AND orchestrator = 1`),
    insertAgent: db.query<{ id: number }, Omit<AgentRow, "id">>(
      `INSERT INTO agents (workspace_id, name, name_key, role, model_id, orchestrator, x, y, budget, created_at)
       VALUES ($workspace_id, $name, $name_key, $role, $model_id, $orchestrator, $x, $y, $budget, $created_at) RETURNING id`,
    ),
    updateAgent: db.query<never, Omit<AgentRow, "workspace_id" | "orchestrator" | "created_at">>(
      "UPDATE agents SET name = $name, name_key = $name_key, role = $role, model_id = $model_id, x = $x, y = $y, budget = $budget WHERE id = $id",
    ),
    removeAgent: db.query<never, [number, number]>("UPDATE agents SET removed_at = ? WHERE id = ?"),
    wireById: db.query<WireRow, [number]>(`${WIRE} WHERE id = ?`),
    wireBetween: db.query<WireRow, [number, number]>(`${WIRE} WHERE from_agent_id = ? AND to_agent_id = ?`),
    wires: db.query<WireRow, [number]>(`${WIRE} WHERE workspace_id = ? ORDER BY id`),
    wireCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM wires WHERE workspace_id = ?",
    ),
    insertWire: db.query<{ id: number }, Omit<WireRow, "id">>(
      `INSERT INTO wires (workspace_id, from_agent_id, to_agent_id, created_at)
       VALUES ($workspace_id, $from_agent_id, $to_agent_id, $created_at) RETURNING id`,
    ),
    deleteWire: db.query<never, [number]>("DELETE FROM wires WHERE id = ?"),
    wiresOfAgent: db.query<WireRow, [number, number]>(
      `${WIRE} WHERE from_agent_id = ? OR to_agent_id = ? ORDER BY id`,
    ),
  };
}
