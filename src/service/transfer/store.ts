// SQL of export and import: rows of conversations as they are, by id. Ids of an import are reserved first, so that references become sums.

import type { Db } from "../../kit/storage/db.ts";
import type { AuthKind } from "../identity/schema.ts";

interface AgentRow {
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
  removed_at: number | null;
}

export type AgentNow = Pick<AgentRow, "id" | "name" | "model_id" | "removed_at">;

/** Ids. */
export type LastRows = Record<"turns" | "runs" | "entries" | "calls" | "tool_calls" | "parts", number>;

export interface TurnRow {
  id: number;
  workspace_id: number;
  number: number;
  status: string;
  text: string;
  user_name: string;
  error: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  tainted_at: number | null;
  truncated: number;
  after_id: number | null;
  is_placed: number;
  model_id: number | null;
}

interface RunRow {
  id: number;
  workspace_id: number;
  turn_id: number;
  agent_id: number;
  parent_run_id: number | null;
  parent_call_id: string | null;
  depth: number;
  status: string;
  created_at: number;
  finished_at: number | null;
}

interface ToolCallRow {
  call_id: string;
  workspace_id: number;
  turn_id: number;
  run_id: number;
  position: number;
  tool: string;
  arguments: string;
  state: string;
  started_at: number | null;
  finished_at: number | null;
}

interface EntryRow {
  id: number;
  workspace_id: number;
  turn_id: number;
  run_id: number;
  agent_id: number;
  thread: number;
  kind: string;
  text: string;
  reasoning: string | null;
  calls: string | null;
  call_id: string | null;
  tool: string | null;
  outcome: string | null;
  duration_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  partial: number;
  truncated: string | null;
  dropped_calls: string | null;
  tainted: number;
  forgotten_at: number | null;
  created_at: number;
}

interface CallRow {
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
  status: string;
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

/** The person who imports: turns of the past act for nobody else. */
interface Importer {
  user_id: number;
  auth: AuthKind;
  blueprint_id: number;
}

/** Ids of a table's rows in a page; `open` is a JSON array of turns whose rows are left out. */
interface IdPage {
  workspace_id: number;
  after: number;
  upto: number;
  open: string;
  limit: number;
}

const OF_OTHER_TURNS = "turn_id NOT IN (SELECT value FROM json_each($open))";
const PAGE = "WHERE workspace_id = $workspace_id AND id > $after AND id <= $upto";
const BY_ID = "ORDER BY id LIMIT $limit";

const AGENT =
  "id, workspace_id, name, name_key, role, model_id, orchestrator, x, y, budget, created_at, removed_at";
const RUN =
  "id, workspace_id, turn_id, agent_id, parent_run_id, parent_call_id, depth, status, created_at, finished_at";
const TOOL_CALL =
  "call_id, workspace_id, turn_id, run_id, position, tool, arguments, state, started_at, finished_at";
const ENTRY = `id, workspace_id, turn_id, run_id, agent_id, thread, kind, text, reasoning, calls, call_id, tool, outcome, duration_ms, input_tokens,
  output_tokens, partial, truncated, dropped_calls, tainted, forgotten_at, created_at`;
const CALL = `workspace_id, turn_id, run_id, agent_id, round, model_id, model_name, provider_name, protocol, parts, settings, status, attempts,
  finish, error, http_status, input_tokens, cached_input_tokens, output_tokens, cost_nano, started_at, first_chunk_ms, duration_ms`;

const valuesOf = (columns: string) => columns.replace(/\w+/g, "$$$&");

export type TransferStore = ReturnType<typeof transferStore>;

export function transferStore(db: Db) {
  return { ...exporting(db), ...importing(db), ...reserving(db) };
}

function exporting(db: Db) {
  return {
    openTurns: db.query<{ id: number }, [number]>(
      "SELECT id FROM turns WHERE workspace_id = ? AND status IN ('queued', 'running', 'waiting')",
    ),
    /** The last row of each table now; what comes later is not exported. */
    lastRows: db.query<LastRows, []>(
      `SELECT (SELECT coalesce(max(id), 0) FROM turns) AS turns, (SELECT coalesce(max(id), 0) FROM runs) AS runs,
         (SELECT coalesce(max(id), 0) FROM entries) AS entries, (SELECT coalesce(max(id), 0) FROM calls) AS calls,
         (SELECT coalesce(max(rowid), 0) FROM tool_calls) AS tool_calls, (SELECT coalesce(max(id), 0) FROM prompt_parts) AS parts`,
    ),
    tip: db.query<{ turn_id: number | null }, [number]>(
      "SELECT turn_id FROM branch_tips WHERE workspace_id = ?",
    ),
    /** Other rows refer to their ids; their names and models must fit together. */
    agents: db.query<AgentNow, [number]>(
      "SELECT id, name, model_id, removed_at FROM agents WHERE workspace_id = ? ORDER BY id",
    ),
    turnIds: db.query<{ id: number }, IdPage>(
      `SELECT id FROM turns ${PAGE} AND id NOT IN (SELECT value FROM json_each($open)) ${BY_ID}`,
    ),
    runIds: db.query<{ id: number }, IdPage>(`SELECT id FROM runs ${PAGE} AND ${OF_OTHER_TURNS} ${BY_ID}`),
    entryIds: db.query<{ id: number }, IdPage>(
      `SELECT id FROM entries ${PAGE} AND ${OF_OTHER_TURNS} ${BY_ID}`,
    ),
    toolCallIds: db.query<{ id: number; call_id: string }, IdPage>(
      `SELECT rowid AS id, call_id FROM tool_calls WHERE workspace_id = $workspace_id AND rowid > $after AND rowid <= $upto
       AND ${OF_OTHER_TURNS} ORDER BY rowid LIMIT $limit`,
    ),
    partIds: db.query<
      { id: number; hash: string },
      { workspace_id: number; hash: string; upto: number; limit: number }
    >(
      "SELECT id, hash FROM prompt_parts WHERE workspace_id = $workspace_id AND hash > $hash AND id <= $upto ORDER BY hash LIMIT $limit",
    ),
    callIds: db.query<{ id: number }, [number, number]>(
      "SELECT id FROM calls WHERE turn_id = ? AND id <= ? ORDER BY id",
    ),
    model: db.query<{ provider: string; name: string; label: string }, [number]>(
      "SELECT p.name AS provider, m.model_name AS name, m.label FROM models m JOIN providers p ON p.id = m.provider_id WHERE m.id = ?",
    ),
    turnModels: db.query<{ model_id: number }, [number]>(
      "SELECT DISTINCT model_id FROM turns WHERE workspace_id = ? AND model_id IS NOT NULL ORDER BY model_id",
    ),
    agent: db.query<AgentRow, [number]>(`SELECT ${AGENT} FROM agents WHERE id = ?`),
    turn: db.query<TurnRow, [number]>(
      `SELECT id, workspace_id, number, status, text, user_name, error, created_at, started_at, finished_at, tainted_at, truncated, after_id,
         is_placed, model_id FROM turns WHERE id = ?`,
    ),
    run: db.query<RunRow, [number]>(`SELECT ${RUN} FROM runs WHERE id = ?`),
    toolCall: db.query<ToolCallRow, [number]>(`SELECT ${TOOL_CALL} FROM tool_calls WHERE rowid = ?`),
    entry: db.query<EntryRow, [number]>(`SELECT ${ENTRY} FROM entries WHERE id = ?`),
    attachedTo: db.query<{ attachments: string | null }, [number]>(
      "SELECT attachments FROM entries WHERE id = ?",
    ),
    part: db.query<{ content: string }, [number]>("SELECT content FROM prompt_parts WHERE id = ?"),
    call: db.query<CallRow, [number]>(`SELECT ${CALL} FROM calls WHERE id = ?`),
  };
}

function importing(db: Db) {
  return {
    insertAgent: db.query<never, AgentRow>(`INSERT INTO agents (${AGENT}) VALUES (${valuesOf(AGENT)})`),
    insertWire: db.query<
      never,
      { workspace_id: number; from_agent_id: number; to_agent_id: number; created_at: number }
    >(
      `INSERT INTO wires (workspace_id, from_agent_id, to_agent_id, created_at)
       VALUES ($workspace_id, $from_agent_id, $to_agent_id, $created_at)`,
    ),
    insertPart: db.query<never, { id: number; workspace_id: number; hash: string; content: string }>(
      "INSERT INTO prompt_parts (id, workspace_id, hash, content) VALUES ($id, $workspace_id, $hash, $content)",
    ),
    insertTurn: db.query<never, TurnRow & Importer>(
      `INSERT INTO turns (id, workspace_id, number, status, text, user_id, user_name, auth, blueprint_id, error, created_at, started_at,
         finished_at, tainted_at, truncated, after_id, is_placed, model_id, acting_id, acting_name, acting_auth, imported)
       VALUES ($id, $workspace_id, $number, $status, $text, $user_id, $user_name, $auth, $blueprint_id, $error, $created_at, $started_at,
         $finished_at, $tainted_at, $truncated, $after_id, $is_placed, $model_id, $user_id, $user_name, $auth, 1)`,
    ),
    insertRun: db.query<never, RunRow>(`INSERT INTO runs (${RUN}) VALUES (${valuesOf(RUN)})`),
    insertToolCall: db.query<never, ToolCallRow>(
      `INSERT INTO tool_calls (${TOOL_CALL}) VALUES (${valuesOf(TOOL_CALL)})`,
    ),
    toolCallNamed: db.query<{ tool: string; arguments: string }, [string]>(
      "SELECT tool, arguments FROM tool_calls WHERE call_id = ?",
    ),
    insertEntry: db.query<never, EntryRow>(`INSERT INTO entries (${ENTRY}) VALUES (${valuesOf(ENTRY)})`),
    insertCall: db.query<never, CallRow>(`INSERT INTO calls (${CALL}) VALUES (${valuesOf(CALL)})`),
    setTip: db.query<never, [number, number | null]>(
      "INSERT INTO branch_tips (workspace_id, turn_id) VALUES (?, ?)",
    ),
    putAside: db.query<never, [number, number]>("INSERT INTO asides (turn_id, workspace_id) VALUES (?, ?)"),
  };
}

/** A table whose rows other rows refer to by number. */
export type Numbered = "agents" | "turns" | "runs" | "entries" | "prompt_parts";

/** Rows with an `AUTOINCREMENT` id never get one up to `seq`, so raising it keeps ids free for rows that are inserted later with theirs. */
function reserving(db: Db) {
  return {
    knowTable: db.query<never, [string, string]>(
      "INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
    ),
    reserve: db.query<{ seq: number }, [number, string]>(
      "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ? RETURNING seq",
    ),
  };
}
