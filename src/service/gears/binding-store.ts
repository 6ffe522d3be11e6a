// SQL of gear bindings: which agents may call which gear.

import type { Db } from "../../kit/storage/db.ts";
import type { GearStatus } from "./schema.ts";

export interface BindingRow {
  id: number;
  workspace_id: number;
  gear_id: number;
  gear_name: string;
  gear_status: GearStatus;
  agent_id: number | null;
  created_at: number;
}

export interface BindingPlaceRow {
  workspace_id: number;
  workspace: string;
  agent: string | null;
}

type NewBinding = Pick<BindingRow, "workspace_id" | "gear_id" | "agent_id" | "created_at">;

/** Excludes deleted gears and removed agents. */
const BINDING = `SELECT b.id, b.workspace_id, b.gear_id, g.name AS gear_name, g.status AS gear_status, b.agent_id, b.created_at
  FROM gear_bindings b JOIN gears g ON g.id = b.gear_id LEFT JOIN agents a ON a.id = b.agent_id
  WHERE g.deleted_at IS NULL AND a.removed_at IS NULL`;

export type BindingStore = ReturnType<typeof bindingStore>;

export function bindingStore(db: Db) {
  return {
    byId: db.query<BindingRow, [number]>(`${BINDING} AND b.id = ?`),
    between: db.query<BindingRow, [number, number, number | null]>(
      `${BINDING} AND b.workspace_id = ? AND b.gear_id = ? AND b.agent_id IS ?`,
    ),
    ofWorkspace: db.query<BindingRow, [number]>(`${BINDING} AND b.workspace_id = ? ORDER BY g.name, b.id`),
    ofGear: db.query<BindingRow, [number]>(
      `${BINDING} AND b.gear_id = ? AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = b.workspace_id) ORDER BY b.id`,
    ),
    approvedFor: db.query<{ gear_id: number }, [number, number]>(
      `SELECT DISTINCT g.id AS gear_id FROM gear_bindings b JOIN gears g ON g.id = b.gear_id
       WHERE b.workspace_id = ? AND (b.agent_id IS NULL OR b.agent_id = ?) AND g.status = 'approved' AND g.deleted_at IS NULL
       ORDER BY g.name`,
    ),
    isBound: db.query<{ id: number }, [number, number, number]>(
      "SELECT id FROM gear_bindings WHERE workspace_id = ? AND gear_id = ? AND (agent_id IS NULL OR agent_id = ?) LIMIT 1",
    ),
    places: db.query<BindingPlaceRow, [number, number]>(
      `SELECT w.id AS workspace_id, w.display_name AS workspace, a.name AS agent FROM gear_bindings b JOIN workspaces w ON w.id = b.workspace_id
       LEFT JOIN agents a ON a.id = b.agent_id WHERE b.gear_id = ? AND a.removed_at IS NULL ORDER BY w.name_key, b.id LIMIT ?`,
    ),
    insert: db.query<{ id: number }, NewBinding>(
      "INSERT INTO gear_bindings (workspace_id, gear_id, agent_id, created_at) VALUES ($workspace_id, $gear_id, $agent_id, $created_at) RETURNING id",
    ),
    remove: db.query<never, [number]>("DELETE FROM gear_bindings WHERE id = ?"),
    removeOfGear: db.query<never, [number]>("DELETE FROM gear_bindings WHERE gear_id = ?"),
  };
}
