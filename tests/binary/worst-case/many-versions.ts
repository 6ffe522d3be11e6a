// A document with ten thousand versions, written into the database of a space that no program has open.

import { Database } from "bun:sqlite";

const VERSIONS = 10_000;

/** As if someone had written `often.md` so often. */
export function addVersions(path: string): void {
  using db = new Database(path);
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO versions (file_id, version, blob_id, size, hash, author, created_at, seq)
     SELECT v.file_id, v.version + i, v.blob_id, v.size, v.hash, v.author, v.created_at, (SELECT seq FROM space) + i
     FROM n, versions v JOIN files f ON f.id = v.file_id WHERE f.path = 'often.md'`,
    [VERSIONS],
  );
  db.run(
    `INSERT INTO changes (seq, file_id, op, version, author, created_at)
     SELECT v.seq, v.file_id, 'write', v.version, v.author, v.created_at
     FROM versions v JOIN files f ON f.id = v.file_id WHERE f.path = 'often.md' AND v.version > 1`,
  );
  db.run("UPDATE blobs SET uses = uses + ?1 WHERE hash = (SELECT hash FROM files WHERE path = 'often.md')", [
    VERSIONS,
  ]);
  db.run("UPDATE files SET live = live + ?1, last = last + ?1, shown = shown + ?1 WHERE path = 'often.md'", [
    VERSIONS,
  ]);
  db.run("UPDATE space SET seq = seq + ?1, versions = versions + ?1", [VERSIONS]);
  db.run("UPDATE followers SET seq = (SELECT seq FROM space)");
}
