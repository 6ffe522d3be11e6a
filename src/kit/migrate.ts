// Brings a database to the schema of this binary: numbered SQL files, one transaction each, name and hash recorded.
// A history that was changed, or that is newer than this binary, refuses to start. Before an upgrade a copy is made beside it.

import { sha256Hex } from "./crypto.ts";
import type { Db } from "./db.ts";
import { AppError } from "./error.ts";

export interface Migration {
  /** `001_init`: sorts by its number. */
  readonly name: string;
  readonly sql: string;
}

interface AppliedRow {
  name: string;
  hash: string;
}

interface MigrationReport {
  applied: string[];
  backup: string | undefined;
}

/** `beforeUpgrade` is called with what is missing, before the copy is made, when the database has a history that this version knows. */
export function migrate(
  db: Db,
  migrations: readonly Migration[],
  now: number,
  beforeUpgrade: (missing: readonly Migration[]) => void = () => {},
): MigrationReport {
  db.exec(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  // For `Db.prove`: SQLite writes nothing for a row that stays the same, so its one bit turns.
  db.exec(
    "CREATE TABLE IF NOT EXISTS proof (id INTEGER PRIMARY KEY CHECK (id = 1), side INTEGER NOT NULL) STRICT",
  );
  const applied = db.query<AppliedRow, []>("SELECT name, hash FROM migrations ORDER BY name").all();
  refuseForeignHistory(applied, migrations);
  const missing = migrations.slice(applied.length);
  const isUpgrade = applied.length > 0 && missing.length > 0;
  if (isUpgrade) beforeUpgrade(missing);
  const backup = isUpgrade ? backUp(db, applied.at(-1)!.name, now) : undefined;
  const record = db.query<never, [string, string, number]>(
    "INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)",
  );
  for (const migration of missing) {
    db.writeNow(() => {
      db.exec(migration.sql);
      record.run(migration.name, sha256Hex(migration.sql), now);
    });
  }
  db.settle();
  return { applied: missing.map((migration) => migration.name), backup };
}

function refuseForeignHistory(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  for (const [index, row] of applied.entries()) {
    const migration = known[index];
    if (!migration || migration.name !== row.name) {
      throw new AppError(
        "refused",
        `the database has migration ${row.name}, which this version does not know: it was written by a newer version; use that one`,
      );
    }
    if (sha256Hex(migration.sql) !== row.hash) {
      throw new AppError(
        "refused",
        `migration ${row.name} in the database differs from this version's: its history was changed; restore a backup`,
      );
    }
  }
}

function backUp(db: Db, from: string, now: number): string {
  const path = `${db.path}.before-upgrade-from-${from}-${now}`;
  db.backupTo(path);
  return path;
}
