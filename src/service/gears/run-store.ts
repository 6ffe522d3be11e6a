// SQL of gear runs. Rows are added and finished, never deleted.

import type { Db } from "../../kit/db.ts";
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
export interface CallRunRow {
  id: number;
  gear_id: number;
  version: number;
  call_id: string;
}

/** An admin sees all; others what they ran outside of workspaces, and what ran in workspaces that they see (a JSON array of ids). */
type VisibleParams = [isAdmin: number, userId: number, workspaceIds: string];

type InsertParams = [
  gearId: number,
  version: number,
  hash: string,
  kind: GearRunKind,
  workspaceId: number | null,
  agent: string | null,
  turnId: number | null,
  callId: string | null,
  userId: number,
  userName: string,
  auth: AuthKind,
  isolated: number,
  args: string,
  files: string,
  startedAt: number,
];

type FinishParams = [
  status: GearRunStatus,
  exitCode: number | null,
  stdout: string | null,
  stderr: string | null,
  timedOut: number | null,
  truncated: number | null,
  durationMs: number | null,
  error: string | null,
  finishedAt: number,
  id: number,
];

const COLUMNS = `id, gear_id, version, content_hash, kind, status, workspace_id, agent, turn_id, user_id, user_name, auth, isolated,
  exit_code, timed_out, truncated, duration_ms, error, started_at, finished_at`;
const VISIBLE = `(? = 1 OR (workspace_id IS NULL AND user_id = ?) OR workspace_id IN (SELECT value FROM json_each(?)))`;

export class RunStore {
  readonly insert;
  readonly finish;
  readonly interruptOpen;
  readonly byId;
  readonly page;
  readonly ofTurn;

  constructor(db: Db) {
    this.insert = db.query<{ id: number }, InsertParams>(
      `INSERT INTO gear_runs (gear_id, version, content_hash, kind, status, workspace_id, agent, turn_id, call_id, user_id, user_name, auth,
         isolated, args, files, started_at)
       VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.finish = db.query<never, FinishParams>(
      `UPDATE gear_runs SET status = ?, exit_code = ?, stdout = ?, stderr = ?, timed_out = ?, truncated = ?, duration_ms = ?, error = ?,
         finished_at = ? WHERE id = ?`,
    );
    this.interruptOpen = db.query<never, [number]>(
      "UPDATE gear_runs SET status = 'interrupted', finished_at = ? WHERE status = 'running'",
    );
    this.byId = db.query<RunDetailRow, [number, ...VisibleParams]>(
      `SELECT ${COLUMNS}, args, files, stdout, stderr FROM gear_runs WHERE id = ? AND ${VISIBLE}`,
    );
    this.page = db.query<RunRow, [number, number, ...VisibleParams, number]>(
      `SELECT ${COLUMNS} FROM gear_runs WHERE gear_id = ? AND id < ? AND ${VISIBLE} ORDER BY id DESC LIMIT ?`,
    );
    this.ofTurn = db.query<CallRunRow, [number]>(
      "SELECT id, gear_id, version, call_id FROM gear_runs WHERE turn_id = ? AND call_id IS NOT NULL ORDER BY id",
    );
  }
}
