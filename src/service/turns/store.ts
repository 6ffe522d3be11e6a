// SQL of turns, runs, tool calls and model calls.

import type { Db } from "../../kit/storage/db.ts";
import type { SizedRow } from "../../kit/storage/pages.ts";
import type { AuthKind } from "../identity/schema.ts";
import {
  FORK_CHARACTERS_MAX,
  SUMMARY_CHARACTERS_SEARCHED,
  type RunStatus,
  type ToolState,
  type TurnStatus,
} from "./schema.ts";

export interface TurnRow {
  id: number;
  workspace_id: number;
  number: number;
  status: TurnStatus;
  text: string;
  /** JSON array; null when there are none. */
  attachments: string | null;
  user_id: number;
  user_name: string;
  imported: 0 | 1;
  auth: AuthKind;
  blueprint_id: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  tainted_at: number | null;
  truncated: number;
  /** The turn that it follows; null: it begins the conversation, or has not started and goes to the end of the current branch. */
  after_id: number | null;
  /** Its person chose `after_id`. */
  is_placed: number;
  /** Answers in place of the orchestrator's model. */
  model_id: number | null;
  /** Null until its first event is appended. */
  first_event_id: number | null;
}

/** The stored facts about the person for whom a turn acts. */
interface ActingRow {
  id: number;
  workspace_id: number;
  acting_id: number;
  acting_name: string;
  acting_auth: AuthKind;
  acting_address: string;
  acting_request_id: string;
  /** Why it must no longer act. */
  stop_reason: string | null;
}

type NewTurn = Pick<
  TurnRow,
  | "workspace_id"
  | "text"
  | "attachments"
  | "user_id"
  | "user_name"
  | "auth"
  | "created_at"
  | "after_id"
  | "is_placed"
  | "model_id"
>;

type NewActing = Omit<ActingRow, "workspace_id" | "stop_reason"> & { acting_token_id: number | null };

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
  http_status: number | null;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost_nano: number | null;
  started_at: number;
  first_chunk_ms: number | null;
  duration_ms: number | null;
}

/** A call without the references to its parts, of which there may be many. */
export type CallFacts = Omit<CallRow, "parts" | "settings">;

const TURN = `SELECT id, workspace_id, number, status, text, attachments, user_id, user_name, imported, auth, blueprint_id, error, created_at, started_at, finished_at,
  tainted_at, truncated, after_id, is_placed, model_id, (SELECT min(e.id) FROM events e WHERE e.turn_id = turns.id) AS first_event_id FROM turns`;
const RUN =
  "SELECT id, workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status FROM runs";
const TOOL_CALL =
  "SELECT call_id, workspace_id, turn_id, run_id, position, tool, arguments, state, started_at FROM tool_calls";
const CALL_FACTS = `id, workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, status, attempts, finish, error,
  http_status, input_tokens, cached_input_tokens, output_tokens, cost_nano, started_at, first_chunk_ms, duration_ms`;
const CALL = `SELECT ${CALL_FACTS}, parts, settings FROM calls`;
/** As much as a row without texts takes to read and to encode. */
const ROW_BYTES = 512;

/** A piece of an answer that is not complete; it begins at `start`, in characters. */
interface ArrivedRow {
  call_id: number;
  kind: "text" | "reasoning";
  start: number;
  text: string;
}

type NewRun = Omit<RunRow, "id" | "status"> & { created_at: number };

type NewCall = Pick<
  CallRow,
  | "workspace_id"
  | "turn_id"
  | "run_id"
  | "agent_id"
  | "round"
  | "model_id"
  | "model_name"
  | "provider_name"
  | "protocol"
  | "parts"
  | "settings"
  | "started_at"
>;

type CallEnd = Omit<CallRow, keyof NewCall>;

export interface SummaryRow {
  id: number;
  number: number;
  status: TurnStatus;
  text: string;
  user_name: string;
  imported: 0 | 1;
  error: string | null;
  truncated: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

interface SumsRow {
  calls: number;
  unreported_calls: number;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost_nano: number | null;
  unpriced_calls: number;
}

export type TurnStore = ReturnType<typeof turnStore>;

export function turnStore(db: Db) {
  return {
    ...turns(db),
    ...branches(db),
    ...runs(db),
    ...toolCalls(db),
    ...modelCalls(db),
    ...summaries(db),
  };
}

function turns(db: Db) {
  return {
    turnById: db.query<TurnRow, [number]>(`${TURN} WHERE id = ?`),
    newestTurns: db.query<SizedRow, [number, number, number]>(
      `SELECT id, octet_length(text) + ifnull(octet_length(error), 0) AS bytes FROM turns
       WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    ),
    /** `ids`: a JSON array. */
    turnsByIds: db.query<TurnRow, [string]>(
      `${TURN} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    ),
    openTurns: db.query<TurnRow, []>(`${TURN} WHERE status IN ('queued', 'running', 'waiting') ORDER BY id`),
    openTurnsOf: db.query<TurnRow, [number]>(
      `${TURN} WHERE workspace_id = ? AND status IN ('queued', 'running', 'waiting') ORDER BY id`,
    ),
    openCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM turns WHERE workspace_id = ? AND status IN ('queued', 'running', 'waiting')",
    ),
    queuedCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM turns WHERE workspace_id = ? AND status = 'queued'",
    ),
    queuedOf: db.query<TurnRow, [number]>(`${TURN} WHERE workspace_id = ? AND status = 'queued' ORDER BY id`),
    insertTurn: db.query<{ id: number }, NewTurn>(
      `INSERT INTO turns (workspace_id, number, status, text, attachments, user_id, user_name, auth, created_at, after_id, is_placed, model_id)
       VALUES ($workspace_id, coalesce((SELECT number FROM turns WHERE workspace_id = $workspace_id ORDER BY id DESC LIMIT 1), 0) + 1,
         'queued', $text, $attachments, $user_id, $user_name, $auth, $created_at, $after_id, $is_placed, $model_id) RETURNING id`,
    ),
    startTurn: db.query<never, [number, number, number]>(
      "UPDATE turns SET status = 'running', blueprint_id = ?, started_at = ? WHERE id = ?",
    ),
    setTurn: db.query<never, Pick<TurnRow, "id" | "status" | "error" | "finished_at">>(
      "UPDATE turns SET status = $status, error = $error, finished_at = $finished_at WHERE id = $id",
    ),
    setWaiting: db.query<never, ["running" | "waiting", number]>(
      "UPDATE turns SET status = ? WHERE id = ? AND status IN ('running', 'waiting')",
    ),
    taint: db.query<never, [number, number]>(
      "UPDATE turns SET tainted_at = ? WHERE id = ? AND tainted_at IS NULL",
    ),
    truncate: db.query<never, [number]>("UPDATE turns SET truncated = 1 WHERE id = ?"),
    acting: db.query<ActingRow, [number]>(
      `SELECT id, workspace_id, acting_id, acting_name, acting_auth, acting_address, acting_request_id, stop_reason
       FROM turns WHERE id = ?`,
    ),
    setActing: db.query<never, NewActing>(
      `UPDATE turns SET acting_id = $acting_id, acting_name = $acting_name, acting_auth = $acting_auth, acting_token_id = $acting_token_id,
         acting_address = $acting_address, acting_request_id = $acting_request_id,
       stop_reason = NULL, truncated = 0 WHERE id = $id`,
    ),
    stopOpen: db.query<never, [string, number]>(
      "UPDATE turns SET stop_reason = ? WHERE acting_id = ? AND status IN ('queued', 'running', 'waiting')",
    ),
    stopOpenOfOthers: db.query<never, [string, number, number | null]>(
      `UPDATE turns SET stop_reason = ? WHERE acting_id = ? AND status IN ('queued', 'running', 'waiting')
       AND acting_token_id IS NOT NULL AND acting_token_id IS NOT ?`,
    ),
    workspacesWithQueue: db.query<{ workspace_id: number }, []>(
      // The planner uses the partial index of open turns only if a query repeats its condition exactly.
      "SELECT DISTINCT workspace_id FROM turns WHERE status IN ('queued', 'running', 'waiting') AND status = 'queued'",
    ),
    stopReason: db.query<{ stop_reason: string | null }, [number]>(
      "SELECT stop_reason FROM turns WHERE id = ?",
    ),
  };
}

function branches(db: Db) {
  return {
    tip: db.query<{ turn_id: number | null }, [number]>(
      "SELECT turn_id FROM branch_tips WHERE workspace_id = ?",
    ),
    setTip: db.query<never, [number, number | null]>(
      "INSERT INTO branch_tips (workspace_id, turn_id) VALUES (?1, ?2) ON CONFLICT (workspace_id) DO UPDATE SET turn_id = ?2",
    ),
    chosenModel: db.query<{ model_id: number | null }, [number]>("SELECT model_id FROM turns WHERE id = ?"),
    setAfter: db.query<never, [number | null, number]>("UPDATE turns SET after_id = ? WHERE id = ?"),
    started: db.query<{ id: number }, [number]>(
      "SELECT id FROM turns WHERE workspace_id = ? AND started_at IS NOT NULL",
    ),
    pathTo: db.query<{ id: number }, [number]>(
      `WITH RECURSIVE path (id) AS
         (SELECT ?1 UNION ALL SELECT t.after_id FROM path JOIN turns t ON t.id = path.id WHERE t.after_id IS NOT NULL)
       SELECT id FROM path`,
    ),
    // The first row is the turn itself, the last one the newest turn below it.
    newestBelow: db.query<{ id: number }, [number]>(
      `WITH RECURSIVE below (id) AS
         (SELECT ?1 UNION ALL
          SELECT (SELECT max(n.id) FROM turns n WHERE n.workspace_id = t.workspace_id AND n.after_id = t.id AND n.started_at IS NOT NULL)
          FROM below JOIN turns t ON t.id = below.id)
       SELECT id FROM below WHERE id IS NOT NULL`,
    ),
    laterStarted: db.query<{ id: number }, [number, number]>(
      "SELECT id FROM turns WHERE workspace_id = ? AND id > ? AND started_at IS NOT NULL LIMIT 1",
    ),
    following: db.query<{ id: number }, [number, number]>(
      "SELECT id FROM turns WHERE workspace_id = ? AND after_id = ? AND started_at IS NOT NULL LIMIT 1",
    ),
    forked: db.query<
      { after_id: number | null; id: number; text: string },
      { workspace_id: number; limit: number }
    >(
      `WITH forks AS MATERIALIZED
         (SELECT after_id FROM turns WHERE workspace_id = $workspace_id AND started_at IS NOT NULL
          GROUP BY after_id HAVING count(*) > 1 ORDER BY after_id DESC LIMIT $limit)
       SELECT t.after_id, t.id, substr(t.text, 1, ${FORK_CHARACTERS_MAX}) AS text FROM forks f
       CROSS JOIN turns t ON t.workspace_id = $workspace_id AND t.after_id IS f.after_id AND t.started_at IS NOT NULL`,
    ),
  };
}

function runs(db: Db) {
  return {
    rootRun: db.query<RunRow, [number]>(`${RUN} WHERE turn_id = ? AND parent_run_id IS NULL`),
    runById: db.query<RunRow, [number]>(`${RUN} WHERE id = ?`),
    runOfCall: db.query<RunRow, [number, string]>(`${RUN} WHERE turn_id = ? AND parent_call_id = ?`),
    roundsOf: db.query<{ count: number }, [number, number]>(
      "SELECT count(*) AS count FROM calls WHERE turn_id = ? AND run_id = ? AND status = 'done'",
    ),
    insertRun: db.query<RunRow, NewRun>(
      `INSERT INTO runs (workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status, created_at)
       VALUES ($workspace_id, $turn_id, $agent_id, $parent_run_id, $parent_call_id, $depth, 'running', $created_at)
       RETURNING id, workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status`,
    ),
    setRun: db.query<never, [RunStatus, number | null, number]>(
      "UPDATE runs SET status = ?, finished_at = ? WHERE id = ?",
    ),
    setOpenRuns: db.query<never, [RunStatus, number, number]>(
      "UPDATE runs SET status = ?, finished_at = ? WHERE turn_id = ? AND status = 'running'",
    ),
    runSteps: db.query<RunStepRow, [number, number, number]>(
      `SELECT r.id, r.workspace_id, r.turn_id, r.agent_id, a.name AS agent, r.parent_run_id, r.parent_call_id, r.depth, r.status,
       r.created_at, r.finished_at FROM runs r JOIN agents a ON a.id = r.agent_id WHERE r.turn_id = ? AND r.id > ? ORDER BY r.id LIMIT ?`,
    ),
  };
}

function toolCalls(db: Db) {
  return {
    insertToolCall: db.query<never, Omit<ToolCallRow, "state" | "started_at">>(
      `INSERT INTO tool_calls (call_id, workspace_id, turn_id, run_id, position, tool, arguments, state)
       VALUES ($call_id, $workspace_id, $turn_id, $run_id, $position, $tool, $arguments, 'asked')`,
    ),
    toolCallsOf: db.query<ToolCallRow, [number]>(
      `${TOOL_CALL} WHERE run_id = ? AND state <> 'done' ORDER BY position`,
    ),
    danglingCalls: db.query<ToolCallRow, [number]>(
      `SELECT c.call_id, c.workspace_id, c.turn_id, c.run_id, c.position, c.tool, c.arguments, c.state, c.started_at
       FROM tool_calls c JOIN runs r ON r.id = c.run_id
       WHERE c.workspace_id = ? AND c.state <> 'done' AND r.parent_run_id IS NULL ORDER BY c.run_id, c.position`,
    ),
    startToolCall: db.query<never, [number, string]>(
      "UPDATE tool_calls SET state = 'started', started_at = ? WHERE call_id = ?",
    ),
    finishToolCall: db.query<never, [number, string]>(
      "UPDATE tool_calls SET state = 'done', finished_at = ? WHERE call_id = ?",
    ),
    toolStepSizes: db.query<SizedRow, [number]>(
      `SELECT c.rowid AS id, ${ROW_BYTES} + octet_length(c.tool) + octet_length(c.arguments) AS bytes
       FROM runs r JOIN tool_calls c ON c.run_id = r.id WHERE r.turn_id = ? ORDER BY c.rowid`,
    ),
    /** `ids`: a JSON array. */
    toolStepsByIds: db.query<ToolStepRow, [string]>(
      `SELECT c.call_id, c.workspace_id, c.turn_id, c.run_id, c.position, c.tool, c.arguments, c.state, c.started_at, c.finished_at, r.agent_id
       FROM tool_calls c JOIN runs r ON r.id = c.run_id WHERE c.rowid IN (SELECT value FROM json_each(?)) ORDER BY c.rowid`,
    ),
  };
}

function summaries(db: Db) {
  return {
    summarySizes: db.query<SizedRow, [number, number, number]>(
      `SELECT id, ${ROW_BYTES} + octet_length(text) + ifnull(octet_length(error), 0) AS bytes
       FROM turns WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    ),
    /** `ids`: a JSON array. */
    summariesByIds: db.query<SummaryRow, [string]>(
      `SELECT id, number, status, substr(text, 1, ${SUMMARY_CHARACTERS_SEARCHED}) AS text, user_name, imported, error, truncated, created_at, started_at, finished_at
       FROM turns WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    ),
    tookPart: db.query<{ id: number }, [number, number]>(
      "SELECT id FROM runs WHERE turn_id = ? AND agent_id = ? LIMIT 1",
    ),
    agentsOf: db.query<{ name: string }, [number]>(
      "SELECT a.name FROM runs r JOIN agents a ON a.id = r.agent_id WHERE r.turn_id = ? GROUP BY a.id ORDER BY min(r.id)",
    ),
    sumsOf: db.query<SumsRow, [number]>(
      `SELECT count(*) AS calls, count(*) FILTER (WHERE input_tokens IS NULL AND output_tokens IS NULL) AS unreported_calls,
         sum(input_tokens) AS input_tokens, sum(cached_input_tokens) AS cached_input_tokens, sum(output_tokens) AS output_tokens,
         sum(cost_nano) AS cost_nano, count(*) FILTER (WHERE cost_nano IS NULL) AS unpriced_calls
       FROM calls WHERE turn_id = ? AND status <> 'running'`,
    ),
  };
}

function modelCalls(db: Db) {
  return {
    insertCall: db.query<{ id: number }, NewCall>(
      `INSERT INTO calls (workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status, started_at)
       VALUES ($workspace_id, $turn_id, $run_id, $agent_id, $round, $model_id, $model_name, $provider_name, $protocol, $parts, $settings,
         'running', $started_at) RETURNING id`,
    ),
    finishCall: db.query<never, CallEnd>(
      `UPDATE calls SET status = $status, attempts = $attempts, finish = $finish, error = $error, http_status = $http_status, input_tokens = $input_tokens,
         cached_input_tokens = $cached_input_tokens, output_tokens = $output_tokens,
       cost_nano = $cost_nano, first_chunk_ms = $first_chunk_ms, duration_ms = $duration_ms WHERE id = $id`,
    ),
    setOpenCalls: db.query<never, [RunStatus, number]>(
      "UPDATE calls SET status = ? WHERE turn_id = ? AND status = 'running'",
    ),
    // A call may end in the same commit as the write of its text.
    keepArrived: db.query<never, ArrivedRow>(
      `INSERT INTO arrived_texts (call_id, kind, start, text)
       SELECT id, $kind, $start, $text FROM calls WHERE id = $call_id AND status = 'running'`,
    ),
    arrivedOfTurn: db.query<ArrivedRow & { run_id: number }, [number]>(
      `SELECT a.call_id, a.kind, a.start, a.text, c.run_id FROM calls c CROSS JOIN arrived_texts a ON a.call_id = c.id
       WHERE c.turn_id = ? AND c.status = 'running' ORDER BY a.call_id, a.kind, a.start`,
    ),
    dropArrived: db.query<never, [number]>("DELETE FROM arrived_texts WHERE call_id = ?"),
    callById: db.query<CallRow, [number]>(`${CALL} WHERE id = ?`),
    callSizes: db.query<SizedRow, [number]>(
      `SELECT id, ${ROW_BYTES} + octet_length(model_name) + octet_length(provider_name) + ifnull(octet_length(finish), 0) + ifnull(octet_length(error), 0) AS bytes
       FROM calls WHERE turn_id = ? ORDER BY id`,
    ),
    /** `ids`: a JSON array. */
    callsByIds: db.query<CallFacts, [string]>(
      `SELECT ${CALL_FACTS} FROM calls WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    ),
  };
}
