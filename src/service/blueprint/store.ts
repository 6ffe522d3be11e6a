// SQL of agents, wires and past blueprints.

import type { Db } from "../../kit/db.ts";

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

export class BlueprintStore {
  readonly agentById;
  readonly agentWithRemoved;
  readonly agentByKey;
  readonly agents;
  readonly agentCount;
  readonly orchestrator;
  readonly insertAgent;
  readonly updateAgent;
  readonly removeAgent;
  readonly wireById;
  readonly wireBetween;
  readonly wires;
  readonly wireCount;
  readonly insertWire;
  readonly deleteWire;
  readonly wiresOfAgent;

  constructor(db: Db) {
    this.agentById = db.query<AgentRow, [number]>(`${AGENT} WHERE id = ? AND removed_at IS NULL`);
    this.agentWithRemoved = db.query<AgentRow, [number]>(`${AGENT} WHERE id = ?`);
    this.agentByKey = db.query<AgentRow, [number, string]>(
      `${AGENT} WHERE workspace_id = ? AND name_key = ? AND removed_at IS NULL`,
    );
    this.agents = db.query<AgentRow, [number]>(
      `${AGENT} WHERE workspace_id = ? AND removed_at IS NULL ORDER BY orchestrator DESC, name_key`,
    );
    this.agentCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM agents WHERE workspace_id = ? AND removed_at IS NULL",
    );
    this.orchestrator = db.query<AgentRow, [number]>(`${AGENT} WHERE workspace_id = ? AND orchestrator = 1`);
    this.insertAgent = db.query<
      { id: number },
      [number, string, string, string, number, number, number, number, string | null, number]
    >(
      `INSERT INTO agents (workspace_id, name, name_key, role, model_id, orchestrator, x, y, budget, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.updateAgent = db.query<
      never,
      [string, string, string, number, number, number, string | null, number]
    >(
      "UPDATE agents SET name = ?, name_key = ?, role = ?, model_id = ?, x = ?, y = ?, budget = ? WHERE id = ?",
    );
    this.removeAgent = db.query<never, [number, number]>("UPDATE agents SET removed_at = ? WHERE id = ?");
    this.wireById = db.query<WireRow, [number]>(`${WIRE} WHERE id = ?`);
    this.wireBetween = db.query<WireRow, [number, number]>(
      `${WIRE} WHERE from_agent_id = ? AND to_agent_id = ?`,
    );
    this.wires = db.query<WireRow, [number]>(`${WIRE} WHERE workspace_id = ? ORDER BY id`);
    this.wireCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM wires WHERE workspace_id = ?",
    );
    this.insertWire = db.query<{ id: number }, [number, number, number, number]>(
      "INSERT INTO wires (workspace_id, from_agent_id, to_agent_id, created_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    this.deleteWire = db.query<never, [number]>("DELETE FROM wires WHERE id = ?");
    this.wiresOfAgent = db.query<WireRow, [number, number]>(
      `${WIRE} WHERE from_agent_id = ? OR to_agent_id = ? ORDER BY id`,
    );
  }
}
