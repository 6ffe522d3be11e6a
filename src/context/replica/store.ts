// The SQL of a copy's state (`.sync/state.db`).

import type { Db } from "../../kit/storage/db.ts";
import type { Fresh } from "./schema.ts";

interface ReplicaRow {
  server: string;
  space: string;
  user: string;
  head: string | null;
  /** JSON. */
  rules: string;
  settled: string | null;
  view: string | null;
}

export interface FileRow {
  path: string;
  version: number | null;
  hash: string | null;
  size: number;
  author: string;
  base_hash: string | null;
  base_version: number | null;
  base_local: number | null;
  sent: string | null;
  fresh: Fresh | null;
}

export interface HeldRow {
  path: string;
  direction: "up" | "down";
  hash: string;
  code: string;
  reason: string;
}

type ServerSide = Pick<FileRow, "path" | "version" | "hash" | "size" | "author">;

export type ReplicaStore = ReturnType<typeof replicaStore>;

const FILE = "path, version, hash, size, author, base_hash, base_version, base_local, sent, fresh";

export function replicaStore(db: Db) {
  return {
    replica: db.query<ReplicaRow, []>("SELECT server, space, user, head, rules, settled, view FROM replica"),
    begin: db.query<never, Omit<ReplicaRow, "head" | "settled" | "view">>(
      "INSERT INTO replica (id, server, space, user, head, rules) VALUES (1, $server, $space, $user, NULL, $rules)",
    ),
    setHead: db.query<never, [string, string]>("UPDATE replica SET head = ?, rules = ?"),
    setSettled: db.query<never, [string | null]>("UPDATE replica SET settled = ?"),
    setView: db.query<never, [string | null]>("UPDATE replica SET view = ?"),
    setServer: db.query<never, [string]>("UPDATE replica SET server = ?"),
    file: db.query<FileRow, [string]>(`SELECT ${FILE} FROM replica_files WHERE path = ?`),
    // The file of a path, and those below it; the last value is the path with the character after the slash.
    filesUnder: db.query<FileRow, { path: string; first: string; end: string }>(
      `SELECT ${FILE} FROM replica_files WHERE path = $path OR (path >= $first AND path < $end)`,
    ),
    files: db.query<FileRow, []>(`SELECT ${FILE} FROM replica_files`),
    // Changes of the server, unanswered pushes, and paths to compare again.
    pendingFiles: db.query<FileRow, []>(
      `SELECT ${FILE} FROM replica_files WHERE hash IS NOT base_hash OR sent IS NOT NULL OR fresh IS NOT NULL`,
    ),
    count: db.query<{ files: number }, []>(
      "SELECT count(*) AS files FROM replica_files WHERE base_hash IS NOT NULL",
    ),
    setServerSide: db.query<never, ServerSide & { fresh: Fresh | null }>(
      `INSERT INTO replica_files (path, version, hash, size, author, fresh) VALUES ($path, $version, $hash, $size, $author, $fresh)
       ON CONFLICT (path) DO UPDATE SET version = $version, hash = $hash, size = $size, author = $author, fresh = coalesce($fresh, fresh)`,
    ),
    clearServerSides: db.query<never, [Fresh]>(
      "UPDATE replica_files SET version = NULL, hash = NULL, size = 0, base_version = NULL, sent = NULL, fresh = ?",
    ),
    insertFile: db.query<never, FileRow>(
      `INSERT INTO replica_files (${FILE})
       VALUES ($path, $version, $hash, $size, $author, $base_hash, $base_version, $base_local, $sent, $fresh)`,
    ),
    setFresh: db.query<never, [Fresh | null, string]>("UPDATE replica_files SET fresh = ? WHERE path = ?"),
    // Both sides have the server's live version.
    agree: db.query<never, ServerSide & { local: number | null }>(
      `INSERT INTO replica_files (path, version, hash, size, author, base_hash, base_version, base_local)
       VALUES ($path, $version, $hash, $size, $author, $hash, $version, $local)
       ON CONFLICT (path) DO UPDATE SET version = $version, hash = $hash, size = $size, author = $author, base_hash = $hash,
         base_version = $version, base_local = $local, sent = NULL, fresh = NULL`,
    ),
    insertSent: db.query<never, [string, string]>(
      "INSERT INTO replica_files (path, size, author, sent) VALUES (?1, 0, '', ?2) ON CONFLICT (path) DO UPDATE SET sent = ?2",
    ),
    drop: db.query<never, [string]>("DELETE FROM replica_files WHERE path = ?"),
    held: db.query<HeldRow, []>("SELECT path, direction, hash, code, reason FROM replica_held ORDER BY path"),
    hold: db.query<never, HeldRow>(
      `INSERT INTO replica_held (path, direction, hash, code, reason) VALUES ($path, $direction, $hash, $code, $reason)
       ON CONFLICT (path) DO UPDATE SET direction = $direction, hash = $hash, code = $code, reason = $reason`,
    ),
    release: db.query<never, [string]>("DELETE FROM replica_held WHERE path = ?"),
  };
}
