// SQL of workspaces, and the one predicate that says who sees which.

import type { Db } from "../../kit/db.ts";
import type { Caller } from "../identity/caller.ts";

export interface WorkspaceRow {
  id: number;
  name: string;
  name_key: string;
  description: string;
  branch: string;
  shared_branch: string;
  owner_id: number;
  budget: string | null;
  created_at: number;
  /** JSON array, ascending. */
  team_ids: string;
}

const WORKSPACE = `SELECT w.id, w.name, w.name_key, w.description, w.branch, w.shared_branch, w.owner_id, w.budget, w.created_at,
  (SELECT json_group_array(wt.team_id) FROM (SELECT team_id FROM workspace_teams WHERE workspace_id = w.id ORDER BY team_id) wt) AS team_ids
  FROM workspaces w`;

/** Admin, the owner, or a member of a team that it is shared with. */
const VISIBLE = `(? = 1 OR w.owner_id = ? OR EXISTS (
  SELECT 1 FROM workspace_teams s JOIN team_members m ON m.team_id = s.team_id WHERE s.workspace_id = w.id AND m.user_id = ?))`;

type VisibleParams = [isAdmin: number, userId: number, userId: number];

/** Asks for the caller's role, so it raises `unauthenticated` once their credential is not valid. */
export function visibleParams(caller: Pick<Caller, "role" | "userId">): VisibleParams {
  return [caller.role === "admin" ? 1 : 0, caller.userId, caller.userId];
}

export class WorkspaceStore {
  readonly visible;
  readonly allVisible;
  readonly byId;
  readonly nameTaken;
  readonly insert;
  readonly setBranches;
  readonly setBudget;
  readonly remove;
  readonly share;
  readonly unshare;

  constructor(db: Db) {
    this.visible = db.query<WorkspaceRow, [number, ...VisibleParams]>(
      `${WORKSPACE} WHERE w.id = ? AND ${VISIBLE}`,
    );
    this.allVisible = db.query<WorkspaceRow, [...VisibleParams, number]>(
      `${WORKSPACE} WHERE ${VISIBLE} ORDER BY w.name_key, w.id LIMIT ?`,
    );
    this.byId = db.query<WorkspaceRow, [number]>(`${WORKSPACE} WHERE w.id = ?`);
    this.nameTaken = db.query<{ id: number }, [number, string]>(
      "SELECT id FROM workspaces WHERE owner_id = ? AND name_key = ?",
    );
    this.insert = db.query<{ id: number }, [string, string, string, number, string | null, number]>(
      `INSERT INTO workspaces (name, name_key, description, branch, shared_branch, owner_id, budget, created_at)
       VALUES (?, ?, ?, '', '', ?, ?, ?) RETURNING id`,
    );
    this.setBranches = db.query<never, [string, string, number]>(
      "UPDATE workspaces SET branch = ?, shared_branch = ? WHERE id = ?",
    );
    this.setBudget = db.query<never, [string | null, number]>(
      "UPDATE workspaces SET budget = ? WHERE id = ?",
    );
    this.remove = db.query<never, [number]>("DELETE FROM workspaces WHERE id = ?");
    this.share = db.query<never, [number, number]>(
      "INSERT INTO workspace_teams (workspace_id, team_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    );
    this.unshare = db.query<never, [number, number]>(
      "DELETE FROM workspace_teams WHERE workspace_id = ? AND team_id = ?",
    );
  }
}
