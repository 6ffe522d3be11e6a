// Goal: a change whose record the disk refused is not lost: it is a problem in health until the disk takes records again, and the next start
// records it, once, among those that were taken.

import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { Audit } from "../../../src/context/audit/audit.ts";
import type { AuditRecord } from "../../../src/context/audit/schema.ts";
import { verifyAuditFile } from "../../../src/context/audit/verify.ts";
import type { LogEntry } from "../../../src/context/versioned-store/engine.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import type { DocumentPath } from "../../../src/kit/text/paths.ts";
import { silent } from "../../kit/silent.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { onSmallDisk } from "../../kit/small-disk.ts";

const EPOCH = "0123456789ab";

onSmallDisk("changes on a full disk are recorded at the next start, once each", async (disk, folder) => {
  const path = `${disk.path}/audit/audit.jsonl`;
  const clock = manualClock();
  const db = openDatabase(`${folder.path}/server.db`);
  migrate(db, serverMigrations, 0);
  const opened = () => {
    const audit = new Audit({ path, db, clock, log: silent });
    audit.open();
    return audit;
  };
  const log: LogEntry[] = [];
  const change = (audit: Audit) => {
    const seq = log.length + 1;
    const [at, hash] = [`f${seq}.md` as DocumentPath, `${seq}`.padStart(64, "0")];
    log.push({ seq, op: "write", path: at, version: 1, hash, author: "ann", time: clock.now() });
    const after = { version: 1, size: 1, hash };
    const effects = [{ path: at, op: "write" as const, before: null, after }];
    audit.recordChanges(
      "team",
      { head: { epoch: EPOCH, seq }, effects, time: clock.now() },
      "ann",
      undefined,
    );
  };
  const page = (after: number) => Promise.resolve(log.filter(({ seq }) => seq > after).slice(0, 7));
  const head = () => ({ epoch: EPOCH, seq: log.length });

  let audit = opened();
  await audit.catchUp("team", head(), page);
  change(audit);
  await audit.anchor();
  await disk.fill();
  // The last block of the file has some room.
  while (audit.failures < 5) {
    change(audit);
    await Promise.resolve();
  }
  expect(audit.problems()).toEqual([{ what: "audit", reason: "full" }]);
  await disk.free();
  for (let count = 0; count < 3; count++) change(audit);
  await audit.anchor();
  expect(audit.problems()).toEqual([]);
  await audit.close();

  for (let start = 0; start < 2; start++) {
    audit = opened();
    await audit.catchUp("team", head(), page);
    await audit.close();
    const records = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditRecord);
    expect(records.filter(({ action }) => action === "audit.lost").map(({ target }) => target)).toEqual([
      "5",
    ]);
    const ids = records.filter(({ action }) => action === "file.write").map(({ id }) => id);
    expect(ids.length).toBe(log.length);
    expect(new Set(ids)).toEqual(new Set(log.map(({ seq }) => `${EPOCH}.${seq}`)));
    expect(verifyAuditFile(path).ok).toBe(true);
  }
  db.close();
});
