// Goal: a listing trusts a stored signature, so that it reads only files that may differ; a signature never claims more than is true.

import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { cpSync, lstatSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { mayChangeUnseen, TICK_MS } from "../../../src/context/versioned-store/sqlite/signature.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { eventually } from "../../kit/eventually.ts";
import { put, remove, undelete } from "../../kit/store/file-engine.ts";
import { silent } from "../../kit/silent.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { applyAndSettle as apply, treeBench as bench } from "../../kit/store/tree-bench.ts";

interface Stored {
  path: string;
  version: number;
  modified: number;
  changed: number;
  inode: number;
}

function stored(directory: string): Stored[] {
  using db = new Database(join(directory, ".cairn", "space.db"));
  return db
    .query<Stored, []>(
      "SELECT path, version, modified, changed, inode FROM copies JOIN files ON id = file_id ORDER BY path",
    )
    .all();
}

function signatureOf(file: string) {
  const { mtimeMs: modified, ctimeMs: changed, ino: inode } = lstatSync(file);
  return { modified, changed, inode };
}

test("files that the store wrote are known after a restart, and trusted", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("d/b.md", "1"), put("gone.md", "1")]);
  await apply(space.engine, [put("a.md", "2"), remove("gone.md")]);
  // An edit in the next moment has a later time, however coarse the clock of the file system.
  const { mtimeMs, ctimeMs } = lstatSync(space.on("a.md"));
  expect(Math.round(ctimeMs - mtimeMs)).toBeGreaterThanOrEqual(TICK_MS);
  await space.engine.close();
  expect(stored(space.directory)).toEqual([
    { path: "a.md", version: 2, ...signatureOf(space.on("a.md")) },
    { path: "d/b.md", version: 1, ...signatureOf(space.on("d/b.md")) },
  ]);
  // A trusted file is not read: this edit brings its own signature.
  space.byHand("a.md", "9");
  using db = new Database(join(space.directory, ".cairn", "space.db"));
  const { modified, changed, inode } = signatureOf(space.on("a.md"));
  db.run("UPDATE copies SET modified = ?, changed = ?, inode = ? WHERE version = 2", [
    modified,
    changed,
    inode,
  ]);
  db.close();
  await space.reopen();
  expect(await space.states()).toEqual(["a.md v2 live", "d/b.md v1 live"]);
  await space.reopen();
  space.byHand("a.md", "8");
  expect(await space.states()).toEqual(["a.md v2 modified", "d/b.md v1 live"]);
});

test("a signature of another version, or of a file that was edited a moment ago, does not count", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1")]);
  await apply(space.engine, [remove("a.md")]);
  await apply(space.engine, [undelete("a.md"), put("b.md", "2")]);
  await space.engine.close();
  using db = new Database(join(space.directory, ".cairn", "space.db"));
  db.run("UPDATE copies SET version = 1 WHERE version = 2");
  db.close();
  await space.reopen();
  expect(await space.states()).toEqual(["a.md v1 live", "b.md v2 live"]);
  // The same content, written by hand just now, could still change without a new time.
  space.byHand("b.md", "2");
  expect(await space.states()).toEqual(["a.md v1 live", "b.md v2 live"]);
  await space.engine.close();
  const isKnown = () => stored(space.directory)[1]!.changed === signatureOf(space.on("b.md")).changed;
  const isOld = () => !mayChangeUnseen(lstatSync(space.on("b.md")), Date.now());
  expect(isKnown() && !isOld()).toBe(false);
  await eventually(async () => {
    await space.reopen();
    await space.states();
    await space.engine.close();
    return isKnown();
  }, true);
});

test("edits are seen in a folder that was copied, restored to old times, or left by a crash", async () => {
  await using folder = await temporaryFolder();
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1"), put("c.md", "1")]);
  await space.reopen();
  await space.states();
  await apply(space.engine, [put("b.md", "2")]);
  const times = lstatSync(space.on("a.md"));
  space.byHand("a.md", "x");
  utimesSync(space.on("a.md"), times.atime, times.mtime);
  const states = ["a.md v1 modified", "b.md v2 live", "c.md v1 live"];
  expect(await space.states()).toEqual(states);
  // As a crash leaves it: with the log of the database, and without what `close` stores.
  const copy = join(folder.path, "copy");
  cpSync(space.directory, copy, { recursive: true, preserveTimestamps: true });
  const engine = openSqliteEngine({ directory: copy, clock: systemClock, log: silent });
  const listed = await engine.list();
  await engine.close();
  expect(listed.map(({ path, version, state }) => `${path} v${version} ${state}`)).toEqual(states);
});

test("times of a file system count once its clock must have moved on", () => {
  const at = (mtimeMs: number, ctimeMs = mtimeMs) => ({ mtimeMs, ctimeMs });
  const cases: [number, number, number, boolean][] = [
    [5_000.25, 5_000.25, 5_001, true],
    [5_000.25, 5_000.25, 5_200, false],
    [1_000.25, 5_000.25, 5_050, true],
    [9_000.25, 5_000.25, 6_000, true],
    // Whole seconds: the file system may keep no more.
    [5_000, 5_000, 5_200, true],
    [5_000, 5_000, 9_000, false],
  ];
  for (const [modified, changed, now, wanted] of cases)
    expect([modified, changed, now, mayChangeUnseen(at(modified, changed), now)]).toEqual([
      modified,
      changed,
      now,
      wanted,
    ]);
});
