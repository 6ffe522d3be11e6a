// Migrates a database to the schema of this binary: numbered SQL files, with name and hash recorded; in an upgrade one transaction each.
// Refuses a history that was changed or is newer than this binary. Copies the database before an upgrade.

import { sha256Hex } from "../crypto.ts";
import type { Db } from "./db.ts";
import { AppError } from "../error.ts";

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

interface MigrateOptions {
  /** Called with the missing migrations before the copy, if the database has a known history. */
  readonly beforeUpgrade?: (missing: readonly Migration[]) => void;
  /** The result of all migrations as one script: a new database is made by it, in a fifth of the time. */
  readonly whole?: string;
  /** The caller calls `Db.settle` once the first rows are durable, too. */
  readonly settlesLater?: boolean;
}

export function migrate(
  db: Db,
  migrations: readonly Migration[],
  now: number,
  { beforeUpgrade, whole, settlesLater }: MigrateOptions = {},
): MigrationReport {
  db.writeNow(() => {
    db.exec(
      "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    );
    // For `Db.prove`: SQLite does not write an unchanged row, so each proof flips one bit.
    db.exec(
      "CREATE TABLE IF NOT EXISTS proof (id INTEGER PRIMARY KEY CHECK (id = 1), side INTEGER NOT NULL) STRICT",
    );
  });
  const applied = requireKnownHistory(db, migrations);
  const missing = migrations.slice(applied.length);
  const isUpgrade = applied.length > 0 && missing.length > 0;
  if (isUpgrade) beforeUpgrade?.(missing);
  const backup = isUpgrade ? backUp(db, applied.at(-1)!.name, now) : undefined;
  const record = db.query<never, [string, string, number]>(
    "INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)",
  );
  const isNew = applied.length === 0;
  // A new database gets all its tables at once, or none: each transaction waits for the disk.
  const steps = isNew && missing.length > 0 ? [missing] : missing.map((migration) => [migration]);
  for (const step of steps)
    db.writeNow(() => {
      db.exec(isNew && whole !== undefined ? whole : step.map(({ sql }) => sql).join("\n"));
      for (const { name, sql } of step) record.run(name, sha256Hex(sql), now);
    });
  if (!settlesLater) db.settle();
  return { applied: missing.map((migration) => migration.name), backup };
}

/** Returns the migrations of a database that was migrated before. Raises `refused` if it has one that this version does not know. */
export function requireKnownHistory(db: Db, known: readonly Migration[]): readonly AppliedRow[] {
  const applied = db.query<AppliedRow, []>("SELECT name, hash FROM migrations ORDER BY name").all();
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
  return applied;
}

function backUp(db: Db, from: string, now: number): string {
  const path = `${db.path}.before-upgrade-from-${from}-${now}`;
  db.backupTo(path);
  return path;
}
