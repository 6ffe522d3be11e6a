// The second half of what every engine of the versioned store must do (file-engine-contract.ts calls it): batches, and everything that asks
// what was: listings of the past, changes, snapshots, another start.

import { describe, expect, test } from "bun:test";
import { headText } from "../../../src/context/versioned-store/head.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { AppError } from "../../../src/kit/error.ts";
import {
  apply,
  applyAll,
  at,
  destroy,
  put,
  remove,
  text,
  undelete,
  type EngineBench,
} from "./file-engine.ts";
import { MINUTE_MS } from "../manual-clock.ts";
import { refusal, refusalOf } from "../http/refusal.ts";

const NOON = "2026-01-01T12:00:00.000Z";

export function fileHistoryContract(name: string, open: () => Promise<EngineBench>): void {
  describe(`${name}: batches`, () => {
    test("are applied as a whole or not at all", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "1")]);
      const refused = apply(engine, [put("b.md", "1"), put("a.md", "2", 7), put("c.md", "1")]);
      expect((await refusalOf(refused)).code).toBe("stale");
      expect([(await engine.list()).map(({ path }) => path), engine.head().seq]).toEqual([["a.md"], 1]);
    });

    test("are judged by their result: names and directories that a delete leaves are free", async () => {
      await using bench = await open();
      const { engine } = bench;
      const paths = async () => (await engine.list()).map(({ path }) => path);
      await apply(engine, [put("a.md", "x")]);
      await apply(engine, [put("A.md", "x"), remove("a.md")]);
      expect(await paths()).toEqual(["A.md"]);
      await apply(engine, [put("A.md/b.md", "x"), remove("A.md")]);
      expect(await paths()).toEqual(["A.md/b.md"]);
      await apply(engine, [put("A.md", "y"), remove("A.md/b.md")]);
      expect(await paths()).toEqual(["A.md"]);
      expect(engine.totals()).toEqual({ files: 1, bytes: 1, versions: 4 });
    });

    test("names that some disks take for one, and files where directories are, are refused", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("Docs/a.md", "x"), put("\u00e9.md", "x")]);
      const conflict = (work: Promise<unknown>, path: string, other: string, problem: string) =>
        refusal(work, "conflict", `${path}: ${problem}`, { path, blocked_by: [other] });
      const one = (work: Promise<unknown>, path: string, other: string) =>
        conflict(work, path, other, `has the same name as the existing "${other}" on some file systems`);
      await one(apply(engine, [put("docs/A.md", "x")]), "docs/A.md", "Docs/a.md");
      await one(apply(engine, [put("\u00c9.md", "x")]), "\u00c9.md", "\u00e9.md");
      await one(apply(engine, [put("n.md", "x"), put("N.md", "x")]), "N.md", "n.md");
      await conflict(
        apply(engine, [put("docs", "x")]),
        "docs",
        "Docs/a.md",
        'is a directory (it holds "Docs/a.md")',
      );
      await conflict(
        apply(engine, [put("docs/a.md/b", "x")]),
        "docs/a.md/b",
        "Docs/a.md",
        '"Docs/a.md" is a file, not a directory',
      );
      await conflict(
        apply(engine, [put("n", "x"), put("n/b", "x")]),
        "n/b",
        "n",
        '"n" is a file, not a directory',
      );
      await apply(engine, [put("Docs/b.md", "x")]);
      await conflict(
        apply(engine, [remove("Docs/a.md"), put("docs", "x")]),
        "docs",
        "Docs/b.md",
        'is a directory (it holds "Docs/b.md")',
      );
      await apply(engine, [remove("Docs/b.md")]);
      // A file that is written again stays.
      await conflict(
        apply(engine, [put("Docs/a.md", "y"), put("Docs/a.md/b", "x")]),
        "Docs/a.md/b",
        "Docs/a.md",
        '"Docs/a.md" is a file, not a directory',
      );
      // Both forms of the accent are one path.
      expect((await apply(engine, [put("e\u0301.md", "y")])).effects[0]!.after!.version).toBe(2);
      await apply(engine, [remove("Docs/a.md")]);
      await apply(engine, [put("docs/A.md", "x")]);
      expect((await refusalOf(apply(engine, [undelete("Docs/a.md")]))).code).toBe("conflict");
    });

    test("allow one operation on a path", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "1")]);
      await apply(engine, [put("a.md", "2")]);
      const message = "a.md: more than one operation on this path";
      for (const operations of [
        [put("a.md", "x"), put("a.md", "y")],
        [put("a.md", "x"), remove("a.md")],
        [destroy("a.md", 1), destroy("a.md", 1)],
        [destroy("a.md", 2), remove("a.md")],
        [undelete("a.md"), destroy("a.md", 2)],
      ])
        await refusal(apply(engine, operations), "invalid", message, { path: "a.md" });
    });

    test("take long paths, and ten thousand files at once", async () => {
      await using bench = await open();
      const { engine } = bench;
      const path = `${`${"d".repeat(200)}/`.repeat(4)}${"x".repeat(217)}.md`;
      expect(Buffer.byteLength(path)).toBe(1024);
      await apply(engine, [put(path, "deep")]);
      expect(text(await engine.read(at(path)))).toBe("deep");
      expect((await engine.list())[0]).toMatchObject({ path, state: "live" });
      const before = engine.head();
      await applyAll(
        engine,
        Array.from({ length: 10_000 }, (_, index) => put(`many/${index % 100}/${index}.md`, `file ${index}`)),
      );
      expect(engine.totals()).toMatchObject({ files: 10_001, versions: 10_001 });
      expect((await engine.list({ prefix: at("many/7") })).length).toBe(100);
      const changes = await engine.changesSince(before);
      expect([changes.length, engine.head().seq]).toEqual([10_000, 10_001]);
      expect(changes.map((change) => change.path)).toEqual(changes.map((change) => change.path).toSorted());
    });
  });

  describe(`${name}: history`, () => {
    test("a listing of a directory ends at its separator", async () => {
      await using bench = await open();
      const { engine } = bench;
      for (const path of ["a/1.md", "a/b/2.md", "a-b/3.md", "a.md", "ab/4.md", "a%/5.md"])
        await apply(engine, [put(path, path)]);
      const below = async (prefix: string) =>
        (await engine.list({ prefix: at(prefix) })).map(({ path }) => path);
      expect([await below("a"), await below("a.md"), await below("a%"), await below("none")]).toEqual([
        ["a/1.md", "a/b/2.md"],
        ["a.md"],
        ["a%/5.md"],
        [],
      ]);
    });

    test("lists the space as it was at a change or a time", async () => {
      await using bench = await open();
      const { engine, clock } = bench;
      const start = clock.now();
      await apply(engine, [put("a.md", "1"), put("b.md", "1")]);
      clock.advance(MINUTE_MS);
      await apply(engine, [put("a.md", "2")]);
      await apply(engine, [remove("b.md")]);
      clock.advance(MINUTE_MS);
      await apply(engine, [undelete("b.md")]);
      await apply(engine, [destroy("a.md", 1)]);
      const then = async (when: { seq: number } | { time: number }, prefix?: string) =>
        (await engine.list({ at: when, ...(prefix ? { prefix: at(prefix) } : {}) })).map(
          ({ path, version }) => [path, version],
        );
      expect(await then({ seq: 0 })).toEqual([]);
      expect(await then({ seq: 2 })).toEqual([
        ["a.md", 1],
        ["b.md", 1],
      ]);
      expect(await then({ seq: 4 })).toEqual([["a.md", 2]]);
      expect(await then({ seq: 5 })).toEqual([
        ["a.md", 2],
        ["b.md", 1],
      ]);
      expect(await then({ seq: 6 }, "b.md")).toEqual([["b.md", 1]]);
      expect(await then({ time: start - 1 })).toEqual([]);
      expect(await then({ time: start })).toEqual(await then({ seq: 2 }));
      expect(await then({ time: start + MINUTE_MS })).toEqual(await then({ seq: 4 }));
      expect(await then({ time: start + 10 * MINUTE_MS })).toEqual(await then({ seq: 6 }));
      await refusal(engine.list({ at: { seq: 7 } }), "invalid", "at: that head is in the future");
    });

    test("times in the log only grow, whatever the clock does", async () => {
      await using bench = await open();
      const { engine, clock } = bench;
      await apply(engine, [put("a.md", "1")]);
      clock.advance(-10 * MINUTE_MS);
      await apply(engine, [put("a.md", "2")]);
      await bench.reopen();
      await apply(bench.engine, [put("a.md", "3")]);
      expect((await bench.engine.history(at("a.md")))!.versions.map((one) => one.created_at)).toEqual([
        NOON,
        NOON,
        NOON,
      ]);
    });

    test("changes since a head are what is different now, each path once, with what was deleted", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "1"), put("b.md", "1"), put("c.md", "1")]);
      const head = engine.head();
      await apply(engine, [put("b.md", "2")]);
      await apply(engine, [put("b.md", "3")]);
      await apply(engine, [remove("a.md")], { author: "bob" });
      await apply(engine, [destroy("b.md", 1)]);
      const facts = { size: 1, updated_at: NOON };
      expect(await engine.changesSince(head)).toEqual([
        { ...facts, path: "a.md", change: "deleted", version: null, hash: sha256Hex("1"), author: "bob" },
        { ...facts, path: "b.md", change: "written", version: 3, hash: sha256Hex("3"), author: "ann" },
      ]);
      expect(await engine.changesSince(engine.head())).toEqual([]);
      await refusal(
        engine.changesSince({ ...head, seq: 99 }),
        "invalid",
        "since: that head is in the future",
      );
      await refusal(
        engine.changesSince({ epoch: "0".repeat(12), seq: 1 }),
        "epoch_changed",
        "the space was restored from a backup since then; start over from its files",
        { head: headText(engine.head()) },
      );
      const entries = await engine.log(3, 3);
      expect(entries.map(({ seq, op, path, version, author }) => [seq, op, path, version, author])).toEqual([
        [4, "write", at("b.md"), 2, "ann"],
        [5, "write", at("b.md"), 3, "ann"],
        [6, "delete", at("a.md"), null, "bob"],
      ]);
      expect((await engine.log(6, 10)).map(({ op, version }) => [op, version])).toEqual([["destroy", 1]]);
    });

    test("a snapshot is restored by new versions; what was destroyed since is named and left alone", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "a1"), put("b.md", "b1"), put("c.md", "c1"), put("d.md", "d1")]);
      const snapshot = await engine.snapshot("monday", { author: "ann" });
      expect(snapshot).toEqual({
        id: 1,
        name: "monday",
        head: headText(engine.head()),
        author: "ann",
        created_at: NOON,
      });
      expect(await engine.snapshots()).toEqual([snapshot]);
      await refusal(
        engine.snapshot("monday", { author: "bob" }),
        "conflict",
        'name: a snapshot "monday" already exists',
      );
      await apply(engine, [put("a.md", "a2"), remove("b.md"), put("d.md", "d2"), put("B.md", "new")]);
      await apply(engine, [destroy("d.md", 1)]);
      const restored = await engine.restoreSnapshot(1, { author: "bob" });
      expect(
        restored.effects.map(({ op, path, after }) => [op, path as string, after?.version ?? null]),
      ).toEqual([
        ["delete", "B.md", null],
        ["write", "a.md", 2 + 1],
        ["write", "b.md", 2],
      ]);
      expect(restored.lost).toEqual([at("d.md")]);
      const contents = await Promise.all(
        ["a", "b", "c", "d"].map(async (one) => text(await engine.read(at(`${one}.md`)))),
      );
      expect(contents).toEqual(["a1", "b1", "c1", "d2"]);
      expect((await engine.restoreSnapshot(1, { author: "bob" })).effects).toEqual([]);
      await refusal(engine.restoreSnapshot(9, { author: "bob" }), "not_found", "snapshot 9: not found");
      const admit = () => {
        throw new AppError("forbidden", "not you");
      };
      await apply(engine, [remove("a.md")]);
      expect((await refusalOf(engine.restoreSnapshot(1, { author: "eve", admit }))).code).toBe("forbidden");
    });

    test("everything is there after it was closed and opened, and nothing is taken after the close", async () => {
      await using bench = await open();
      for (const content of ["1", "2"])
        await apply(bench.engine, [put("a.md", content), put(`${content}.md`, "x")]);
      await apply(bench.engine, [remove("1.md")]);
      const facts = async () => {
        const { engine } = bench;
        return [
          engine.head(),
          engine.totals(),
          await engine.list({ deleted: true }),
          await engine.history(at("a.md")),
          await engine.log(0, 99),
        ];
      };
      const before = await facts();
      const closed = bench.engine;
      await bench.reopen();
      expect(await facts()).toEqual(before);
      expect((await refusalOf(apply(closed, [put("a.md", "late")]))).code).toBe("unavailable");
    });
  });
}
