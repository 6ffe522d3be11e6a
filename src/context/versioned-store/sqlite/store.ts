// The SQL of a space. It contains no decisions: engine.ts says what to write.

import type { Db } from "../../../kit/storage/db.ts";
import type { ChangeOp } from "../schema.ts";

export interface SpaceRow {
  epoch: string;
  seq: number;
  files: number;
  bytes: number;
  versions: number;
}

export interface FileRow {
  id: number;
  path: string;
  live: number | null;
  last: number;
  /** The version that size and hash describe. */
  shown: number;
  size: number;
  hash: string;
  author: string;
  updated_at: number;
  /** 1: other tables hold data derived from the document. */
  derived: 0 | 1;
}

export interface VersionRow {
  version: number;
  blob_id: number | null;
  size: number;
  hash: string;
  author: string;
  message: string | null;
  created_at: number;
  gone: "destroyed" | "pruned" | null;
}

interface BlobRow {
  size: number;
  coding: "raw" | "zstd";
  content: Uint8Array;
}

interface ChangeRow {
  seq: number;
  op: ChangeOp;
  path: string;
  version: number | null;
  /** The hash of that version. */
  hash: string | null;
  author: string;
  created_at: number;
}

/** A file as it was at some change. */
interface PastRow {
  path: string;
  version: number;
  size: number;
  hash: string;
  author: string;
  created_at: number;
}

export interface SnapshotRow {
  id: number;
  name: string;
  seq: number;
  author: string;
  created_at: number;
}

/** See 002_metadata.sql. */
interface MetadataRow {
  content: string;
  written: string;
  before: string | null;
}

/** See 004_copies.sql. */
interface NewCopy {
  file_id: number;
  version: number;
  modified: number;
  changed: number;
  inode: number;
}

/** A file with the signature of a copy of its live version; null: there is none. */
export type FileRowWithCopy = FileRow & {
  modified: number | null;
  changed: number;
  inode: number;
};

type NewFile = Pick<FileRow, "path" | "size" | "hash" | "author" | "updated_at" | "derived"> & {
  folded: string;
};

type NewVersion = Omit<VersionRow, "gone"> & { file_id: number; blob_id: number; seq: number };

type NewBlob = BlobRow & { hash: string };

type NewChange = Omit<ChangeRow, "path" | "hash"> & { file_id: number };

const FILE = "id, path, live, last, shown, size, hash, author, updated_at, derived";
const VERSION = "version, blob_id, size, hash, author, message, created_at, gone";

export interface FileChange {
  op: ChangeOp;
  version: number | null;
  seq: number;
}

/** SQL for the last change of a file up to `seq` that determined its live version; 0: the file did not exist yet. */
function lastChange(file: string, seq: string): string {
  const write = `SELECT seq FROM versions WHERE file_id = ${file} AND seq <= ${seq} ORDER BY version DESC LIMIT 1`;
  const other = `SELECT seq FROM changes WHERE file_id = ${file} AND seq <= ${seq} AND op <> 'write' AND op <> 'destroy' ORDER BY seq DESC LIMIT 1`;
  return `max(coalesce((${write}), 0), coalesce((${other}), 0))`;
}

export type SpaceStore = ReturnType<typeof spaceStore>;

export function spaceStore(db: Db) {
  // Overwrites destroyed content instead of only freeing its pages, because backups and copies contain the whole file.
  db.exec("PRAGMA secure_delete = ON");
  // Every reference is created or read in the same transaction, and verifying a backup checks them all. Enforcing them here would make SQLite
  // search all versions for each one that retention prunes.
  db.exec("PRAGMA foreign_keys = OFF");
  return {
    ...totals(db),
    ...files(db),
    ...versions(db),
    ...blobs(db),
    ...changes(db),
    ...snapshots(db),
    ...metadata(db),
    ...documents(db),
    ...copies(db),
    ...outlines(db),
  };
}

function totals(db: Db) {
  return {
    space: db.query<SpaceRow, []>("SELECT epoch, seq, files, bytes, versions FROM space"),
    setEpoch: db.query<never, [string]>("UPDATE space SET epoch = ?"),
    setTotals: db.query<never, Omit<SpaceRow, "epoch">>(
      "UPDATE space SET seq = $seq, files = $files, bytes = $bytes, versions = $versions",
    ),
  };
}

function files(db: Db) {
  return {
    file: db.query<FileRow, [string]>(`SELECT ${FILE} FROM files WHERE path = ?`),
    fileByFolded: db.query<{ path: string }, [string]>("SELECT path FROM files WHERE folded = ?"),
    someLiveBelow: db.query<{ path: string }, [string, string, number]>(
      "SELECT path FROM files WHERE folded >= ?1 AND folded < ?2 LIMIT ?3",
    ),
    // In the order of the table: in the order of paths, each row would be another page of the file.
    allFiles: db.query<FileRow, [number, number]>(
      `SELECT ${FILE} FROM files WHERE id > ?1 ORDER BY id LIMIT ?2`,
    ),
    filesFrom: db.query<FileRow, [string, string, number]>(
      `SELECT ${FILE} FROM files WHERE path > ?1 AND path < ?2 ORDER BY path LIMIT ?3`,
    ),
    liveFilesFrom: db.query<FileRow, [string, string, number]>(
      `SELECT ${FILE} FROM files WHERE path > ?1 AND path < ?2 AND live IS NOT NULL ORDER BY path LIMIT ?3`,
    ),
    // A deleted file has no folded name, so the index of those names holds all of them together.
    deletedBefore: db.query<FileRow, [number, number]>(
      `SELECT ${FILE} FROM files WHERE folded IS NULL AND id < ?1 ORDER BY id DESC LIMIT ?2`,
    ),
    livePaths: db.query<[path: string], [string, number]>(
      "SELECT path FROM files WHERE path > ?1 AND live IS NOT NULL ORDER BY path LIMIT ?2",
    ),
    insertFile: db.query<{ id: number }, NewFile>(
      `INSERT INTO files (path, folded, live, last, shown, size, hash, author, updated_at, derived)
       VALUES ($path, $folded, 1, 1, 1, $size, $hash, $author, $updated_at, $derived) RETURNING id`,
    ),
    updateFile: db.query<never, Omit<FileRow, "path" | "shown" | "live"> & { live: number }>(
      `UPDATE files SET live = $live, shown = $live, last = $last, size = $size, hash = $hash, author = $author, updated_at = $updated_at,
         derived = $derived WHERE id = $id`,
    ),
    setName: db.query<never, [string, number, number]>("UPDATE files SET folded = ?, live = ? WHERE id = ?"),
    setGoneFile: db.query<never, [string, number, number]>(
      "UPDATE files SET live = NULL, folded = NULL, author = ?1, updated_at = ?2, derived = 0 WHERE id = ?3",
    ),
  };
}

function versions(db: Db) {
  return {
    versionsBefore: db.query<VersionRow, [number, number, number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    ),
    version: db.query<VersionRow, [number, number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? AND version = ?`,
    ),
    versionByHash: db.query<{ version: number }, [number, string]>(
      "SELECT version FROM versions WHERE file_id = ? AND hash = ? LIMIT 1",
    ),
    newestKept: db.query<VersionRow, [number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? AND gone IS NULL ORDER BY version DESC LIMIT 1`,
    ),
    insertVersion: db.query<never, NewVersion>(
      `INSERT INTO versions (file_id, version, blob_id, size, hash, author, message, created_at, seq)
       VALUES ($file_id, $version, $blob_id, $size, $hash, $author, $message, $created_at, $seq)`,
    ),
    setGone: db.query<never, ["destroyed" | "pruned", number, number]>(
      "UPDATE versions SET gone = ?1, blob_id = NULL WHERE file_id = ?2 AND version = ?3",
    ),
    keptBeyond: db.query<{ version: number; blob_id: number }, [number, number]>(
      "SELECT version, blob_id FROM versions WHERE file_id = ?1 AND gone IS NULL ORDER BY version DESC LIMIT -1 OFFSET ?2",
    ),
  };
}

function blobs(db: Db) {
  return {
    blob: db.query<BlobRow, [number]>("SELECT size, coding, content FROM blobs WHERE id = ?"),
    keepBlob: db.query<{ id: number }, NewBlob>(
      `INSERT INTO blobs (hash, size, uses, coding, content)
       VALUES ($hash, $size, 1, $coding, $content) ON CONFLICT (hash) DO UPDATE SET uses = uses + 1 RETURNING id`,
    ),
    useBlob: db.query<{ id: number }, [string]>(
      "UPDATE blobs SET uses = uses + 1 WHERE hash = ? RETURNING id",
    ),
    stageBlob: db.query<never, NewBlob>(
      "INSERT INTO blobs (hash, size, uses, coding, content) VALUES ($hash, $size, 0, $coding, $content) ON CONFLICT (hash) DO NOTHING",
    ),
    releaseBlob: db.query<{ uses: number }, [number]>(
      "UPDATE blobs SET uses = uses - 1 WHERE id = ? RETURNING uses",
    ),
    dropUnusedBlob: db.query<never, [number]>("DELETE FROM blobs WHERE id = ? AND uses = 0"),
    dropUnusedBlobOf: db.query<never, [string]>("DELETE FROM blobs WHERE hash = ? AND uses = 0"),
    dropUnusedBlobs: db.query<never, []>("DELETE FROM blobs WHERE uses = 0"),
  };
}

function changes(db: Db) {
  return {
    insertChange: db.query<never, NewChange>(
      "INSERT INTO changes (seq, file_id, op, version, author, created_at) VALUES ($seq, $file_id, $op, $version, $author, $created_at)",
    ),
    changesAfter: db.query<ChangeRow, [number, number]>(
      `SELECT c.seq, c.op, f.path, c.version, v.hash, c.author, c.created_at FROM changes c JOIN files f ON f.id = c.file_id
       LEFT JOIN versions v ON v.file_id = c.file_id AND v.version = c.version
       WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
    ),
    // CROSS JOIN makes SQLite read the changes first, however many files there are.
    changedSince: db.query<FileRow, [number]>(
      `SELECT ${FILE} FROM (SELECT DISTINCT file_id FROM changes WHERE seq > ? AND op <> 'destroy') CROSS JOIN files ON id = file_id ORDER BY path`,
    ),
    idsChangedSince: db.query<{ id: number }, [number]>(
      "SELECT DISTINCT file_id AS id FROM changes WHERE seq > ? AND op <> 'destroy'",
    ),
    fileById: db.query<FileRow, [number]>(`SELECT ${FILE} FROM files WHERE id = ?`),
    timeOf: db.query<{ created_at: number }, [number]>("SELECT created_at FROM changes WHERE seq = ?"),
    writesOfAfter: db.query<FileChange, [number, number, number]>(
      "SELECT 'write' AS op, version, seq FROM versions WHERE file_id = ? AND version > ? ORDER BY version LIMIT ?",
    ),
    otherChangesOfAfter: db.query<FileChange, [number, number, number]>(
      "SELECT op, version, seq FROM changes WHERE file_id = ? AND seq > ? AND op <> 'write' ORDER BY seq LIMIT ?",
    ),
    // A snapshot in which this version is live.
    namedBySnapshot: db.query<{ id: number }, [number, number]>(
      `SELECT s.id FROM snapshots s JOIN changes c ON c.seq = ${lastChange("?1", "s.seq")} WHERE c.version = ?2 LIMIT 1`,
    ),
    // For each file, the last change up to then that determined its live version.
    asOf: db.query<PastRow, [number, string, number]>(
      `SELECT f.path, c.version, v.size, v.hash, c.author, c.created_at
       FROM files f
       JOIN changes c ON c.seq = ${lastChange("f.id", "?1")}
       LEFT JOIN versions v ON v.file_id = f.id AND v.version = c.version
       WHERE c.op <> 'delete' AND f.path > ?2 ORDER BY f.path LIMIT ?3`,
    ),
    follower: db.query<{ seq: number }, [string]>("SELECT seq FROM followers WHERE name = ?"),
    setFollower: db.query<never, [number, string]>("UPDATE followers SET seq = ? WHERE name = ?"),
  };
}

function snapshots(db: Db) {
  return {
    snapshots: db.query<SnapshotRow, []>(
      "SELECT id, name, seq, author, created_at FROM snapshots ORDER BY id",
    ),
    snapshotById: db.query<SnapshotRow, [number]>(
      "SELECT id, name, seq, author, created_at FROM snapshots WHERE id = ?",
    ),
    snapshotByName: db.query<SnapshotRow, [string]>(
      "SELECT id, name, seq, author, created_at FROM snapshots WHERE name = ?",
    ),
    insertSnapshot: db.query<{ id: number }, Omit<SnapshotRow, "id">>(
      "INSERT INTO snapshots (name, seq, author, created_at) VALUES ($name, $seq, $author, $created_at) RETURNING id",
    ),
  };
}

function metadata(db: Db) {
  return {
    metadataTable: db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE name = 'metadata'"),
    metadata: db.query<MetadataRow, []>("SELECT content, written, before FROM metadata"),
    setMetadata: db.query<never, [string, string, string | null]>(
      `INSERT INTO metadata (id, content, written, before) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT (id) DO UPDATE SET content = ?1, written = ?2, before = ?3`,
    ),
  };
}

const FILE_WITH_COPY = `SELECT ${FILE}, c.modified, c.changed, c.inode
       FROM files LEFT JOIN copies c ON c.file_id = id AND c.version = live`;

function copies(db: Db) {
  return {
    filesWithCopiesFrom: db.query<FileRowWithCopy, [string, string, number]>(
      `${FILE_WITH_COPY} WHERE path > ?1 AND path < ?2 ORDER BY path LIMIT ?3`,
    ),
    fileWithCopy: db.query<FileRowWithCopy, [string]>(`${FILE_WITH_COPY} WHERE path = ?`),
    allFilesWithCopies: db.query<FileRowWithCopy, [number, number]>(
      `${FILE_WITH_COPY} WHERE id > ?1 ORDER BY id LIMIT ?2`,
    ),
    setCopy: db.query<never, NewCopy>(
      `INSERT INTO copies (file_id, version, modified, changed, inode) VALUES ($file_id, $version, $modified, $changed, $inode)
       ON CONFLICT (file_id) DO UPDATE SET version = $version, modified = $modified, changed = $changed, inode = $inode`,
    ),
  };
}

function documents(db: Db) {
  return {
    dropLinks: db.query<never, [number]>("DELETE FROM link_lists WHERE file_id = ?"),
    insertLinks: db.query<never, [number, number, string]>(
      "INSERT INTO link_lists (file_id, count, links) VALUES (?, ?, ?)",
    ),
    dropFrontMatter: db.query<never, [number]>("DELETE FROM front_matter WHERE file_id = ?"),
    insertFrontMatter: db.query<never, [number, string]>(
      "INSERT INTO front_matter (file_id, fields) VALUES (?, ?)",
    ),
  };
}

/** Rows as lists of columns, because there are very many. */
function outlines(db: Db) {
  return {
    liveNames: db.query<[id: number, path: string, version: number], [number, number]>(
      "SELECT id, path, live FROM files WHERE id > ?1 AND live IS NOT NULL ORDER BY id LIMIT ?2",
    ),
    liveHashes: db.query<[id: number, path: string, hash: string], [number, number]>(
      "SELECT id, path, hash FROM files WHERE id > ?1 AND live IS NOT NULL ORDER BY id LIMIT ?2",
    ),
    linkCounts: db.query<[file: number, count: number], [number, number]>(
      "SELECT file_id, count FROM link_lists WHERE file_id > ?1 ORDER BY file_id LIMIT ?2",
    ),
    linksBetween: db.query<[file: number, links: string], [number, number]>(
      "SELECT file_id, links FROM link_lists WHERE file_id BETWEEN ?1 AND ?2 ORDER BY file_id",
    ),
    // Every live file, so that a page takes as long whatever share of them declares anything.
    declarations: db.query<
      [id: number, path: string, fields: string | null, written: number],
      [number, number]
    >(
      `SELECT f.id, f.path, m.fields, v.created_at FROM files f LEFT JOIN front_matter m ON m.file_id = f.id
       LEFT JOIN versions v ON v.file_id = m.file_id AND v.version = f.live
       WHERE f.id > ?1 AND f.live IS NOT NULL ORDER BY f.id LIMIT ?2`,
    ),
    linksOf: db.query<[links: string], [number]>("SELECT links FROM link_lists WHERE file_id = ?1"),
  };
}
