// Goal: a database gets to the schema of this program or stays as it was: one transaction a step, a copy before an upgrade, no foreign history.

import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { migrate, type Migration } from "../../../src/kit/storage/migrate.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const first: Migration = {
  name: "001_first",
  sql: "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; INSERT INTO a VALUES (1);",
};
const second: Migration = {
  name: "002_second",
  sql: "CREATE TABLE b (id INTEGER PRIMARY KEY) STRICT; INSERT INTO b SELECT id FROM a;",
};
const broken: Migration = {
  name: "002_broken",
  sql: "CREATE TABLE b (id INTEGER PRIMARY KEY) STRICT; INSERT INTO nowhere VALUES (1);",
};
const NOW = 1_790_000_000_000;

function tables(db: Db): string[] {
  return db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => row.name);
}

function history(db: Db): string[] {
  return db
    .query<{ name: string }, []>("SELECT name FROM migrations ORDER BY name")
    .all()
    .map((row) => row.name);
}

describe("migrations", () => {
  test("run once, in order, and are recorded; a fresh database needs no copy", async () => {
    await using folder = await temporaryFolder();
    const db = openDatabase(`${folder.path}/s.db`);
    expect(migrate(db, [first, second], NOW)).toEqual({
      applied: ["001_first", "002_second"],
      backup: undefined,
    });
    expect(migrate(db, [first, second], NOW)).toEqual({ applied: [], backup: undefined });
    expect([tables(db), history(db)]).toEqual([
      ["a", "b", "migrations", "proof"],
      ["001_first", "002_second"],
    ]);
    db.close();
    expect(readdirSync(folder.path)).toEqual(["s.db"]);
  });

  test("a new database is made by the whole script, and records every migration; without any, it only gets ready", async () => {
    await using folder = await temporaryFolder();
    const db = openDatabase(`${folder.path}/s.db`);
    expect(migrate(db, [], NOW)).toEqual({ applied: [], backup: undefined });
    expect(tables(db)).toEqual(["migrations", "proof"]);
    const whole = `${first.sql}; CREATE TABLE whole (id INTEGER PRIMARY KEY) STRICT`;
    expect(migrate(db, [first, second], NOW, { whole }).applied).toEqual(["001_first", "002_second"]);
    expect([tables(db), history(db)]).toEqual([
      ["a", "migrations", "proof", "whole"],
      ["001_first", "002_second"],
    ]);
    db.close();
  });

  test("a copy is made before an upgrade, private, and it is the database as it was", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/s.db`;
    const db = openDatabase(path);
    migrate(db, [first], NOW);
    const { backup } = migrate(db, [first, second], NOW);
    expect(backup).toBe(`${path}.before-upgrade-from-001_first-${NOW}`);
    db.close();
    const copy = openDatabase(backup!);
    expect([tables(copy), history(copy)]).toEqual([["a", "migrations", "proof"], ["001_first"]]);
    // A restored database can be upgraded again.
    expect(migrate(copy, [first, second], NOW + 1).applied).toEqual(["002_second"]);
    copy.close();
    if (process.platform !== "win32") expect((await Bun.file(backup!).stat()).mode & 0o777).toBe(0o600);
  });

  test("a step that fails in the middle is undone whole, and those before it stand", async () => {
    await using folder = await temporaryFolder();
    const db = openDatabase(`${folder.path}/s.db`);
    // A new database has all steps or none.
    expect(() => migrate(db, [first, broken], NOW)).toThrow("no such table: nowhere");
    expect([tables(db), history(db)]).toEqual([["migrations", "proof"], []]);
    migrate(db, [first], NOW);
    expect(() => migrate(db, [first, second, { ...broken, name: "003_broken" }], NOW)).toThrow();
    expect([tables(db), history(db)]).toEqual([
      ["a", "b", "migrations", "proof"],
      ["001_first", "002_second"],
    ]);
    db.close();
  });

  test("a history that was changed is refused, and nothing is touched", () => {
    const db = openDatabase(":memory:");
    migrate(db, [first], NOW);
    const changed = { ...first, sql: `${first.sql} ` };
    expect(() => migrate(db, [changed, second], NOW)).toThrow(
      "migration 001_first in the database differs from this version's: its history was changed; restore a backup",
    );
    expect(tables(db)).toEqual(["a", "migrations", "proof"]);
    db.close();
  });

  test("a history that is newer, or another's, is refused", () => {
    const db = openDatabase(":memory:");
    migrate(db, [first, second], NOW);
    const text = (name: string) =>
      `the database has migration ${name}, which this version does not know: it was written by a newer version; use that one`;
    expect(() => migrate(db, [first], NOW)).toThrow(text("002_second"));
    expect(() => migrate(db, [{ ...first, name: "001_other" }, second], NOW)).toThrow(text("001_first"));
    db.close();
  });

  test("a copy that cannot be made stops the upgrade, and no half of it stays", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/s.db`;
    const db = openDatabase(path);
    migrate(db, [first], NOW);
    await folder.write(`s.db.before-upgrade-from-001_first-${NOW}`, "an earlier copy");
    expect(() => migrate(db, [first, second], NOW)).toThrow("EEXIST");
    expect(history(db)).toEqual(["001_first"]);
    db.close();
    expect(await Bun.file(`${path}.before-upgrade-from-001_first-${NOW}`).text()).toBe("an earlier copy");
  });
});
