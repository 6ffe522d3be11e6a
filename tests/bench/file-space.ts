// A large space for benchmarks: 50,000 files of ten versions. The live ones are written by the engine; their older versions are put into the
// database beside them, since only their number matters here.

import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { openSqliteEngine, type SqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { parseDocumentPath, type DocumentPath } from "../../src/kit/text/paths.ts";
import { silent } from "../kit/silent.ts";

export const FILES = 50_000;
const VERSIONS = 10;
const BATCH = BATCH_OPERATIONS_MAX;
const SEEDED_BYTES = 1_000;

export function openSpace(directory: string): SqliteEngine {
  return openSqliteEngine({ directory, clock: systemClock, log: silent });
}

export function pathOf(number: number): DocumentPath {
  return parseDocumentPath("path", `team/${number % 100}/note-${number}.md`);
}

/** About 2 KB of text that no other document has, and that does not compress to nothing. */
export function documentOf(number: number): Uint8Array {
  const line = digest(number);
  const lines = Array.from({ length: 60 }, (_, index) => `${digest(number * 64 + index)} and ${line} of it`);
  return new TextEncoder().encode(`# Note ${number}\n\n${lines.join("\n")}\n`);
}

function digest(number: number): string {
  return Bun.hash(`${number}`).toString(36);
}

export async function makeLargeSpace(directory: string): Promise<void> {
  const engine = openSpace(directory);
  for (let from = 0; from < FILES; from += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, index) => {
      const number = from + index;
      return { op: "put" as const, path: pathOf(number), content: documentOf(number) };
    });
    await engine.apply({ operations, author: "seed" });
  }
  await engine.close();
  addOlderVersions(`${directory}/.cairn/space.db`);
  settle(`${directory}/.cairn/space.db`);
}

/** Otherwise the first measured commits would pay for the writes that seeding left. */
function settle(path: string): void {
  using db = new Database(path);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const descriptor = openSync(path, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function addOlderVersions(path: string): void {
  using db = new Database(path);
  const added = FILES * (VERSIONS - 1);
  db.run("PRAGMA synchronous = OFF");
  db.transaction(() => {
    db.run(`UPDATE versions SET version = ${VERSIONS}, seq = seq + ${added}`);
    db.run(`UPDATE files SET live = ${VERSIONS}, shown = ${VERSIONS}, last = ${VERSIONS}`);
    db.run(`UPDATE changes SET version = ${VERSIONS}, seq = seq + ${added}`);
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${added - 1})
       INSERT INTO blobs (id, hash, size, uses, coding, content)
       SELECT 1000000 + i, lower(hex(randomblob(32))), ${SEEDED_BYTES}, 1, 'raw', randomblob(${SEEDED_BYTES}) FROM n`,
    );
    db.run(
      `INSERT INTO versions (file_id, version, blob_id, size, hash, author, created_at, seq)
       SELECT (id - 1000000) % ${FILES} + 1, (id - 1000000) / ${FILES} + 1, id, size, hash, 'seed', 0, id - 1000000 + 1 FROM blobs WHERE id >= 1000000`,
    );
    db.run(
      `INSERT INTO changes (seq, file_id, op, version, author, created_at)
       SELECT id - 1000000 + 1, (id - 1000000) % ${FILES} + 1, 'write', (id - 1000000) / ${FILES} + 1, 'seed', 0 FROM blobs WHERE id >= 1000000`,
    );
    db.run(`UPDATE space SET seq = ${FILES * VERSIONS}, versions = ${FILES * VERSIONS}`);
    db.run(`UPDATE followers SET seq = ${FILES * VERSIONS}`);
  })();
}
