// Goal: the pages that a database passes on make the same database elsewhere, whatever changed it, however, and when its WAL is emptied.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { turnOfOthers } from "../../../src/kit/clock.ts";
import { decodeEntry, encodeEntry } from "../../../src/kit/replication/entry.ts";
import { Outbox } from "../../../src/kit/replication/outbox.ts";
import { applyEntries } from "../../../src/kit/replication/replica-files.ts";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { openWorker } from "../../../src/kit/workers/entry.ts";
import { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const FILE = "x.db";
const BLOB_BYTES_MAX = 30_000;

/** A database whose changes go into entries, and a copy that is made of these. */
async function copied({ pageSize = 4_096 } = {}) {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()];
  const outbox = new Outbox();
  const failures: unknown[] = [];
  /** One for each commit that is read in steps. */
  const begun: number[] = [];
  let seq = 0;
  if (pageSize !== 4_096) withPageSize(join(from.path, FILE), pageSize);
  const db = openDatabase(join(from.path, FILE));
  db.copyPagesTo({
    changed: (changed) => outbox.pages(FILE, changed),
    changing: () => {
      begun.push(begun.length);
      return (changed) => outbox.pages(FILE, changed);
    },
    failed: (error) => failures.push(error),
  });
  db.writeNow(() => {
    db.exec("CREATE TABLE IF NOT EXISTS proof (id INTEGER PRIMARY KEY, side INTEGER)");
    db.exec("CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, v BLOB)");
  });
  db.settle();
  const insert = db.query<never, [Uint8Array]>("INSERT INTO items (v) VALUES (?)");
  return {
    db,
    insert,
    remove: db.query<never, [number]>("DELETE FROM items WHERE id % 7 = ?"),
    update: db.query<never, [Uint8Array, number]>("UPDATE items SET v = ? WHERE id % 11 = ?"),
    outbox,
    begun,
    /** Applies what is in the outbox, some of it twice, as after a crash in the middle. */
    async apply() {
      const parts = outbox.take();
      if (parts.length === 0) return;
      const bytes = await encodeEntry({ seq: (seq += 1), kind: "changes", node: "a", previous: "", parts });
      const entry = await decodeEntry(bytes, seq);
      if (seq % 3 === 0) await applyEntries(to.path, [{ ...entry, parts: entry.parts.slice(0, 1) }]);
      await applyEntries(to.path, [entry]);
    },
    /** Closes the database. The copy must be the same, byte for byte but for the counters of changes in its header. */
    async expectSame() {
      db.close();
      await this.apply();
      expect(failures).toEqual([]);
      const [original, copy] = [from, to].map(({ path }) => readFileSync(join(path, FILE)));
      expect(copy!.length).toBe(original!.length);
      expect(Buffer.compare(copy!, original!)).toBe(0);
      const again = openDatabase(join(to.path, FILE));
      expect(again.problems()).toEqual([]);
      again.close();
    },
    async [Symbol.asyncDispose]() {
      await db.checkpointing;
      db.close();
      await from[Symbol.asyncDispose]();
      await to[Symbol.asyncDispose]();
    },
  };
}

function withPageSize(path: string, pageSize: number): void {
  const db = openDatabase(path);
  db.exec(`PRAGMA page_size = ${pageSize}`);
  db.exec("PRAGMA journal_mode = DELETE");
  db.exec("VACUUM");
  db.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, v BLOB)");
  db.settle();
  db.close();
}

/** Repeatable: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
}

async function changeAtRandom(at: Awaited<ReturnType<typeof copied>>, random: (below: number) => number) {
  const { db, insert, remove, update } = at;
  const blob = () => Buffer.alloc(random(BLOB_BYTES_MAX), random(256));
  const addMany = (count: number) => {
    for (let row = 0; row < count; row += 1) insert.run(blob());
  };
  switch (random(9)) {
    case 0:
      return db.write(() => void remove.run(random(7)));
    case 1:
      return db.write(() => void update.run(blob(), random(11)));
    case 2:
      // Larger than SQLite's cache, so that pages of it are in the WAL when it is rolled back.
      return db
        .write(() => {
          addMany(300);
          throw new Error("no");
        })
        .catch(() => {});
    case 3: {
      const steps = function* () {
        for (let row = 0; row < 300; row += 1) {
          insert.run(blob());
          yield;
        }
      };
      const done = db.writeInSteps(steps, function* () {});
      // Deleted data leaves the WAL at its end.
      await Bun.sleep(0);
      db.clearLog();
      return done;
    }
    case 4:
      return db.clearLog();
    case 5:
      return db.rewrite();
    case 6:
      return db.prove();
    default:
      return Promise.all(
        Array.from({ length: random(8) + 1 }, () => db.write(() => void insert.run(blob()))),
      );
  }
}

for (const seed of [1, 2])
  test(`after random changes, the copy is the same (${seed})`, async () => {
    await using at = await copied();
    const workers = new WorkerPool(() => openWorker("src/context/worker.ts"));
    at.db.checkpointIn(workers);
    const random = randomOf(seed);
    for (let step = 0; step < 40; step += 1) {
      await changeAtRandom(at, random);
      if (random(3) === 0) await at.apply();
    }
    while (at.db.checkpointing) await at.db.checkpointing;
    workers.close();
    await at.expectSame();
  });

test.each([512, 1_024, 65_536])("a database with pages of %d bytes", async (pageSize) => {
  await using at = await copied({ pageSize });
  for (let row = 0; row < 30; row += 1) await at.db.write(() => void at.insert.run(Buffer.alloc(3_000, row)));
  await at.apply();
  await at.db.write(() => void at.remove.run(3));
  await at.expectSame();
});

test("a database that is frozen for a copy, and changed by checkpoints of its own thread", async () => {
  await using at = await copied();
  const frozen = at.db.freeze();
  for (let row = 0; row < 50; row += 1)
    await at.db.write(() => void at.insert.run(Buffer.alloc(400_000, row)));
  frozen.thaw();
  for (let row = 0; row < 20; row += 1)
    await at.db.write(() => void at.insert.run(Buffer.alloc(400_000, row)));
  await at.expectSame();
});

test("a database whose WAL a worker truncates after a copy", async () => {
  await using at = await copied();
  const workers = new WorkerPool(() => openWorker("src/context/worker.ts"));
  at.db.checkpointIn(workers);
  const frozen = at.db.freeze();
  for (let row = 0; row < 100; row += 1)
    await at.db.write(() => void at.insert.run(Buffer.alloc(400_000, row)));
  at.db.exec("DELETE FROM items WHERE id % 2 = 0");
  frozen.thaw();
  await at.db.checkpointing;
  await at.db.write(() => void at.insert.run(Buffer.alloc(400_000, 1)));
  workers.close();
  await at.expectSame();
});

test("statements outside a write, of which each may begin the WAL again", async () => {
  await using at = await copied();
  const fill = (db: Db, value: number) => {
    db.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO items (v) SELECT zeroblob(4000 + ${value}) FROM n`,
    );
  };
  for (let value = 0; value < 4; value += 1) fill(at.db, value);
  at.db.exec("DELETE FROM items WHERE id % 2 = 0");
  await at.db.prove();
  await at.expectSame();
});

test("a database that is closed in the middle of a change in steps", async () => {
  await using at = await copied();
  const steps = function* () {
    for (let row = 0; row < 10_000; row += 1) {
      at.insert.run(Buffer.alloc(4_000, row));
      yield;
    }
  };
  const done = at.db.writeInSteps(steps, function* () {});
  done.catch(() => {});
  await Bun.sleep(30);
  await at.expectSame();
  await expect(done).rejects.toThrow();
});

/** 20 MB, in steps. */
function writeMuch({ db, insert }: Awaited<ReturnType<typeof copied>>): Promise<void> {
  const steps = function* () {
    for (let row = 0; row < 5_000; row += 1) {
      insert.run(Buffer.alloc(4_000, row));
      yield;
    }
  };
  return db.writeInSteps(steps, function* () {});
}

test("a large commit is announced in its own step, and read in several turns, while writes wait", async () => {
  await using at = await copied();
  await at.apply();
  const done = writeMuch(at);
  while (at.begun.length === 0) await turnOfOthers();
  let turns = 0;
  let isWritten = false;
  const written = at.db.write(() => void at.insert.run(Buffer.alloc(10))).then(() => (isWritten = true));
  while (at.outbox.isEmpty) {
    turns += 1;
    await turnOfOthers();
    if (at.outbox.isEmpty) expect(isWritten).toBe(false);
  }
  expect(turns).toBeGreaterThan(1);
  await Promise.all([done, written]);
  await at.expectSame();
});

test("a large commit is read to its end when something else changes the database, or closes it", async () => {
  await using at = await copied();
  const first = writeMuch(at);
  while (at.begun.length === 0) await turnOfOthers();
  at.db.exec("DELETE FROM items WHERE id % 2 = 0");
  await first;
  const second = writeMuch(at);
  second.catch(() => {});
  while (at.begun.length === 1) await turnOfOthers();
  await at.expectSame();
});
