// SQL of workspaces, and the only predicate of their visibility. The view `workspaces` shows live ones: an unfinished clone and a workspace
// that is being deleted are only in `workspace_rows` (011_workspace_states.sql).

import type { Db } from "../../kit/storage/db.ts";
import type { Caller } from "../identity/caller.ts";

export interface WorkspaceRow {
  id: number;
  name: string;
  name_key: string;
  /** The name, unless people chose another one. */
  display_name: string;
  description: string;
  branch: string;
  shared_branch: string;
  owner_id: number;
  budget: string | null;
  created_at: number;
  archived_at: number | null;
  /** JSON array, ascending. */
  team_ids: string;
}

const WORKSPACE = `SELECT w.id, w.name, w.name_key, w.display_name, w.description, w.branch, w.shared_branch, w.owner_id, w.budget, w.created_at, w.archived_at,
  (SELECT json_group_array(wt.team_id) FROM (SELECT team_id FROM workspace_teams WHERE workspace_id = w.id ORDER BY team_id) wt) AS team_ids
  FROM workspaces w`;

/** Visible to admins, the owner, and members of a team that it is shared with. */
const VISIBLE = `($is_admin = 1 OR w.owner_id = $user_id OR EXISTS (
  SELECT 1 FROM workspace_teams s JOIN team_members m ON m.team_id = s.team_id WHERE s.workspace_id = w.id AND m.user_id = $user_id))`;

interface Viewer {
  is_admin: number;
  user_id: number;
}

/** Reads the caller's role, so it raises `unauthenticated` once their credential is no longer valid. */
export function viewerOf(caller: Pick<Caller, "role" | "userId">): Viewer {
  return { is_admin: caller.role === "admin" ? 1 : 0, user_id: caller.userId };
}

type NewWorkspace = Pick<
  WorkspaceRow,
  "name" | "name_key" | "description" | "owner_id" | "budget" | "created_at"
> & { state: "live" | "coming" };

/** Tables of a workspace's rows, in an order in which no row refers to a deleted one, with their key: one table has no row ids. */
const PARTS: readonly (readonly [table: string, key: string])[] = [
  ["events", "rowid"],
  ["activity", "rowid"],
  ["spending", "(agent_id, day, turn_id)"],
  ["search_items", "rowid"],
  ["search_files", "rowid"],
  ["entries", "rowid"],
  ["tool_calls", "rowid"],
  ["calls", "rowid"],
  ["runs", "rowid"],
  ["turns", "rowid"],
  ["branch_tips", "rowid"],
  ["asides", "rowid"],
  ["blueprints", "rowid"],
  ["prompt_parts", "rowid"],
  ["attachments", "rowid"],
  ["instruction_proposals", "rowid"],
  ["instruction_bindings", "rowid"],
  ["context_bindings", "rowid"],
  ["memory_writes", "rowid"],
  ["agent_branches", "rowid"],
  ["gear_bindings", "rowid"],
  ["egress_grants", "rowid"],
  ["wires", "rowid"],
  ["agents", "rowid"],
];
/** Takes far less than a millisecond, even with long texts. */
const REMOVED_AT_ONCE = 8;

export type WorkspaceStore = ReturnType<typeof workspaceStore>;

export function workspaceStore(db: Db) {
  return {
    visible: db.query<WorkspaceRow, Viewer & { id: number }>(`${WORKSPACE} WHERE w.id = $id AND ${VISIBLE}`),
    allVisible: db.query<WorkspaceRow, Viewer & { archived: number; limit: number }>(
      `${WORKSPACE} WHERE ${VISIBLE} AND (w.archived_at IS NOT NULL) = $archived ORDER BY w.name_key, w.id LIMIT $limit`,
    ),
    visibleAfter: db.query<{ id: number; created_at: number }, Viewer & { after: number; limit: number }>(
      `SELECT w.id, w.created_at FROM workspaces w WHERE w.id > $after AND ${VISIBLE} ORDER BY w.id LIMIT $limit`,
    ),
    byId: db.query<WorkspaceRow, [number]>(`${WORKSPACE} WHERE w.id = ?`),
    /** Also of one that is being made or removed. */
    branchOf: db.query<{ branch: string }, [number]>("SELECT branch FROM workspace_rows WHERE id = ?"),
    /** The highest id of any workspace that this database ever had. */
    highestId: db.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'workspace_rows'"),
    nameTaken: db.query<{ id: number }, [number, string]>(
      "SELECT id FROM workspace_rows WHERE owner_id = ? AND name_key = ?",
    ),
    insert: db.query<{ id: number }, NewWorkspace>(
      `INSERT INTO workspace_rows (name, name_key, description, branch, shared_branch, owner_id, budget, created_at, state)
       VALUES ($name, $name_key, $description, '', '', $owner_id, $budget, $created_at, $state) RETURNING id`,
    ),
    setBranches: db.query<never, [string, string, number]>(
      "UPDATE workspace_rows SET branch = ?, shared_branch = ? WHERE id = ?",
    ),
    setBudget: db.query<never, [string | null, number]>("UPDATE workspace_rows SET budget = ? WHERE id = ?"),
    setDisplayName: db.query<never, [string | null, number]>(
      "UPDATE workspace_rows SET display_name = ? WHERE id = ?",
    ),
    setArchived: db.query<never, [number | null, number]>(
      "UPDATE workspace_rows SET archived_at = ? WHERE id = ?",
    ),
    // Frees the name: this key contains a line break, which no name does.
    setGoing: db.query<never, [number]>(
      "UPDATE workspace_rows SET state = 'going', name_key = char(10) || id WHERE id = ?",
    ),
    setLive: db.query<never, [number]>(
      "UPDATE workspace_rows SET state = 'live' WHERE id = ? AND state = 'coming'",
    ),
    notLive: db.query<{ id: number }, []>("SELECT id FROM workspace_rows WHERE state <> 'live' ORDER BY id"),
    countOwnedBy: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM workspaces WHERE owner_id = ?",
    ),
    transfer: db.query<never, [number, number]>("UPDATE workspace_rows SET owner_id = ? WHERE owner_id = ?"),
    // For unfinished clones and workspaces that are being deleted, whose rows still need an owner.
    disownUnfinished: db.query<never, [number]>(
      `UPDATE workspace_rows SET state = 'going', name_key = char(10) || id, owner_id = (SELECT min(u.id) FROM users u WHERE u.id <> ?1)
       WHERE owner_id = ?1 AND state <> 'live'`,
    ),
    nameOwnedByBoth: db.query<{ name: string }, [number, number]>(
      `SELECT a.name FROM workspaces a JOIN workspace_rows b ON b.name_key = a.name_key
       WHERE a.owner_id = ? AND b.owner_id = ? ORDER BY a.name LIMIT 1`,
    ),
    removeSome: PARTS.map(([table, key]) => {
      const columns = key.replace(/[()]/g, "");
      return db.query<never, [number]>(
        `DELETE FROM ${table} WHERE workspace_id = ?1
         AND ${key} IN (SELECT ${columns} FROM ${table} WHERE workspace_id = ?1 LIMIT ${REMOVED_AT_ONCE})`,
      );
    }),
    remove: db.query<never, [number]>("DELETE FROM workspace_rows WHERE id = ?"),
    share: db.query<never, [number, number]>(
      "INSERT INTO workspace_teams (workspace_id, team_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    unshare: db.query<never, [number, number]>(
      "DELETE FROM workspace_teams WHERE workspace_id = ? AND team_id = ?",
    ),
  };
}
