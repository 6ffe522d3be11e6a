// SQL that searches a database for inconsistencies. Read-only, for any schema that a backup may hold.

import type { Db } from "../../kit/storage/db.ts";

export interface StoredBlob {
  id: number;
  hash: string;
  size: number;
  coding: "raw" | "zstd";
  content: Uint8Array;
}

interface Where {
  path: string;
  version: number | null;
}

/** For any database. */
export function integrityStore(db: Db) {
  return {
    /** One row: `ok` or the first problem. */
    integrity: db.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)"),
    foreignKeys: db.query<{ table: string }, []>("PRAGMA foreign_key_check"),
  };
}

export type SpaceContentStore = ReturnType<typeof spaceContentStore>;

export function spaceContentStore(db: Db) {
  return {
    space: db.query<{ epoch: string; seq: number; files: number; bytes: number; versions: number }, []>(
      "SELECT epoch, seq, files, bytes, versions FROM space",
    ),
    totals: db.query<{ files: number; bytes: number }, []>(
      "SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE live IS NOT NULL",
    ),
    versions: db.query<{ versions: number }, []>(
      "SELECT count(*) AS versions FROM versions WHERE gone IS NULL",
    ),
    lastChange: db.query<{ seq: number }, []>("SELECT coalesce(max(seq), 0) AS seq FROM changes"),
    nextBlob: db.query<StoredBlob, [number]>(
      "SELECT id, hash, size, coding, content FROM blobs WHERE id > ? ORDER BY id LIMIT 1",
    ),
    userOfBlob: db.query<Where, [number]>(
      `SELECT f.path, v.version FROM versions v JOIN files f ON f.id = v.file_id WHERE v.blob_id = ?
       ORDER BY f.path, v.version LIMIT 1`,
    ),
    versionWithoutBlob: db.query<Where, []>(
      `SELECT f.path, v.version FROM versions v JOIN files f ON f.id = v.file_id LEFT JOIN blobs b ON b.id = v.blob_id
       WHERE v.gone IS NULL AND (b.id IS NULL OR b.hash <> v.hash OR b.size <> v.size)
       ORDER BY f.path, v.version LIMIT 1`,
    ),
    liveWithoutContent: db.query<Where, []>(
      `SELECT f.path, f.live AS version FROM files f LEFT JOIN versions v ON v.file_id = f.id AND v.version = f.live
       WHERE f.live IS NOT NULL AND (v.blob_id IS NULL OR v.hash <> f.hash OR v.size <> f.size) ORDER BY f.path LIMIT 1`,
    ),
    miscountedBlob: db.query<{ hash: string }, []>(
      `SELECT b.hash FROM blobs b
       LEFT JOIN (SELECT blob_id, count(*) AS uses FROM versions WHERE blob_id IS NOT NULL GROUP BY blob_id) u ON u.blob_id = b.id
       WHERE b.uses <> coalesce(u.uses, 0) LIMIT 1`,
    ),
  };
}
