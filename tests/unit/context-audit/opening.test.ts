// Goal: the anchor that an earlier version stored counts as well: its file is taken over when it holds, and stated as broken when it was cut.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { Audit, verifyOffline } from "../../../src/context/audit/audit.ts";
import type { AuditRecord } from "../../../src/context/audit/schema.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { silent } from "../../kit/silent.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const EARLIER = serverMigrations.slice(0, 3);

test("opens a database from before breaks were stored", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/audit.jsonl`;
  const open = (name: string, history = serverMigrations) => {
    const db = openDatabase(`${folder.path}/${name}.db`);
    migrate(db, history, 0);
    return { db, audit: new Audit({ path, db, clock: manualClock(), log: silent }) };
  };
  const writer = open("writer");
  writer.audit.open();
  for (let count = 0; count < 5; count++) writer.audit.record(null, { action: "file.write" });
  await writer.audit.close();
  writer.db.close();
  const text = readFileSync(path, "utf8");
  const lines = text.trimEnd().split("\n");
  const { hash } = JSON.parse(lines.at(-1)!) as AuditRecord;

  for (const [name, content, problems] of [
    ["whole", text, []],
    ["cut", `${lines.slice(0, 3).join("\n")}\n`, ["the file ends after 3 records, but 5 were written"]],
  ] as const) {
    writeFileSync(path, content);
    const old = openDatabase(`${folder.path}/${name}.db`);
    migrate(old, EARLIER, 0);
    old.exec(`INSERT INTO audit_anchor (id, entries, hash) VALUES (1, 5, '${hash}')`);
    const offline = verifyOffline(path, old);
    expect([name, offline.anchored, offline.problem]).toEqual([name, true, problems[0] ?? null]);
    old.close();
    const { db, audit } = open(name);
    audit.open();
    const { breaks } = await audit.examine();
    expect([name, breaks.map(({ problem }) => problem)]).toEqual([name, [...problems]]);
    await audit.close();
    db.close();
  }
});
