// Goal: a database file that was copied without its log is refused, never taken for a fresh installation; a start that crashed is not.

import { expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { sqliteBench } from "../../kit/store/file-engine.ts";
import { silent } from "../../kit/silent.ts";
import { migrations, wholeSchema } from "../../../src/service/migrations/migrations.ts";
import { world } from "../../kit/service/world.ts";

const SQL = [{ name: "001_a", sql: "CREATE TABLE a (x INTEGER) STRICT" }];

/** The log is cut after each of so many parts. */
const PARTS = 12;

const refusal = (path: string, name: string) =>
  `${path} is an incomplete copy: it is empty; copy it together with ${name}-wal while the program is stopped, ` +
  "restore a backup, or delete it to start with an empty one";

test("a running service's database without its log starts no new installation, and with it the same one", async () => {
  await using folder = await temporaryFolder();
  await using at = await world();
  await at.user("anna");
  const alone = join(folder.path, "alone");
  const whole = join(folder.path, "whole");
  for (const copy of [alone, whole]) mkdirSync(copy);
  copyFileSync(join(at.data, "service.db"), join(alone, "service.db"));
  expect(statSync(join(alone, "service.db")).size).toBe(4096);
  cpSync(at.data, whole, { recursive: true });
  await expect(world({ data: alone })).rejects.toThrow(refusal(join(alone, "service.db"), "service.db"));
  // Refused again: the first time changed nothing.
  await expect(world({ data: alone })).rejects.toThrow("incomplete copy");
  expect(readdirSync(alone)).toEqual(["service.db"]);
  await using same = await world({ data: whole });
  expect(await same.admin.get("/users")).toMatchObject([{ name: "admin" }, { name: "anna" }]);
});

test("a database with a cut log never gets a new admin", async () => {
  await using folder = await temporaryFolder();
  await using at = await world();
  await at.user("anna");
  const log = readFileSync(join(at.data, "service.db-wal"));
  const seen = new Set<string>();
  for (let part = 0; part <= PARTS; part++) {
    const data = join(folder.path, `cut-${part}`);
    mkdirSync(data);
    copyFileSync(join(at.data, "service.db"), join(data, "service.db"));
    writeFileSync(join(data, "service.db-wal"), log.subarray(0, Math.floor((log.length * part) / PARTS)));
    try {
      await using cut = await world({ data });
      // The admin of the copied data, and no token was shown.
      expect(cut.program.log.join("")).not.toContain("admin created");
      expect(await cut.as(at.program.token).get("/whoami")).toMatchObject({ auth: "token" });
      seen.add("an earlier state");
    } catch (error) {
      const lack = / is an incomplete copy: (it is empty|it has no admin); copy it together /.exec(
        String(error),
      );
      if (!lack) throw error;
      seen.add(lack[1]!);
    }
  }
  expect([...seen]).toEqual(["it is empty", "it has no admin", "an earlier state"]);
});

test("a first start that ended before its admin goes on", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "service.db");
  const db = openDatabase(path);
  migrate(db, migrations, 0, { whole: wholeSchema, settlesLater: true });
  db.close();
  await using at = await world({ data: folder.path });
  expect(await at.admin.get("/users")).toMatchObject([{ name: "admin" }]);
});

test("a log without its database is refused and kept", async () => {
  await using folder = await temporaryFolder();
  await using at = await world();
  await at.user("anna");
  const log = join(folder.path, "service.db-wal");
  copyFileSync(join(at.data, "service.db-wal"), log);
  const before = readFileSync(log);
  await expect(world({ data: folder.path })).rejects.toThrow(
    `${join(folder.path, "service.db")} is missing, and its log ${log} remains: restore the file beside it, restore a backup, ` +
      "or move the log away to start with an empty one",
  );
  expect(readdirSync(folder.path)).toEqual(["service.db-wal"]);
  expect(readFileSync(log)).toEqual(before);
});

test("an empty file is refused as well", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.db");
  closeSync(openSync(path, "w"));
  expect(() => openDatabase(path)).toThrow(refusal(path, "a.db"));
  expect(statSync(path).size).toBe(0);
});

test("a first start that crashed at any step is continued", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.db");
  const begun = `${path}-begun`;
  const crashes: [what: string, leave: () => void][] = [
    ["only the mark", () => closeSync(openSync(begun, "w"))],
    ["the mark and an empty file", () => [begun, path].forEach((each) => closeSync(openSync(each, "w")))],
    ["a file without tables", () => openDatabase(path).close()],
  ];
  for (const [what, leave] of crashes) {
    leave();
    expect({ what, isBegun: existsSync(begun) }).toEqual({ what, isBegun: true });
    const db = openDatabase(path);
    migrate(db, SQL, 0);
    expect({ what, isBegun: existsSync(begun) }).toEqual({ what, isBegun: false });
    db.close();
    const again = openDatabase(path);
    expect(migrate(again, SQL, 0).applied).toEqual([]);
    again.close();
    for (const name of readdirSync(folder.path)) await Bun.file(join(folder.path, name)).delete();
  }
});

test("a space's database without its log is refused as well", async () => {
  await using space = await sqliteBench();
  const directory = join(space.directory, "copy");
  mkdirSync(join(directory, ".cairn"), { recursive: true });
  copyFileSync(join(space.directory, ".cairn/space.db"), join(directory, ".cairn/space.db"));
  expect(() => openSqliteEngine({ directory, clock: systemClock, log: silent })).toThrow("incomplete copy");
});
