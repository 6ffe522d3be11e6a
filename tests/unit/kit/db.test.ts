// Goal: a group commit is as if each write had run alone and in order: a failing one undoes itself only, nothing is told before it is durable,
// and a second process is kept out.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../../release/step.ts";
import { openDatabase, type Db } from "../../../src/kit/storage/db.ts";
import { AppError } from "../../../src/kit/error.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const TABLE = "CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE) STRICT";

function memory(onDefect?: (error: unknown) => void): Db {
  const db = openDatabase(":memory:", onDefect);
  db.exec(TABLE);
  return db;
}

function store(db: Db) {
  const insert = db.query<never, [number, string]>("INSERT INTO items (id, value) VALUES (?, ?)");
  const remove = db.query<never, [number]>("DELETE FROM items WHERE id = ?");
  const all = db.query<{ id: number; value: string }, []>("SELECT id, value FROM items ORDER BY id");
  return { insert, remove, all };
}

function readLinkIfThere(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

describe("group commit", () => {
  test("writes of one turn share a commit, in order; a failing one is undone alone", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const order: string[] = [];
    const write = (id: number, fails: boolean) =>
      db.write(() => {
        db.afterCommit(() => order.push(`after ${id}`));
        insert.run(id, `v${id}`);
        order.push(`run ${id}`);
        if (fails) throw new AppError("conflict", `no ${id}`);
        return id;
      });
    const results = await Promise.allSettled([write(1, false), write(2, true), write(3, false)]);
    expect(
      results.map((result) => (result.status === "fulfilled" ? result.value : messageOf(result.reason))),
    ).toEqual([1, "no 2", 3]);
    expect(order).toEqual(["run 1", "run 2", "run 3", "after 1", "after 3"]);
    expect(all.all()).toEqual([
      { id: 1, value: "v1" },
      { id: 3, value: "v3" },
    ]);
    db.close();
  });

  test("many large writes are committed in portions, with other work in between; small ones share a commit", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const order: string[] = [];
    const writes = [200, 200, undefined, 300, undefined, undefined].map((weight, id) =>
      db.write(
        () => {
          db.afterCommit(() => order.push("|"));
          insert.run(id, `v${id}`);
          order.push(String(id));
          // Longer than a stretch.
          if (weight) Bun.sleepSync(10);
        },
        { weight },
      ),
    );
    setImmediate(() => order.push("other work"));
    await Promise.all(writes);
    expect(order.join(" ")).toBe("0 | other work 1 2 | | 3 | 4 5 | |");
    expect(all.all()).toHaveLength(6);
    db.close();
  });

  test("a constraint that one write breaks fails that write, with SQLite's error", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const results = await Promise.allSettled([1, 2].map((id) => db.write(() => insert.run(id, "same"))));
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected"]);
    expect(messageOf((results[1] as PromiseRejectedResult).reason)).toBe(
      "UNIQUE constraint failed: items.value",
    );
    expect(all.all()).toEqual([{ id: 1, value: "same" }]);
    db.close();
  });

  test("a write that is alone is undone as well", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const failing = db.write(() => {
      insert.run(1, "a");
      throw new AppError("refused", "no");
    });
    expect(await failing.catch(messageOf)).toBe("no");
    expect(all.all()).toEqual([]);
    db.close();
  });

  test("a write that waits for something is refused, and undone: what follows an await would be outside it", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const failing = db.write(async () => void insert.run(1, "a"));
    expect(await failing.catch(messageOf)).toBe(
      "a write must be synchronous: what follows an await is outside it",
    );
    expect(all.all()).toEqual([]);
    db.close();
  });

  test("a callback that fails after the commit is reported and takes nothing with it", async () => {
    const defects: string[] = [];
    const db = memory((error) => defects.push(messageOf(error)));
    const { insert, all } = store(db);
    const told: number[] = [];
    const write = (id: number) =>
      db.write(() => {
        insert.run(id, `v${id}`);
        db.afterCommit(() => {
          if (id === 1) throw new Error("the viewer broke");
        });
        db.afterCommit(() => told.push(id));
        return id;
      });
    expect(await Promise.all([write(1), write(2)])).toEqual([1, 2]);
    expect([told, defects, all.all().length]).toEqual([[1, 2], ["the viewer broke"], 2]);
    db.close();
  });

  test("afterCommit belongs into a write", () => {
    const db = memory();
    expect(() => db.afterCommit(() => {})).toThrow("afterCommit outside a write");
    db.close();
  });

  test("a callback may write again", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const second = Promise.withResolvers<unknown>();
    await db.write(() => {
      insert.run(1, "a");
      db.afterCommit(() => db.write(() => insert.run(2, "b")).then(second.resolve));
    });
    await second.promise;
    expect(all.all()).toHaveLength(2);
    db.close();
  });

  test("close commits what waits, and refuses what comes", async () => {
    await using folder = await temporaryFolder();
    const db = openDatabase(`${folder.path}/a.db`);
    db.exec(TABLE);
    const { insert } = store(db);
    const waiting = db.write(() => insert.run(1, "a"));
    db.close();
    expect(await waiting).toBe(1);
    expect(await db.write(() => 1).catch(messageOf)).toBe("the service is stopping");
    const again = openDatabase(`${folder.path}/a.db`);
    expect(store(again).all.all()).toEqual([{ id: 1, value: "a" }]);
    again.close();
  });

  test("works that can be repeated run once, unless one fails that had changed something: then all run again", async () => {
    const db = memory();
    const { insert, all } = store(db);
    const runs: string[] = [];
    const write = (id: number, what: "done" | "refused" | "failed") =>
      db
        .write(
          () => {
            runs.push(`${id}`);
            if (what === "refused") throw new AppError("stale", `${all.all().length} are there`);
            insert.run(id, `v${id}`);
            if (what === "failed") throw new Error("after its change");
            return "done";
          },
          { repeatable: true },
        )
        .catch(messageOf);
    expect(await Promise.all([write(1, "done"), write(2, "refused"), write(3, "done")])).toEqual([
      "done",
      "1 are there",
      "done",
    ]);
    expect(runs.splice(0)).toEqual(["1", "2", "3"]);
    expect(await Promise.all([write(4, "done"), write(5, "failed"), write(6, "done")])).toEqual([
      "done",
      "after its change",
      "done",
    ]);
    expect(runs).toEqual(["4", "5", "4", "5", "6"]);
    expect(all.all().map(({ id }) => id)).toEqual([1, 3, 4, 6]);
    db.close();
  });

  test("random writes behave as a plain model does", async () => {
    const operation = fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      value: fc.constantFrom("a", "b", "c", "d"),
      kind: fc.constantFrom("insert", "insert", "remove", "refuse", "insert then fail", "remove then fail"),
      repeatable: fc.boolean(),
      relaxed: fc.boolean(),
    });
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const db = memory();
        const rows = store(db);
        const model = new Map<number, string>();
        for (const batch of all) {
          const expected: string[] = [];
          for (const { id, value, kind } of batch) {
            const taken = model.has(id) || [...model.values()].includes(value);
            const ok = kind === "remove" || (kind === "insert" && !taken);
            expected.push(ok ? "done" : "failed");
            if (ok && kind === "remove") model.delete(id);
            if (ok && kind === "insert") model.set(id, value);
          }
          const told: number[] = [];
          const results = await Promise.allSettled(
            batch.map(({ id, value, kind, ...options }, index) =>
              db.write(() => {
                db.afterCommit(() => told.push(index));
                if (kind === "refuse") throw new AppError("stale", `there are ${rows.all.all().length}`);
                if (kind.startsWith("insert")) rows.insert.run(id, value);
                else rows.remove.run(id);
                if (kind.endsWith("fail")) throw new Error("asked to fail");
              }, options),
            ),
          );
          expect(
            results.map((result) => (result.status === "fulfilled" ? "done" : "failed")) as string[],
          ).toEqual(expected);
          expect(told).toEqual(expected.flatMap((word, index) => (word === "done" ? [index] : [])));
          expect(rows.all.all()).toEqual(
            [...model].toSorted(([a], [b]) => a - b).map(([id, value]) => ({ id, value })),
          );
        }
        db.close();
      }),
      { numRuns: 150 },
    );
  });
});

describe("the file", () => {
  test("is durable by FULL and WAL, with foreign keys on, and private", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/a.db`;
    const db = openDatabase(path);
    const pragma = (name: string) =>
      Object.values(db.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get()!)[0];
    expect(["synchronous", "journal_mode", "foreign_keys"].map(pragma)).toEqual([2, "wal", 1]);
    expect(db.created).toBe(true);
    if (process.platform !== "win32") expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    db.close();
  });

  test("waits for the disk unless everything in a commit may be lost in a power cut", async () => {
    await using folder = await temporaryFolder();
    const db = openDatabase(`${folder.path}/a.db`);
    const mode = db.query<{ synchronous: number }, []>("PRAGMA synchronous");
    const write = (relaxed: boolean) => db.write(() => mode.get()!.synchronous, { relaxed });
    const [NORMAL, FULL] = [1, 2];
    expect(await Promise.all([write(true), write(true)])).toEqual([NORMAL, NORMAL]);
    expect(await Promise.all([write(true), write(false)])).toEqual([FULL, FULL]);
    expect(await write(true)).toBe(NORMAL);
    expect(await db.write(() => mode.get()!.synchronous)).toBe(FULL);
    db.close();
  });

  test.if(process.platform === "linux")(
    "nothing of it is written elsewhere, however much would have to be undone",
    async () => {
      await using folder = await temporaryFolder();
      const db = openDatabase(`${folder.path}/a.db`);
      db.exec("CREATE TABLE blobs (id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT");
      const insert = db.query<never, [Uint8Array]>("INSERT INTO blobs (value) VALUES (?)");
      const change = db.query<never, []>("UPDATE blobs SET value = randomblob(3000)");
      const fill = () => {
        for (let row = 0; row < 500; row += 1) insert.run(new Uint8Array(3_000));
      };
      await db.write(fill);
      const files = () =>
        readdirSync("/proc/self/fd").flatMap((name) => readLinkIfThere(`/proc/self/fd/${name}`) ?? []);
      // Files that the run itself has open, its redirected output for one, may be there too.
      const before = files();
      const open = () =>
        files().filter(
          (path) => !before.includes(path) && (path.includes("etilqs") || path.startsWith(tmpdir())),
        );
      const opened = await Promise.all([db.write(() => 0), db.write(() => (change.run(), open()))]);
      const own = [db.path, `${db.path}-wal`];
      expect((opened[1] as string[]).filter((path) => !own.includes(path))).toEqual([]);
      db.close();
    },
  );

  test("is refused while it is open elsewhere, unharmed, and free again after close", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/a.db`;
    const db = openDatabase(path);
    expect(() => openDatabase(path)).toThrow(
      `${path} is in use by another process; stop it first, or choose another data directory`,
    );
    expect(existsSync(path)).toBe(true);
    db.close();
    openDatabase(path).close();
  });

  test("frozen, its file stays as it is while writes go on; it is still nobody else's, and all is there afterwards", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/data.db`;
    const db = openDatabase(path);
    db.exec(TABLE);
    const { insert } = store(db);
    await db.write(() => insert.run(1, "before"));
    const frozen = db.freeze();
    expect(() => db.freeze()).toThrow("another backup is already running");
    const ids = Array.from({ length: 1_500 }, (_, index) => index + 2);
    for (const id of ids) await db.write(() => insert.run(id, `${id} ${"x".repeat(2_000)}`));
    const copy = new Uint8Array(frozen.size + 1);
    expect(await frozen.read(copy, 0)).toBe(frozen.size);
    frozen.thaw();
    await expect(frozen.read(copy, 0)).rejects.toThrow("the backup was aborted");
    // In another process, since a lock never keeps out its own.
    const other = `import { openDatabase } from ${JSON.stringify(join(ROOT, "src/kit/storage/db.ts"))}; openDatabase(${JSON.stringify(path)});`;
    const child = Bun.spawnSync([process.execPath, "-e", other]);
    expect(child.stderr.toString()).toContain("is in use by another process");
    await Bun.write(`${folder.path}/copy.db`, copy.subarray(0, frozen.size));
    const then = openDatabase(`${folder.path}/copy.db`);
    expect(store(then).all.all()).toEqual([{ id: 1, value: "before" }]);
    then.close();
    db.close();
    const again = openDatabase(path);
    expect(store(again).all.all().length).toBe(1_501);
    again.close();
  });

  test("discard takes away what was made here, and nothing else", async () => {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/a.db`;
    openDatabase(path).discard();
    expect(existsSync(path)).toBe(false);
    openDatabase(path).close();
    openDatabase(path).discard();
    expect(existsSync(path)).toBe(true);
  });

  test("a database that a newer schema of SQLite or another program wrote half is named", async () => {
    await using folder = await temporaryFolder();
    const path = await folder.write("a.db", "x".repeat(4096));
    expect(() => openDatabase(path)).toThrow(
      `${path} is not a usable database (file is not a database); restore a backup or move it away`,
    );
  });
});
