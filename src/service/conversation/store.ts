// SQL of entries and of stored prompt parts.

import type { Db } from "../../kit/storage/db.ts";
import type { SizedRow } from "../../kit/storage/pages.ts";
import type { EntryKind, Outcome, Truncation } from "./schema.ts";

export interface EntryRow {
  id: number;
  workspace_id: number;
  turn_id: number;
  run_id: number;
  agent_id: number;
  thread: number;
  kind: EntryKind;
  text: string;
  reasoning: string | null;
  /** JSON array of tool calls; null when there are none. */
  calls: string | null;
  call_id: string | null;
  tool: string | null;
  outcome: Outcome | null;
  duration_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  partial: number;
  truncated: Truncation | null;
  /** JSON array of names; null when there are none. */
  dropped_calls: string | null;
  tainted: number;
  /** JSON array; null when there are none. */
  attachments: string | null;
  forgotten_at: number | null;
  /** Its turn is on another branch. */
  aside: number;
  created_at: number;
}

/** How much of each entry is read for comparisons. */
const COMPARED_CHARACTERS_MAX = 65_536;

const COLUMNS = `id, workspace_id, turn_id, run_id, agent_id, thread, kind, text, reasoning, calls, call_id, tool, outcome, duration_ms, input_tokens,
  output_tokens, partial, truncated, dropped_calls, tainted, attachments, forgotten_at, EXISTS (SELECT 1 FROM asides a WHERE a.turn_id = entries.turn_id) AS aside, created_at`;
const ENTRY = `SELECT ${COLUMNS} FROM entries`;
/** Reads no text: the size of each is in the head of its row. */
const SIZE = `SELECT id, octet_length(text) + ifnull(octet_length(reasoning), 0) + ifnull(octet_length(calls), 0) AS bytes FROM entries`;

/** On the current branch. */
const CURRENT = "NOT EXISTS (SELECT 1 FROM asides a WHERE a.turn_id = entries.turn_id)";

type NewEntry = Omit<EntryRow, "id" | "forgotten_at" | "aside">;

export type ConversationStore = ReturnType<typeof conversationStore>;

export function conversationStore(db: Db) {
  return {
    insert: db.query<EntryRow, NewEntry>(
      `INSERT INTO entries (workspace_id, turn_id, run_id, agent_id, thread, kind, text, reasoning, calls, call_id, tool, outcome, duration_ms,
         input_tokens, output_tokens, partial, truncated, dropped_calls, tainted, attachments, created_at)
       VALUES ($workspace_id, $turn_id, $run_id, $agent_id, $thread, $kind, $text, $reasoning, $calls, $call_id, $tool, $outcome,
         $duration_ms, $input_tokens, $output_tokens, $partial, $truncated, $dropped_calls, $tainted, $attachments, $created_at) RETURNING ${COLUMNS}`,
    ),
    byId: db.query<EntryRow, [number]>(`${ENTRY} WHERE id = ?`),
    newest: db.query<SizedRow, [number, number, number]>(
      `${SIZE} WHERE workspace_id = ? AND id < ? AND ${CURRENT} ORDER BY id DESC LIMIT ?`,
    ),
    newestOfAll: db.query<SizedRow, [number, number, number]>(
      `${SIZE} WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    ),
    /** `ids`: a JSON array. */
    byIds: db.query<EntryRow, [string]>(`${ENTRY} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`),
    threadSizesSince: db.query<
      SizedRow,
      { workspace_id: number; thread: number; after: number; limit: number }
    >(
      `${SIZE} WHERE workspace_id = $workspace_id AND thread = $thread AND id > $after AND ${CURRENT}
       ORDER BY id LIMIT $limit`,
    ),
    sizesFrom: db.query<SizedRow, { workspace_id: number; from: number; to: number; limit: number }>(
      `${SIZE} WHERE workspace_id = $workspace_id AND id BETWEEN $from AND $to ORDER BY id LIMIT $limit`,
    ),
    recentTexts: db.query<{ id: number; text: string }, [number, number]>(
      `SELECT id, substr(text, 1, ${COMPARED_CHARACTERS_MAX}) AS text FROM entries WHERE workspace_id = ? ORDER BY id DESC LIMIT ?`,
    ),
    outcomesOfTurn: db.query<{ call_id: string; outcome: Outcome }, [number]>(
      "SELECT call_id, outcome FROM entries WHERE turn_id = ? AND kind = 'tool'",
    ),
    partialsOfTurn: db.query<{ id: number }, [number]>(
      "SELECT id FROM entries WHERE turn_id = ? AND partial = 1 AND forgotten_at IS NULL ORDER BY id",
    ),
    asides: db.query<{ turn_id: number }, [number]>("SELECT turn_id FROM asides WHERE workspace_id = ?"),
    putAside: db.query<never, [number, number]>("INSERT INTO asides (turn_id, workspace_id) VALUES (?, ?)"),
    takeBack: db.query<never, [number]>("DELETE FROM asides WHERE turn_id = ?"),
    setForgotten: db.query<never, [number | null, number]>(
      "UPDATE entries SET forgotten_at = ? WHERE id = ?",
    ),
    clearTaint: db.query<never, [number]>("UPDATE entries SET tainted = 0 WHERE id = ?"),
    isTainted: db.query<{ yes: number }, [number, number]>(
      `SELECT 1 AS yes FROM entries WHERE workspace_id = ? AND thread = ? AND tainted = 1 AND forgotten_at IS NULL AND ${CURRENT} LIMIT 1`,
    ),
    taintedThrough: db.query<{ id: number }, [number, number, number]>(
      `SELECT id FROM entries
       WHERE workspace_id = ? AND thread = 0 AND tainted = 1 AND forgotten_at IS NULL AND id <= ? AND ${CURRENT} ORDER BY id LIMIT ?`,
    ),
    taintedCount: db.query<{ count: number }, [number, number]>(
      `SELECT count(*) AS count FROM entries
       WHERE workspace_id = ? AND thread = 0 AND tainted = 1 AND forgotten_at IS NULL AND id <= ? AND ${CURRENT}`,
    ),
    keepPart: db.query<never, [number, string, string]>(
      "INSERT INTO prompt_parts (workspace_id, hash, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ),
    partByHash: db.query<{ id: number }, [number, string]>(
      "SELECT id FROM prompt_parts WHERE workspace_id = ? AND hash = ?",
    ),
    partById: db.query<{ content: string }, [number, number]>(
      "SELECT content FROM prompt_parts WHERE workspace_id = ? AND id = ?",
    ),
  };
}
