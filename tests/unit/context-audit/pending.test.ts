// Goal: the record of a change of the database is stored with the change: wherever a crash comes between the two, the next start leaves exactly
// one record of each committed change in the file, in the order of the commits and before its own records, and none of a change that was rolled back.

import { expect, test } from "bun:test";
import { appendFileSync, copyFileSync, readFileSync } from "node:fs";
import { Audit } from "../../../src/context/audit/audit.ts";
import type { AuditRecord } from "../../../src/context/audit/schema.ts";
import { auditStore } from "../../../src/context/audit/store.ts";
import { verifyAuditFile } from "../../../src/context/audit/verify.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { silent } from "../../kit/silent.ts";
import { testDatabase } from "../../kit/database.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { onSmallDisk } from "../../kit/small-disk.ts";

interface Crashed {
  readonly path: string;
  /** The names of the records that the next start finds pending. */
  readonly pending: readonly string[];
}

async function bench() {
  const made = await testDatabase(serverMigrations);
  const { db, folder } = made;
  const path = `${folder.path}/audit.jsonl`;
  const audit = new Audit({ path, db, clock: manualClock(), log: silent });
  audit.open();
  audit.record(null, { action: "first" });
  let copies = 0;
  return {
    audit,
    db,
    /** Returns what a crash would leave now. */
    crash(): Crashed {
      copies += 1;
      const copy = `${folder.path}/${copies}`;
      db.backupTo(`${copy}.db`);
      copyFileSync(path, `${copy}.jsonl`);
      return { path: copy, pending: pendingIn(db) };
    },
    /** Resolves when the record is in the file. `committed` runs between the commit and that. */
    change: async (action: string, committed: () => void = () => {}) => {
      const { recorded } = await db.write(() => {
        db.afterCommit(committed);
        return { recorded: audit.recordWith(null, { action }) };
      });
      await recorded;
    },
    async [Symbol.asyncDispose]() {
      await audit.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

const pendingIn = (db: Db) =>
  auditStore(db)
    .pending.all()
    .map(({ record }) => (JSON.parse(record) as AuditRecord).action);

const recordsIn = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);

/** Starts twice on what the crash left, and returns the recorded actions and what is still pending. */
async function restarted({ path }: Crashed): Promise<{ actions: string[]; pending: string[] }> {
  const file = `${path}.jsonl`;
  const db = openDatabase(`${path}.db`);
  for (let start = 0; start < 2; start++) {
    const audit = new Audit({ path: file, db, clock: manualClock(), log: silent });
    audit.open();
    await audit.close();
  }
  const pending = pendingIn(db);
  db.close();
  expect(verifyAuditFile(file).ok).toBe(true);
  return { actions: recordsIn(file).map(({ action }) => action), pending };
}

test("a crash before the file is written: the next start writes the records, in the order of the commits", async () => {
  await using desk = await bench();
  let crashed: Crashed | undefined;
  const changes = [desk.change("one"), desk.change("two", () => (crashed = desk.crash()))];
  await Promise.all(changes);
  expect(recordsIn(`${crashed!.path}.jsonl`).map(({ action }) => action)).toEqual(["first"]);
  expect(crashed!.pending).toEqual(["one", "two"]);
  expect(await restarted(crashed!)).toEqual({ actions: ["first", "one", "two"], pending: [] });
});

// The removal follows the file by a tenth of a second, so that nothing slow is between the change and the crash.
test("a crash after the file is written and before the removal: no record is repeated", async () => {
  await using desk = await bench();
  await desk.change("one");
  const crashed = desk.crash();
  expect(crashed.pending).toEqual(["one"]);
  expect(await restarted(crashed)).toEqual({ actions: ["first", "one"], pending: [] });
});

test("a crash with one record in the file and the next one missing: only that one is written", async () => {
  await using desk = await bench();
  let crashed: Crashed | undefined;
  await desk.change("one");
  await desk.change("two", () => (crashed = desk.crash()));
  expect(crashed!.pending).toEqual(["one", "two"]);
  expect(await restarted(crashed!)).toEqual({ actions: ["first", "one", "two"], pending: [] });
});

test("a crash after the removal leaves nothing to do; the removal follows the sync of the file", async () => {
  await using desk = await bench();
  await desk.change("one");
  await desk.audit.anchor();
  const crashed = desk.crash();
  expect(crashed.pending).toEqual([]);
  expect(await restarted(crashed)).toEqual({ actions: ["first", "one"], pending: [] });
});

test("a record that a crash tore is written whole, before the record of the tear", async () => {
  await using desk = await bench();
  let crashed: Crashed | undefined;
  await desk.change("one", () => (crashed = desk.crash()));
  appendFileSync(`${crashed!.path}.jsonl`, '{"seq":2,"id":"');
  expect(await restarted(crashed!)).toEqual({ actions: ["first", "one", "audit.recovered"], pending: [] });
});

test("a record is as it would have been without the crash", async () => {
  await using desk = await bench();
  let crashed: Crashed | undefined;
  await desk.change("one", () => (crashed = desk.crash()));
  await restarted(crashed!);
  const { path } = desk.audit.mark();
  expect(recordsIn(`${crashed!.path}.jsonl`)).toEqual(recordsIn(path));
});

test("a change that is rolled back has no record", async () => {
  await using desk = await bench();
  const { db, audit } = desk;
  const refused = db.write(() => {
    void audit.recordWith(null, { action: "refused" });
    throw new Error("no");
  });
  const kept = desk.change("kept");
  await refused.catch(() => undefined);
  await kept;
  const crashed = desk.crash();
  expect(crashed.pending).toEqual(["kept"]);
  expect(await restarted(crashed)).toEqual({ actions: ["first", "kept"], pending: [] });
});

onSmallDisk("a record that a full disk refused is written by the next start, once", async (disk, folder) => {
  const path = `${disk.path}/audit.jsonl`;
  const db = openDatabase(`${folder.path}/server.db`);
  migrate(db, serverMigrations, 0);
  let audit = new Audit({ path, db, clock: manualClock(), log: silent });
  audit.open();
  await disk.fill();
  let changes = 0;
  // The last block of the file has some room.
  while (audit.failures < 3) {
    changes += 1;
    const { recorded } = await db.write(() => ({
      recorded: audit.recordWith(null, { action: "change", target: `${changes}` }),
    }));
    await recorded;
  }
  await audit.anchor();
  expect(pendingIn(db)).toHaveLength(3);
  await disk.free();
  await audit.close();
  for (let start = 0; start < 2; start++) {
    audit = new Audit({ path, db, clock: manualClock(), log: silent });
    audit.open();
    await audit.close();
    expect(pendingIn(db)).toEqual([]);
    const records = recordsIn(path);
    const lost = records.filter(({ action }) => action === "audit.lost");
    expect(lost.map(({ target, error }) => [target, error!.includes("(3)")])).toEqual([["3", true]]);
    const recorded = records.filter(({ action }) => action === "change").map(({ target }) => Number(target));
    expect(recorded).toEqual(Array.from({ length: changes }, (_, index) => index + 1));
  }
  db.close();
});
