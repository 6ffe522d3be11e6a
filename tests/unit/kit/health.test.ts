// Goal: health writes to every storage, once a second at most however many ask, says what refuses and why, and leaves nothing behind.

import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { AppError } from "../../../src/kit/error.ts";
import { answerError } from "../../../src/kit/http/answer.ts";
import { Health, healthStatus, probeDirectory, type HealthProblem } from "../../../src/kit/health.ts";
import { createLog } from "../../../src/kit/log.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { StorageError, storageReasonOf } from "../../../src/kit/storage-error.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { smallDisk } from "../../kit/small-disk.ts";

const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

test("one look a second is shared by all who ask, also one that takes longer", async () => {
  const clock = manualClock();
  let looks = 0;
  let hold = Promise.withResolvers<void>();
  hold.resolve();
  const health = new Health(clock, [{ what: "disk", write: () => ((looks += 1), hold.promise) }]);
  const ask = () => Promise.all(Array.from({ length: 50 }, () => health.state()));
  await ask();
  clock.advance(999);
  await ask();
  expect(looks).toBe(1);
  clock.advance(1);
  hold = Promise.withResolvers<void>();
  const first = ask();
  clock.advance(5_000);
  const second = ask();
  hold.resolve();
  await Promise.all([first, second]);
  expect(looks).toBe(2);
});

test("each problem is named with its reason; what keeps the program from working is 503", async () => {
  const storages = [
    { what: "database", write: () => Promise.reject(new StorageError("full", "SQLITE_FULL")) },
    { what: "disk", write: () => failing("EROFS") },
    { what: "spaces", write: () => failing("EIO") },
    { what: "folders", write: () => failing("EMFILE") },
    { what: "other", write: () => Promise.resolve() },
  ];
  const known: HealthProblem[] = [{ what: "audit", reason: "broken" }];
  const state = await new Health(manualClock(), storages, () => known).state();
  expect([state.status, state.problems, healthStatus(state)]).toEqual([
    "degraded",
    [
      { what: "database", reason: "full" },
      { what: "disk", reason: "read_only" },
      { what: "spaces", reason: "failed" },
      { what: "folders", reason: "open_files" },
      { what: "audit", reason: "broken" },
    ],
    503,
  ]);
  const working = await new Health(manualClock(), [], () => known).state();
  expect([working.status, healthStatus(working)]).toEqual(["degraded", 200]);
});

test("proving a database does not make it grow, and a full disk refuses the proof", async () => {
  await using folder = await temporaryFolder();
  await using disk = await smallDisk(folder);
  const directory = disk?.path ?? folder.path;
  const db = openDatabase(join(directory, "a.db"));
  migrate(db, [{ name: "001_a", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT" }], 0);
  const size = () => statSync(join(directory, "a.db-wal")).size;
  const before = size();
  await db.prove();
  // It is a write: it comes into the log.
  expect(size()).toBeGreaterThan(before);
  await probeDirectory(directory);
  expect(readdirSync(directory).filter((name) => !name.startsWith("a.db"))).toEqual([]);
  if (disk) {
    await disk.fill();
    expect(await probeDirectory(directory).then(() => undefined, storageReasonOf)).toBe("full");
    const refused = await (async () => {
      for (;;) await db.prove();
    })().catch((error: unknown) => error);
    expect([refused instanceof AppError && refused.code, storageReasonOf(refused)]).toEqual([
      "unavailable",
      "full",
    ]);
    expect(readdirSync(directory).filter((name) => !name.startsWith("a.db"))).toEqual(["filler"]);
  }
  db.close();
});

test("any call of the system that finds too many open files is unavailable, and logged, not a defect", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "error",
    format: "json",
    clock: manualClock(),
    write: (line) => lines.push(line),
  });
  const error = Object.assign(new Error("EMFILE: too many open files, open '/srv/audit.jsonl'"), {
    code: "EMFILE",
  });
  const response = answerError("r1", error, log);
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      error: {
        message: "too many open files; try again later, or raise the limit of the process (ulimit -n)",
        code: "unavailable",
        request_id: "r1",
      },
    },
  ]);
  expect(lines).toEqual([expect.stringContaining("/srv/audit.jsonl")]);
});
