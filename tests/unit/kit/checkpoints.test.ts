// Goal: a worker copies the WAL into the file, whatever its size; meanwhile writes go on, and the database stays closed to other processes.

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { inWrites } from "../../../src/kit/storage/in-writes.ts";
import { messageOf } from "../../../src/kit/error.ts";
import { openWorker } from "../../../src/kit/workers/entry.ts";
import { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const ROOT = join(import.meta.dir, "../../..");
const ROW_BYTES = 4_000;
/** Each fills a page, so that they are more than a checkpoint waits for. */
const ROWS = 4_200;
const WRITES = 3;
const AT_LEAST_BYTES = ROWS * ROW_BYTES;

async function opened() {
  const folder = await temporaryFolder();
  const path = `${folder.path}/a.db`;
  const defects: string[] = [];
  const db = openDatabase(path, (error) => defects.push(messageOf(error)));
  const workers = new WorkerPool(() => openWorker("src/context/worker.ts"));
  db.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT");
  db.checkpointIn(workers);
  const insert = db.query<never, [string]>("INSERT INTO items (value) VALUES (?)");
  const count = db.query<{ count: number }, []>("SELECT count(*) AS count FROM items");
  function* many() {
    for (let row = 0; row < ROWS; row += 1) {
      insert.run("x".repeat(ROW_BYTES));
      yield;
    }
  }
  const pages = db.query<{ wal_autocheckpoint: number }, []>("PRAGMA wal_autocheckpoint");
  return {
    db,
    path,
    workers,
    defects,
    insert,
    writeMany: () => db.writeInSteps(many, function* () {}),
    insertSome: () => {
      for (let row = 0; row < ROWS / WRITES; row += 1) insert.run("x".repeat(ROW_BYTES));
    },
    *oneMore() {
      insert.run("one more");
      yield;
    },
    count: () => count.get()!.count,
    ownPages: () => pages.get()!.wal_autocheckpoint,
    bytes: () => statSync(path).size,
    logBytes: () => statSync(`${path}-wal`).size,
    async [Symbol.asyncDispose]() {
      await db.checkpointing;
      workers.close();
      db.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux("after a large transaction, a worker copies the WAL, and the next one reuses it", async () => {
  await using at = await opened();
  await at.writeMany();
  expect(at.db.checkpointing).toBeDefined();
  expect(() => at.db.freeze()).toThrow("a checkpoint is running; try again");
  const during = at.db.write(() => at.insert.run("during"));
  await at.db.checkpointing;
  expect(at.bytes()).toBeGreaterThan(AT_LEAST_BYTES);
  await during;
  const before = at.logBytes();
  await at.writeMany();
  await at.db.checkpointing;
  expect(at.logBytes()).toBeLessThan(1.2 * before);
  expect(at.count()).toBe(2 * ROWS + 1);
  expect(at.db.problems()).toEqual([]);
  at.db.freeze().thaw();
  expect(at.defects).toEqual([]);
});

onLinux("a few writes that each change many pages begin a checkpoint in the worker", async () => {
  await using at = await opened();
  for (let write = 0; write < WRITES; write += 1) await at.db.write(() => at.insertSome());
  expect(at.db.checkpointing).toBeDefined();
  await at.db.checkpointing;
  expect(at.bytes()).toBeGreaterThan(AT_LEAST_BYTES);
  expect(at.defects).toEqual([]);
});

onLinux("a large change in several writes waits for a checkpoint before it goes on", async () => {
  await using at = await opened();
  await at.writeMany();
  const checkpoint = at.db.checkpointing!;
  const ended: string[] = [];
  const change = inWrites(at.db, at.oneMore()).then(() => ended.push("change"));
  await Promise.all([checkpoint.then(() => ended.push("checkpoint")), change]);
  expect(ended).toEqual(["checkpoint", "change"]);
});

onLinux("no other process can open the database, neither during a checkpoint nor afterwards", async () => {
  await using at = await opened();
  await at.writeMany();
  const other = `import { openDatabase } from ${JSON.stringify(join(ROOT, "src/kit/storage/db.ts"))}; openDatabase(${JSON.stringify(at.path)});`;
  const open = async () => {
    const child = Bun.spawn([process.execPath, "-e", other], { stdio: ["ignore", "ignore", "pipe"] });
    return child.stderr.text();
  };
  const during = open();
  await at.db.checkpointing;
  expect(await during).toContain("is in use by another process");
  expect(await open()).toContain("is in use by another process");
});

onLinux("a WAL to be cleared during a checkpoint is empty after it", async () => {
  await using at = await opened();
  await at.writeMany();
  at.db.clearLog();
  expect(at.logBytes()).toBeGreaterThan(AT_LEAST_BYTES);
  await at.db.checkpointing;
  await Promise.resolve();
  expect(at.logBytes()).toBe(0);
});

onLinux("a checkpoint that fails is reported, and writes go on", async () => {
  await using at = await opened();
  at.workers.close();
  await at.writeMany();
  await at.db.checkpointing;
  expect(at.defects).toEqual(["checkpoint: the server is stopping"]);
  await at.db.write(() => at.insert.run("afterwards"));
  expect(at.count()).toBe(ROWS + 1);
});

onLinux(
  "after a copy, the worker copies the WAL before the serving thread has to, and truncates it",
  async () => {
    await using at = await opened();
    const frozen = at.db.freeze();
    for (let times = 0; times < 2; times += 1) await at.writeMany();
    expect(at.db.checkpointing).toBeUndefined();
    expect(at.bytes()).toBeLessThan(ROW_BYTES * 10);
    frozen.thaw();
    expect(at.ownPages()).toBe(0);
    expect(at.db.checkpointing).toBeDefined();
    await at.db.checkpointing;
    expect(at.bytes()).toBeGreaterThan(2 * AT_LEAST_BYTES);
    expect(at.logBytes()).toBe(0);
    expect(at.defects).toEqual([]);
  },
);

onLinux("before a copy, the worker copies the WAL", async () => {
  await using at = await opened();
  await at.db.write(() => at.insertSome());
  expect(at.db.checkpointing).toBeUndefined();
  await at.db.checkpointed();
  expect(at.bytes()).toBeGreaterThan(AT_LEAST_BYTES / WRITES);
  at.db.freeze().thaw();
});

onLinux("before the WAL is cleared, the worker copies it", async () => {
  await using at = await opened();
  await at.db.write(() => at.insertSome());
  at.db.clearLog();
  expect(at.db.checkpointing).toBeDefined();
  await at.db.checkpointing;
  await Promise.resolve();
  expect(at.logBytes()).toBe(0);
});

onLinux("a WAL to be cleared during a copy is empty after it", async () => {
  await using at = await opened();
  const frozen = at.db.freeze();
  await at.writeMany();
  at.db.clearLog();
  frozen.thaw();
  await at.db.checkpointing;
  await Promise.resolve();
  expect(at.logBytes()).toBe(0);
});

onLinux("a checkpoint that outlives its database is no defect", async () => {
  await using at = await opened();
  await at.writeMany();
  const running = at.db.checkpointing;
  at.db.close();
  await running;
  expect(at.defects).toEqual([]);
});

onLinux("limits the WAL once the workers have failed, and never checkpoints while frozen", async () => {
  await using at = await opened();
  expect(at.ownPages()).toBe(0);
  at.workers.close();
  await at.writeMany();
  await at.db.checkpointing;
  expect(at.ownPages()).toBe(16_384);
  const frozen = at.db.freeze();
  expect(at.ownPages()).toBe(0);
  frozen.thaw();
  expect(at.ownPages()).toBe(16_384);
});

onLinux("a checkpoint that fails is tried again after many more pages, not after each commit", async () => {
  await using at = await opened();
  at.workers.close();
  const stopping = "checkpoint: the server is stopping";
  const write = async (work: () => void) => {
    await at.db.write(work);
    await at.db.checkpointing;
  };
  for (let time = 0; time < WRITES; time += 1) await write(() => at.insertSome());
  for (let time = 0; time < WRITES; time += 1) await write(() => at.insert.run("one more"));
  expect(at.defects).toEqual([stopping]);
  for (let time = 0; time < WRITES; time += 1) await write(() => at.insertSome());
  expect(at.defects).toEqual([stopping, stopping]);
});
