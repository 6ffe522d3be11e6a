// SQL of turns, runs, tool calls and model calls.

import type { Db } from "../../kit/db.ts";
import type { AuthKind } from "../identity/schema.ts";
import type { Outcome } from "../conversation/schema.ts";
import type { RunStatus, ToolState, TurnStatus } from "./schema.ts";

export interface TurnRow {
  id: number;
  workspace_id: number;
  status: TurnStatus;
  text: string;
  user_id: number;
  user_name: string;
  auth: AuthKind;
  blueprint_id: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  tainted_at: number | null;
  truncated: number;
  /** Null until its first event is appended. */
  first_event_id: number | null;
}

/** For whom a turn acts, as far as it is kept. */
export interface ActingRow {
  id: number;
  workspace_id: number;
  acting_id: number;
  acting_name: string;
  acting_auth: AuthKind;
  acting_address: string;
  acting_request_id: string;
  /** Why it must not act any more. */
  stop_reason: string | null;
}

type ActingParams = [
  userId: number,
  name: string,
  auth: AuthKind,
  tokenId: number | null,
  address: string,
  requestId: string,
];

export interface RunRow {
  id: number;
  workspace_id: number;
  turn_id: number;
  agent_id: number;
  parent_run_id: number | null;
  parent_call_id: string | null;
  depth: number;
  status: RunStatus;
}

export interface ToolCallRow {
  call_id: string;
  workspace_id: number;
  turn_id: number;
  run_id: number;
  position: number;
  tool: string;
  arguments: string;
  state: ToolState;
  started_at: number | null;
}

export interface RunStepRow extends RunRow {
  agent: string;
  created_at: number;
  finished_at: number | null;
}

export interface ToolStepRow extends ToolCallRow {
  agent_id: number;
  finished_at: number | null;
}

interface OutcomeRow {
  call_id: string;
  outcome: Outcome;
}

export interface CallRow {
  id: number;
  workspace_id: number;
  turn_id: number;
  run_id: number;
  agent_id: number;
  round: number;
  model_id: number;
  model_name: string;
  provider_name: string;
  protocol: string;
  parts: string;
  settings: string;
  status: RunStatus;
  attempts: number;
  finish: string | null;
  error: string | null;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost_nano: number | null;
  started_at: number;
  first_chunk_ms: number | null;
  duration_ms: number | null;
}

const TURN = `SELECT id, workspace_id, status, text, user_id, user_name, auth, blueprint_id, error, created_at, started_at, finished_at,
  tainted_at, truncated, (SELECT min(e.id) FROM events e WHERE e.turn_id = turns.id) AS first_event_id FROM turns`;
const RUN =
  "SELECT id, workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status FROM runs";
const TOOL_CALL =
  "SELECT call_id, workspace_id, turn_id, run_id, position, tool, arguments, state, started_at FROM tool_calls";
const CALL = `SELECT id, workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status,
  attempts, finish, error, input_tokens, cached_input_tokens, output_tokens, cost_nano, started_at, first_chunk_ms, duration_ms FROM calls`;

type FinishCallParams = [
  status: RunStatus,
  attempts: number,
  finish: string | null,
  error: string | null,
  input: number | null,
  cachedInput: number | null,
  output: number | null,
  costNano: number | null,
  firstChunkMs: number | null,
  durationMs: number,
  id: number,
];

export class TurnStore {
  readonly turnById;
  readonly turns;
  readonly openTurns;
  readonly openTurnsOf;
  readonly openCount;
  readonly queuedCount;
  readonly queuedOf;
  readonly laterStarted;
  readonly insertTurn;
  readonly startTurn;
  readonly setTurn;
  readonly setWaiting;
  readonly taint;
  readonly truncate;
  readonly acting;
  readonly setActing;
  readonly stopOpen;
  readonly stopOpenOfOthers;
  readonly workspacesWithQueue;
  readonly stopReason;

  readonly rootRun;
  readonly runById;
  readonly runOfCall;
  readonly roundsOf;
  readonly insertRun;
  readonly setRun;
  readonly setOpenRuns;
  readonly runSteps;

  readonly insertToolCall;
  readonly toolCallsOf;
  readonly danglingCalls;
  readonly startToolCall;
  readonly finishToolCall;
  readonly toolSteps;
  readonly outcomes;

  readonly insertCall;
  readonly finishCall;
  readonly setOpenCalls;
  readonly callById;
  readonly callsOfTurn;
  readonly partialsOf;

  constructor(db: Db) {
    this.turnById = db.query<TurnRow, [number]>(`${TURN} WHERE id = ?`);
    this.turns = db.query<TurnRow, [number, number, number]>(
      `${TURN} WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    );
    this.openTurns = db.query<TurnRow, []>(
      `${TURN} WHERE status IN ('queued', 'running', 'waiting') ORDER BY id`,
    );
    this.openTurnsOf = db.query<TurnRow, [number]>(
      `${TURN} WHERE workspace_id = ? AND status IN ('queued', 'running', 'waiting') ORDER BY id`,
    );
    this.openCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM turns WHERE workspace_id = ? AND status IN ('queued', 'running', 'waiting')",
    );
    this.queuedCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM turns WHERE workspace_id = ? AND status = 'queued'",
    );
    this.queuedOf = db.query<TurnRow, [number]>(
      `${TURN} WHERE workspace_id = ? AND status = 'queued' ORDER BY id`,
    );
    this.laterStarted = db.query<{ id: number }, [number, number]>(
      "SELECT id FROM turns WHERE workspace_id = ? AND id > ? AND started_at IS NOT NULL LIMIT 1",
    );
    this.insertTurn = db.query<{ id: number }, [number, string, number, string, AuthKind, number]>(
      `INSERT INTO turns (workspace_id, status, text, user_id, user_name, auth, created_at)
       VALUES (?, 'queued', ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.startTurn = db.query<never, [number, number, number]>(
      "UPDATE turns SET status = 'running', blueprint_id = ?, started_at = ? WHERE id = ?",
    );
    this.setTurn = db.query<never, [TurnStatus, string | null, number | null, number]>(
      "UPDATE turns SET status = ?, error = ?, finished_at = ? WHERE id = ?",
    );

    this.setWaiting = db.query<never, ["running" | "waiting", number]>(
      "UPDATE turns SET status = ? WHERE id = ? AND status IN ('running', 'waiting')",
    );
    this.taint = db.query<never, [number, number]>(
      "UPDATE turns SET tainted_at = ? WHERE id = ? AND tainted_at IS NULL",
    );
    this.truncate = db.query<never, [number]>("UPDATE turns SET truncated = 1 WHERE id = ?");
    this.acting = db.query<ActingRow, [number]>(
      `SELECT id, workspace_id, acting_id, acting_name, acting_auth, acting_address, acting_request_id, stop_reason
       FROM turns WHERE id = ?`,
    );
    this.setActing = db.query<never, [...ActingParams, number]>(
      `UPDATE turns SET acting_id = ?, acting_name = ?, acting_auth = ?, acting_token_id = ?, acting_address = ?, acting_request_id = ?,
       stop_reason = NULL, truncated = 0 WHERE id = ?`,
    );
    this.stopOpen = db.query<never, [string, number]>(
      "UPDATE turns SET stop_reason = ? WHERE acting_id = ? AND status IN ('queued', 'running', 'waiting')",
    );
    this.stopOpenOfOthers = db.query<never, [string, number, number | null]>(
      `UPDATE turns SET stop_reason = ? WHERE acting_id = ? AND status IN ('queued', 'running', 'waiting')
       AND acting_token_id IS NOT NULL AND acting_token_id IS NOT ?`,
    );
    this.workspacesWithQueue = db.query<{ workspace_id: number }, []>(
      // The planner takes the index of open turns only where a query repeats its condition word for word.
      "SELECT DISTINCT workspace_id FROM turns WHERE status IN ('queued', 'running', 'waiting') AND status = 'queued'",
    );
    this.stopReason = db.query<{ stop_reason: string | null }, [number]>(
      "SELECT stop_reason FROM turns WHERE id = ?",
    );
    this.rootRun = db.query<RunRow, [number]>(`${RUN} WHERE turn_id = ? AND parent_run_id IS NULL`);
    this.runById = db.query<RunRow, [number]>(`${RUN} WHERE id = ?`);
    this.runOfCall = db.query<RunRow, [number, string]>(`${RUN} WHERE turn_id = ? AND parent_call_id = ?`);
    this.roundsOf = db.query<{ count: number }, [number, number]>(
      "SELECT count(*) AS count FROM calls WHERE turn_id = ? AND run_id = ? AND status = 'done'",
    );
    this.insertRun = db.query<RunRow, [number, number, number, number | null, string | null, number, number]>(
      `INSERT INTO runs (workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status, created_at)
       VALUES (?, ?, ?, ?, ?, ?, 'running', ?)
       RETURNING id, workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status`,
    );
    this.setRun = db.query<never, [RunStatus, number | null, number]>(
      "UPDATE runs SET status = ?, finished_at = ? WHERE id = ?",
    );
    this.setOpenRuns = db.query<never, [RunStatus, number, number]>(
      "UPDATE runs SET status = ?, finished_at = ? WHERE turn_id = ? AND status = 'running'",
    );

    this.runSteps = db.query<RunStepRow, [number]>(
      `SELECT r.id, r.workspace_id, r.turn_id, r.agent_id, a.name AS agent, r.parent_run_id, r.parent_call_id, r.depth, r.status,
       r.created_at, r.finished_at FROM runs r JOIN agents a ON a.id = r.agent_id WHERE r.turn_id = ? ORDER BY r.id`,
    );
    this.insertToolCall = db.query<never, [string, number, number, number, number, string, string]>(
      `INSERT INTO tool_calls (call_id, workspace_id, turn_id, run_id, position, tool, arguments, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'asked')`,
    );
    this.toolCallsOf = db.query<ToolCallRow, [number]>(
      `${TOOL_CALL} WHERE run_id = ? AND state <> 'done' ORDER BY position`,
    );
    this.danglingCalls = db.query<ToolCallRow, [number]>(
      `SELECT c.call_id, c.workspace_id, c.turn_id, c.run_id, c.position, c.tool, c.arguments, c.state, c.started_at
       FROM tool_calls c JOIN runs r ON r.id = c.run_id
       WHERE c.workspace_id = ? AND c.state <> 'done' AND r.parent_run_id IS NULL ORDER BY c.run_id, c.position`,
    );
    this.startToolCall = db.query<never, [number, string]>(
      "UPDATE tool_calls SET state = 'started', started_at = ? WHERE call_id = ?",
    );
    this.finishToolCall = db.query<never, [number, string]>(
      "UPDATE tool_calls SET state = 'done', finished_at = ? WHERE call_id = ?",
    );

    this.toolSteps = db.query<ToolStepRow, [number]>(
      `SELECT c.call_id, c.workspace_id, c.turn_id, c.run_id, c.position, c.tool, c.arguments, c.state, c.started_at, c.finished_at, r.agent_id
       FROM runs r JOIN tool_calls c ON c.run_id = r.id WHERE r.turn_id = ? ORDER BY c.rowid`,
    );
    this.outcomes = db.query<OutcomeRow, [number]>(
      "SELECT call_id, outcome FROM entries WHERE turn_id = ? AND kind = 'tool'",
    );
    this.insertCall = db.query<
      { id: number },
      [number, number, number, number, number, number, string, string, string, string, string, number]
    >(
      `INSERT INTO calls (workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?) RETURNING id`,
    );
    this.finishCall = db.query<never, FinishCallParams>(
      `UPDATE calls SET status = ?, attempts = ?, finish = ?, error = ?, input_tokens = ?, cached_input_tokens = ?, output_tokens = ?,
       cost_nano = ?, first_chunk_ms = ?, duration_ms = ? WHERE id = ?`,
    );
    this.setOpenCalls = db.query<never, [RunStatus, number]>(
      "UPDATE calls SET status = ? WHERE turn_id = ? AND status = 'running'",
    );
    this.callById = db.query<CallRow, [number]>(`${CALL} WHERE id = ?`);
    this.callsOfTurn = db.query<CallRow, [number]>(`${CALL} WHERE turn_id = ? ORDER BY id`);
    this.partialsOf = db.query<{ id: number }, [number]>(
      "SELECT id FROM entries WHERE turn_id = ? AND partial = 1 AND forgotten_at IS NULL ORDER BY id",
    );
  }
}
