// SQL of gear runs. Rows are inserted and finished, never deleted.

import type { Db } from "../../kit/storage/db.ts";
import type { AuthKind } from "../identity/schema.ts";
import type { GearRunKind, GearRunStatus } from "./schema.ts";

export interface RunRow {
  id: number;
  gear_id: number;
  version: number;
  content_hash: string;
  kind: GearRunKind;
  status: GearRunStatus;
  workspace_id: number | null;
  agent: string | null;
  turn_id: number | null;
  user_id: number;
  user_name: string;
  auth: AuthKind;
  isolated: number;
  exit_code: number | null;
  timed_out: number | null;
  truncated: number | null;
  duration_ms: number | null;
  error: string | null;
  started_at: number;
  finished_at: number | null;
}

export interface RunDetailRow extends RunRow {
  args: string;
  files: string;
  stdout: string | null;
  stderr: string | null;
}

/** The run of a tool call. */
interface CallRunRow {
  id: number;
  gear_id: number;
  version: number;
  call_id: string;
}

/** Admins see all runs; non-admins see their own outside of workspaces, and those in workspaces visible to them. */
export interface Viewer {
  is_admin: number;
  user_id: number;
  /** JSON array. */
  workspace_ids: string;
}

type NewRun = Pick<
  RunDetailRow,
  | "gear_id"
  | "version"
  | "content_hash"
  | "kind"
  | "workspace_id"
  | "agent"
  | "turn_id"
  | "user_id"
  | "user_name"
  | "auth"
  | "isolated"
  | "args"
  | "files"
  | "started_at"
> & { call_id: string | null };

type RunEnd = Pick<
  RunDetailRow,
  | "id"
  | "status"
  | "exit_code"
  | "stdout"
  | "stderr"
  | "timed_out"
  | "truncated"
  | "duration_ms"
  | "error"
  | "finished_at"
>;

const COLUMNS = `id, gear_id, version, content_hash, kind, status, workspace_id, agent, turn_id, user_id, user_name, auth, isolated,
  exit_code, timed_out, truncated, duration_ms, error, started_at, finished_at`;
const VISIBLE = `($is_admin = 1 OR (workspace_id IS NULL AND user_id = $user_id)
  OR workspace_id IN (SELECT value FROM json_each($workspace_ids)))`;

export type RunStore = ReturnType<typeof runStore>;

export function runStore(db: Db) {
  return {
    insert: db.query<{ id: number }, NewRun>(
      `INSERT INTO gear_runs (gear_id, version, content_hash, kind, status, workspace_id, agent, turn_id, call_id, user_id, user_name, auth,
         isolated, args, files, started_at)
       VALUES ($gear_id, $version, $content_hash, $kind, 'running', $workspace_id, $agent, $turn_id, $call_id, $user_id, $user_name, $auth,
         $isolated, $args, $files, $started_at) RETURNING id`,
    ),
    finish: db.query<never, RunEnd>(
      `UPDATE gear_runs SET status = $status, exit_code = $exit_code, stdout = $stdout, stderr = $stderr, timed_out = $timed_out,
         truncated = $truncated, duration_ms = $duration_ms, error = $error,
         finished_at = $finished_at WHERE id = $id`,
    ),
    interruptOpen: db.query<never, [number]>(
      "UPDATE gear_runs SET status = 'interrupted', finished_at = ? WHERE status = 'running'",
    ),
    byId: db.query<RunDetailRow, Viewer & { id: number }>(
      `SELECT ${COLUMNS}, args, files, stdout, stderr FROM gear_runs WHERE id = $id AND ${VISIBLE}`,
    ),
    page: db.query<RunRow, Viewer & { gear_id: number; before: number; limit: number }>(
      `SELECT ${COLUMNS} FROM gear_runs WHERE gear_id = $gear_id AND id < $before AND ${VISIBLE} ORDER BY id DESC LIMIT $limit`,
    ),
    ofTurn: db.query<CallRunRow, [number]>(
      "SELECT id, gear_id, version, call_id FROM gear_runs WHERE turn_id = ? AND call_id IS NOT NULL ORDER BY id",
    ),
  };
}
