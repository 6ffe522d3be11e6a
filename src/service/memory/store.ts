// SQL of context bindings, of the branches of agents, and of what agents wrote.

import type { Db } from "../../kit/storage/db.ts";
import type { MemoryWrite } from "./schema.ts";

export interface ContextBindingRow {
  id: number;
  workspace_id: number;
  path: string;
  agent_id: number | null;
  created_at: number;
}

type NewBinding = Omit<ContextBindingRow, "id">;

/** Excludes bindings to removed agents. */
const BINDING = `SELECT b.id, b.workspace_id, b.path, b.agent_id, b.created_at
  FROM context_bindings b LEFT JOIN agents a ON a.id = b.agent_id WHERE a.removed_at IS NULL`;

const WRITE = "SELECT call_id, turn_id, agent_id, path, version, replaced FROM memory_writes";

export type MemoryStore = ReturnType<typeof memoryStore>;

export function memoryStore(db: Db) {
  return {
    bindings: db.query<ContextBindingRow, [number]>(
      `${BINDING} AND b.workspace_id = ? ORDER BY b.agent_id IS NOT NULL, b.path, b.id`,
    ),
    bindingById: db.query<ContextBindingRow, [number]>(`${BINDING} AND b.id = ?`),
    bindingCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM context_bindings WHERE workspace_id = ?",
    ),
    bindingBetween: db.query<{ id: number }, [number, string, number | null]>(
      "SELECT id FROM context_bindings WHERE workspace_id = ? AND path = ? AND agent_id IS ?",
    ),
    insertBinding: db.query<{ id: number }, NewBinding>(
      `INSERT INTO context_bindings (workspace_id, path, agent_id, created_at)
       VALUES ($workspace_id, $path, $agent_id, $created_at) RETURNING id`,
    ),
    deleteBinding: db.query<never, [number]>("DELETE FROM context_bindings WHERE id = ?"),
    /** In the order of the prompt: bindings to the workspace first, then to this agent, each by path and without duplicates. */
    pathsFor: db.query<{ path: string }, [number, number]>(
      `SELECT path FROM context_bindings WHERE workspace_id = ? AND (agent_id IS NULL OR agent_id = ?)
       GROUP BY path ORDER BY min(agent_id IS NOT NULL), path`,
    ),
    agentBranch: db.query<{ branch: string }, [number]>(
      "SELECT branch FROM agent_branches WHERE agent_id = ?",
    ),
    agentWithBranch: db.query<{ agent_id: number }, [number, string]>(
      "SELECT agent_id FROM agent_branches WHERE workspace_id = ? AND branch = ?",
    ),
    insertAgentBranch: db.query<never, { agent_id: number; workspace_id: number; branch: string }>(
      "INSERT INTO agent_branches (agent_id, workspace_id, branch) VALUES ($agent_id, $workspace_id, $branch)",
    ),
    insertWrite: db.query<never, MemoryWrite & { workspace_id: number }>(
      `INSERT INTO memory_writes (call_id, workspace_id, turn_id, agent_id, path, version, replaced)
       VALUES ($call_id, $workspace_id, $turn_id, $agent_id, $path, $version, $replaced)`,
    ),
    writesOfTurn: db.query<MemoryWrite, [number, number, number]>(
      `${WRITE} WHERE workspace_id = ? AND turn_id = ? ORDER BY rowid LIMIT ?`,
    ),
    writesOfDocument: db.query<
      MemoryWrite,
      { workspace_id: number; path: string; first: number; last: number }
    >(`${WRITE} WHERE workspace_id = $workspace_id AND path = $path AND version BETWEEN $first AND $last`),
  };
}
