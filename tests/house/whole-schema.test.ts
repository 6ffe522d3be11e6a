// Goal: `whole.sql`, which makes a new database at once, makes the same database as the migrations one after another. `UPDATE_GOLDEN=1` writes it.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { ROOT } from "../../release/step.ts";
import { serverMigrations } from "../../src/context/migrations/migrations.ts";
import { spaceMigrations } from "../../src/context/versioned-store/sqlite/migrations/migrations.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import type { Migration } from "../../src/kit/storage/migrate.ts";
import { expectGolden } from "../kit/golden.ts";

interface Part {
  readonly type: "table" | "index" | "trigger" | "view";
  readonly name: string;
  readonly sql: string;
}

const HEAD = `-- The result of all migrations of this folder, for a new database, which then needs no history. Written by
-- UPDATE_GOLDEN=1 bun test tests/house/whole-schema.test.ts, which also holds it to them.
`;

/** Columns of first rows that differ in each database, as the migrations write them. */
const OWN_VALUES: Readonly<Record<string, string>> = { "installation.name": "lower(hex(randomblob(8)))" };

/** In the order in which they can be made. Left out: what SQLite makes by itself. */
function partsOf(db: Database): Part[] {
  return db
    .query<Part, []>(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
       ORDER BY type <> 'table', type <> 'index', type <> 'view', rowid`,
    )
    .all();
}

interface Row {
  readonly table: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function rowsOf(db: Database): Row[] {
  return partsOf(db)
    .filter(({ type }) => type === "table")
    .flatMap(({ name: table }) =>
      db
        .query<Row["values"], []>(`SELECT * FROM "${table}"`)
        .all()
        .map((values) => ({ table, values })),
    );
}

/** Rows whose own values are replaced by their expressions, so that they can be compared. */
function comparable(db: Database): Row[] {
  return rowsOf(db).map(({ table, values }) => ({
    table,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, OWN_VALUES[`${table}.${name}`] ?? value]),
    ),
  }));
}

function literal(value: unknown): string {
  if (value === null || typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`a first row holds ${typeof value}: say how it is written`);
}

function scriptOf(db: Database): string {
  const rows = rowsOf(db).map(({ table, values }) => {
    const names = Object.keys(values).map((name) => `"${name}"`);
    const written = Object.entries(values).map(
      ([name, value]) => OWN_VALUES[`${table}.${name}`] ?? literal(value),
    );
    return `INSERT INTO "${table}" (${names.join(", ")}) VALUES (${written.join(", ")});`;
  });
  const parts = partsOf(db).map(({ sql }) => `${sql};`);
  return `${HEAD}\n${[...parts, ...rows].join("\n\n")}\n`;
}

function made(scripts: readonly string[]): Database {
  const db = new Database(":memory:");
  for (const script of scripts) db.run(script);
  return db;
}

describe.each([
  ["src/service/migrations", migrations],
  ["src/context/migrations", serverMigrations],
  ["src/context/versioned-store/sqlite/migrations", spaceMigrations],
] satisfies [string, readonly Migration[]][])("%s/whole.sql", (folder, all) => {
  test("makes what the migrations make", async () => {
    const scripts = all.map(({ sql }) => sql);
    using migrated = made(scripts);
    using another = made(scripts);
    // A value that differs from one database to the next may not be frozen.
    expect(comparable(another)).toEqual(comparable(migrated));
    await expectGolden(join("..", "..", folder, "whole.sql"), scriptOf(migrated));
    // The content of the file, not the script that was just made.
    const whole = await Bun.file(join(ROOT, folder, "whole.sql")).text();
    using one = made([whole]);
    using other = made([whole]);
    expect(partsOf(one)).toEqual(partsOf(migrated));
    expect(comparable(one)).toEqual(comparable(migrated));
    const own = (db: Database) =>
      rowsOf(db).flatMap(({ table, values }) =>
        Object.entries(values).flatMap(([name, value]) => (`${table}.${name}` in OWN_VALUES ? [value] : [])),
      );
    for (const value of own(one)) expect(own(other)).not.toContain(value);
  });
});
