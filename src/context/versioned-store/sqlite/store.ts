// SQL of a space. Nothing here decides anything: engine.ts says what to write.

import type { Db } from "../../../kit/db.ts";
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
  /** Whose size and hash these are. */
  shown: number;
  size: number;
  hash: string;
  author: string;
  updated_at: number;
  /** Something was read out of the document that lies in other tables. */
  derived: 0 | 1;
}

export interface VersionRow {
  version: number;
  blob_id: number | null;
  size: number;
  hash: string;
  author: string;
  created_at: number;
  gone: "destroyed" | "pruned" | null;
}

export interface BlobRow {
  size: number;
  coding: "raw" | "zstd";
  content: Uint8Array;
}

export interface ChangeRow {
  seq: number;
  op: ChangeOp;
  path: string;
  version: number | null;
  /** Of that version. */
  hash: string | null;
  author: string;
  created_at: number;
}

/** A file as it was at some change. */
export interface PastRow {
  path: string;
  op: ChangeOp;
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
export interface MetadataRow {
  content: string;
  written: string;
  before: string | null;
}

const FILE = "id, path, live, last, shown, size, hash, author, updated_at, derived";
const VERSION = "version, blob_id, size, hash, author, created_at, gone";

/** Of a file the last change up to `seq` that said what is live; 0: it was not there yet. */
function lastChange(file: string, seq: string): string {
  const write = `SELECT seq FROM versions WHERE file_id = ${file} AND seq <= ${seq} ORDER BY version DESC LIMIT 1`;
  const other = `SELECT seq FROM changes WHERE file_id = ${file} AND seq <= ${seq} AND op <> 'write' AND op <> 'destroy' ORDER BY seq DESC LIMIT 1`;
  return `max(coalesce((${write}), 0), coalesce((${other}), 0))`;
}

export class SpaceStore {
  readonly space;
  readonly setEpoch;
  readonly setTotals;
  readonly file;
  readonly fileByFolded;
  readonly someLiveBelow;
  readonly liveFiles;
  readonly filesFrom;
  readonly insertFile;
  readonly updateFile;
  readonly setName;
  readonly setGoneFile;
  readonly versions;
  readonly version;
  readonly versionByHash;
  readonly newestKept;
  readonly insertVersion;
  readonly setGone;
  readonly keptBeyond;
  readonly blob;
  readonly keepBlob;
  readonly useBlob;
  readonly stageBlob;
  readonly releaseBlob;
  readonly dropUnusedBlob;
  readonly dropUnusedBlobOf;
  readonly dropUnusedBlobs;
  readonly insertChange;
  readonly changesAfter;
  readonly changedSince;
  readonly idsChangedSince;
  readonly fileById;
  readonly timeOf;
  readonly changesOf;
  readonly namedBySnapshot;
  readonly asOf;
  readonly follower;
  readonly setFollower;
  readonly snapshots;
  readonly snapshotById;
  readonly snapshotByName;
  readonly insertSnapshot;
  readonly metadataTable;
  readonly metadata;
  readonly setMetadata;
  readonly dropLinks;
  readonly insertLink;
  readonly dropFrontMatter;
  readonly insertFrontMatter;
  readonly dropWords;
  readonly setWords;

  constructor(db: Db) {
    // What was destroyed is overwritten, not only let go: the file is what backups and copies take along.
    db.exec("PRAGMA secure_delete = ON");
    // What a row refers to was made or read in the same transaction, and verifying a backup checks all of it. Checked here as well, each
    // version that retention prunes would be looked for in all others.
    db.exec("PRAGMA foreign_keys = OFF");
    this.space = db.query<SpaceRow, []>("SELECT epoch, seq, files, bytes, versions FROM space");
    this.setEpoch = db.query<never, [string]>("UPDATE space SET epoch = ?");
    this.setTotals = db.query<never, [number, number, number, number]>(
      "UPDATE space SET seq = ?, files = ?, bytes = ?, versions = ?",
    );
    this.file = db.query<FileRow, [string]>(`SELECT ${FILE} FROM files WHERE path = ?`);
    this.fileByFolded = db.query<{ path: string }, [string]>("SELECT path FROM files WHERE folded = ?");
    this.someLiveBelow = db.query<{ path: string }, [string, string, number]>(
      "SELECT path FROM files WHERE folded >= ?1 AND folded < ?2 LIMIT ?3",
    );
    this.liveFiles = db.query<FileRow, []>(`SELECT ${FILE} FROM files WHERE live IS NOT NULL ORDER BY path`);
    this.filesFrom = db.query<FileRow, [string, string, number]>(
      `SELECT ${FILE} FROM files WHERE path > ?1 AND path < ?2 ORDER BY path LIMIT ?3`,
    );
    this.insertFile = db.query<{ id: number }, [string, string, number, string, string, number, 0 | 1]>(
      `INSERT INTO files (path, folded, live, last, shown, size, hash, author, updated_at, derived)
       VALUES (?1, ?2, 1, 1, 1, ?3, ?4, ?5, ?6, ?7) RETURNING id`,
    );
    this.updateFile = db.query<never, [number, number, number, string, string, number, 0 | 1, number]>(
      "UPDATE files SET live = ?1, shown = ?1, last = ?2, size = ?3, hash = ?4, author = ?5, updated_at = ?6, derived = ?7 WHERE id = ?8",
    );
    this.setName = db.query<never, [string, number, number]>(
      "UPDATE files SET folded = ?, live = ? WHERE id = ?",
    );
    this.setGoneFile = db.query<never, [string, number, number]>(
      "UPDATE files SET live = NULL, folded = NULL, author = ?1, updated_at = ?2, derived = 0 WHERE id = ?3",
    );
    this.versions = db.query<VersionRow, [number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? ORDER BY version DESC`,
    );
    this.version = db.query<VersionRow, [number, number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? AND version = ?`,
    );
    this.versionByHash = db.query<{ version: number }, [number, string]>(
      "SELECT version FROM versions WHERE file_id = ? AND hash = ? LIMIT 1",
    );
    this.newestKept = db.query<VersionRow, [number]>(
      `SELECT ${VERSION} FROM versions WHERE file_id = ? AND gone IS NULL ORDER BY version DESC LIMIT 1`,
    );
    this.insertVersion = db.query<never, [number, number, number, number, string, string, number, number]>(
      "INSERT INTO versions (file_id, version, blob_id, size, hash, author, created_at, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.setGone = db.query<never, ["destroyed" | "pruned", number, number]>(
      "UPDATE versions SET gone = ?1, blob_id = NULL WHERE file_id = ?2 AND version = ?3",
    );
    this.keptBeyond = db.query<{ version: number; blob_id: number }, [number, number]>(
      "SELECT version, blob_id FROM versions WHERE file_id = ?1 AND gone IS NULL ORDER BY version DESC LIMIT -1 OFFSET ?2",
    );
    this.blob = db.query<BlobRow, [number]>("SELECT size, coding, content FROM blobs WHERE id = ?");
    this.keepBlob = db.query<{ id: number }, [string, number, "raw" | "zstd", Uint8Array]>(
      "INSERT INTO blobs (hash, size, uses, coding, content) VALUES (?, ?, 1, ?, ?) ON CONFLICT (hash) DO UPDATE SET uses = uses + 1 RETURNING id",
    );
    this.useBlob = db.query<{ id: number }, [string]>(
      "UPDATE blobs SET uses = uses + 1 WHERE hash = ? RETURNING id",
    );
    this.stageBlob = db.query<never, [string, number, "raw" | "zstd", Uint8Array]>(
      "INSERT INTO blobs (hash, size, uses, coding, content) VALUES (?, ?, 0, ?, ?) ON CONFLICT (hash) DO NOTHING",
    );
    this.releaseBlob = db.query<{ uses: number }, [number]>(
      "UPDATE blobs SET uses = uses - 1 WHERE id = ? RETURNING uses",
    );
    this.dropUnusedBlob = db.query<never, [number]>("DELETE FROM blobs WHERE id = ? AND uses = 0");
    this.dropUnusedBlobOf = db.query<never, [string]>("DELETE FROM blobs WHERE hash = ? AND uses = 0");
    this.dropUnusedBlobs = db.query<never, []>("DELETE FROM blobs WHERE uses = 0");
    this.insertChange = db.query<never, [number, number, ChangeOp, number | null, string, number]>(
      "INSERT INTO changes (seq, file_id, op, version, author, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.changesAfter = db.query<ChangeRow, [number, number]>(
      `SELECT c.seq, c.op, f.path, c.version, v.hash, c.author, c.created_at FROM changes c JOIN files f ON f.id = c.file_id
       LEFT JOIN versions v ON v.file_id = c.file_id AND v.version = c.version
       WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
    );
    // The changes first, however many files there are.
    this.changedSince = db.query<FileRow, [number]>(
      `SELECT ${FILE} FROM (SELECT DISTINCT file_id FROM changes WHERE seq > ? AND op <> 'destroy') CROSS JOIN files ON id = file_id ORDER BY path`,
    );
    this.idsChangedSince = db.query<{ id: number }, [number]>(
      "SELECT DISTINCT file_id AS id FROM changes WHERE seq > ? AND op <> 'destroy'",
    );
    this.fileById = db.query<FileRow, [number]>(`SELECT ${FILE} FROM files WHERE id = ?`);
    this.timeOf = db.query<{ created_at: number }, [number]>("SELECT created_at FROM changes WHERE seq = ?");
    this.changesOf = db.query<{ op: ChangeOp; version: number | null }, [number]>(
      `SELECT op, version FROM (
         SELECT 'write' AS op, version, seq FROM versions WHERE file_id = ?1
         UNION ALL SELECT op, version, seq FROM changes WHERE file_id = ?1 AND op <> 'write'
       ) ORDER BY seq`,
    );
    // Is there a snapshot in which this version is the live one?
    this.namedBySnapshot = db.query<{ id: number }, [number, number]>(
      `SELECT s.id FROM snapshots s JOIN changes c ON c.seq = ${lastChange("?1", "s.seq")} WHERE c.version = ?2 LIMIT 1`,
    );
    // Of each file the last change up to then that said what is live.
    this.asOf = db.query<PastRow, [number, string, number]>(
      `SELECT f.path, c.op, c.version, v.size, v.hash, c.author, c.created_at
       FROM files f
       JOIN changes c ON c.seq = ${lastChange("f.id", "?1")}
       LEFT JOIN versions v ON v.file_id = f.id AND v.version = c.version
       WHERE c.op <> 'delete' AND f.path > ?2 ORDER BY f.path LIMIT ?3`,
    );
    this.follower = db.query<{ seq: number }, [string]>("SELECT seq FROM followers WHERE name = ?");
    this.setFollower = db.query<never, [number, string]>("UPDATE followers SET seq = ? WHERE name = ?");
    this.snapshots = db.query<SnapshotRow, []>(
      "SELECT id, name, seq, author, created_at FROM snapshots ORDER BY id",
    );
    this.snapshotById = db.query<SnapshotRow, [number]>(
      "SELECT id, name, seq, author, created_at FROM snapshots WHERE id = ?",
    );
    this.snapshotByName = db.query<SnapshotRow, [string]>(
      "SELECT id, name, seq, author, created_at FROM snapshots WHERE name = ?",
    );
    this.insertSnapshot = db.query<{ id: number }, [string, number, string, number]>(
      "INSERT INTO snapshots (name, seq, author, created_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    this.metadataTable = db.query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE name = 'metadata'",
    );
    this.metadata = db.query<MetadataRow, []>("SELECT content, written, before FROM metadata");
    this.setMetadata = db.query<never, [string, string, string | null]>(
      `INSERT INTO metadata (id, content, written, before) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT (id) DO UPDATE SET content = ?1, written = ?2, before = ?3`,
    );
    this.dropLinks = db.query<never, [number]>("DELETE FROM links WHERE file_id = ?");
    this.insertLink = db.query<never, [number, number, number, string, string]>(
      "INSERT INTO links (file_id, position, line, kind, target) VALUES (?, ?, ?, ?, ?)",
    );
    this.dropFrontMatter = db.query<never, [number]>("DELETE FROM front_matter WHERE file_id = ?");
    this.insertFrontMatter = db.query<never, [number, string]>(
      "INSERT INTO front_matter (file_id, fields) VALUES (?, ?)",
    );
    this.dropWords = db.query<never, [number]>("DELETE FROM words WHERE rowid = ?");
    this.setWords = db.query<never, [number, string]>(
      "INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)",
    );
  }
}
