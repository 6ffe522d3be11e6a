// SQL of the text index (019_search.sql): its queue, its items, and the records that it is made from and that it finds.

import type { Db } from "../../kit/storage/db.ts";
import type { EntryKind } from "../conversation/schema.ts";
import { PIECES_MAX } from "./schema.ts";

/** The indexed part of a record: of an entry the text, of others name and text. */
export interface SubjectRow {
  workspace_id: number | null;
  title: string;
  body: string;
}

export interface FileRow {
  id: number;
  workspace_id: number;
  path: string;
  /** -1: it was saved since it was indexed. */
  size: number;
  modified: number;
  changes: number;
}

export interface FoundRow {
  workspace_id: number | null;
  workspace: string | null;
  title: string;
  time: number | null;
}

export interface FoundEntryRow extends FoundRow {
  workspace_id: number;
  kind: EntryKind;
  turn_id: number;
  agent_id: number;
  user: string;
  tool: string | null;
  forgotten: number;
  aside: number;
}

interface Match {
  expression: string;
  from: number;
  to: number;
  limit: number;
}

export type SearchStore = ReturnType<typeof searchStore>;

export function searchStore(db: Db) {
  return { ...index(db), ...subjects(db), ...files(db), ...found(db) };
}

function index(db: Db) {
  return {
    // Names first, then the newest entries.
    queued: db.query<{ id: number }, [number]>("SELECT id FROM search_queue ORDER BY id DESC LIMIT ?"),
    queuedCount: db.query<{ count: number }, []>("SELECT count(*) AS count FROM search_queue"),
    unqueue: db.query<never, [number]>("DELETE FROM search_queue WHERE id = ?"),
    queue: db.query<never, [number]>("INSERT INTO search_queue (id) VALUES (?) ON CONFLICT DO NOTHING"),
    removePiece: db.query<never, [number]>("DELETE FROM search_items WHERE id = ?"),
    pieces: db.query<{ id: number }, [number]>(
      `SELECT id FROM search_items WHERE id >= ?1 AND id < ?1 + ${PIECES_MAX} ORDER BY id`,
    ),
    add: db.query<never, { id: number; workspace_id: number | null; title: string; body: string | null }>(
      "INSERT INTO search_items (id, workspace_id, title, body) VALUES ($id, $workspace_id, $title, $body)",
    ),
    // Newest first: the index counts and sorts nothing, so the time does not grow with the number of matches.
    matches: db.query<{ id: number }, Match>(
      `SELECT rowid AS id FROM search_index WHERE search_index MATCH $expression AND rowid BETWEEN $from AND $to
       ORDER BY rowid DESC LIMIT $limit`,
    ),
    lastEntry: db.query<{ id: number | null }, []>("SELECT max(id) AS id FROM entries"),
    // By default the index merges its parts inside any write, which takes up to 40 ms. Here `merge` does so, a few pages at a time.
    mergesItself: db.query<{ yes: number }, []>(
      "SELECT 1 AS yes WHERE NOT EXISTS (SELECT 1 FROM search_index_config WHERE k = 'automerge' AND v = 0)",
    ),
    configure: db.query<never, [string, number]>(
      "INSERT INTO search_index (search_index, rank) VALUES (?, ?)",
    ),
    merge: db.query<never, [number]>("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)"),
    totalChanges: db.query<{ count: number }, []>("SELECT total_changes() AS count"),
    isRemoving: db.query<{ id: number }, []>("SELECT id FROM workspace_rows WHERE state <> 'live' LIMIT 1"),
    body: db.query<{ body: string }, [number]>("SELECT body FROM search_texts WHERE id = ?"),
  };
}

const NOT_GOING = "SELECT 1 FROM workspace_rows w WHERE w.state <> 'going' AND w.id =";

function subjects(db: Db) {
  return {
    entry: db.query<SubjectRow, [number]>(
      `SELECT e.workspace_id, '' AS title, e.text AS body FROM entries e WHERE e.id = ? AND EXISTS (${NOT_GOING} e.workspace_id)`,
    ),
    instruction: db.query<SubjectRow, [number]>(
      "SELECT NULL AS workspace_id, name AS title, text AS body FROM instructions WHERE id = ?",
    ),
    gear: db.query<SubjectRow, [number]>(
      `SELECT NULL AS workspace_id, g.name || ' ' || g.tags AS title, v.description AS body
       FROM gears g JOIN gear_versions v ON v.gear_id = g.id AND v.version = g.version WHERE g.id = ? AND g.deleted_at IS NULL`,
    ),
    agent: db.query<SubjectRow, [number]>(
      `SELECT a.workspace_id, a.name AS title, a.role AS body FROM agents a
       WHERE a.id = ? AND a.removed_at IS NULL AND EXISTS (${NOT_GOING} a.workspace_id)`,
    ),
    workspace: db.query<SubjectRow, [number]>(
      `SELECT w.id AS workspace_id, CASE WHEN w.display_name IS NULL THEN w.name ELSE w.display_name || ' ' || w.name END AS title, w.description AS body
       FROM workspace_rows w WHERE w.id = ? AND w.state <> 'going'`,
    ),
  };
}

function files(db: Db) {
  return {
    file: db.query<FileRow, [number]>(
      `SELECT f.id, f.workspace_id, f.path, f.size, f.modified, f.changes FROM search_files f
       WHERE f.id = ? AND EXISTS (${NOT_GOING} f.workspace_id)`,
    ),
    filesAfter: db.query<FileRow, { workspace_id: number; after: string; limit: number }>(
      `SELECT id, workspace_id, path, size, modified, changes FROM search_files
       WHERE workspace_id = $workspace_id AND path > $after ORDER BY path LIMIT $limit`,
    ),
    addFile: db.query<{ id: number }, [number, string]>(
      `INSERT INTO search_files (workspace_id, path, size, modified, changes) VALUES (?, ?, -1, 0, 0)
       ON CONFLICT DO NOTHING RETURNING id`,
    ),
    setFile: db.query<never, [number, number, number]>(
      "UPDATE search_files SET size = ?, modified = ? WHERE id = ?",
    ),
    hasWorkspace: db.query<{ yes: number }, [number]>(
      "SELECT 1 AS yes FROM workspace_rows w WHERE w.id = ? AND w.state <> 'going'",
    ),
    removeFile: db.query<never, [number]>("DELETE FROM search_files WHERE id = ?"),
  };
}

function found(db: Db) {
  return {
    foundEntry: db.query<FoundEntryRow, [number]>(
      `SELECT e.workspace_id, w.display_name AS workspace, a.name AS title, e.created_at AS time, e.kind, e.turn_id, e.agent_id,
         t.user_name AS user, e.tool, e.forgotten_at IS NOT NULL AS forgotten, EXISTS (SELECT 1 FROM asides s WHERE s.turn_id = e.turn_id) AS aside
       FROM entries e JOIN workspaces w ON w.id = e.workspace_id JOIN agents a ON a.id = e.agent_id JOIN turns t ON t.id = e.turn_id WHERE e.id = ?`,
    ),
    foundFile: db.query<FoundRow, [number]>(
      `SELECT f.workspace_id, w.display_name AS workspace, f.path AS title,
         CASE WHEN f.modified > 0 THEN CAST(f.modified AS INTEGER) END AS time
       FROM search_files f JOIN workspaces w ON w.id = f.workspace_id WHERE f.id = ?`,
    ),
    foundInstruction: db.query<FoundRow, [number]>(
      "SELECT NULL AS workspace_id, NULL AS workspace, name AS title, updated_at AS time FROM instructions WHERE id = ?",
    ),
    foundGear: db.query<FoundRow, [number]>(
      `SELECT NULL AS workspace_id, NULL AS workspace, g.name AS title, g.updated_at AS time
       FROM gears g WHERE g.id = ? AND g.deleted_at IS NULL`,
    ),
    foundAgent: db.query<FoundRow, [number]>(
      `SELECT a.workspace_id, w.display_name AS workspace, a.name AS title, a.created_at AS time
       FROM agents a JOIN workspaces w ON w.id = a.workspace_id WHERE a.id = ? AND a.removed_at IS NULL`,
    ),
    foundWorkspace: db.query<FoundRow, [number]>(
      "SELECT w.id AS workspace_id, NULL AS workspace, w.display_name AS title, w.created_at AS time FROM workspaces w WHERE w.id = ?",
    ),
  };
}
