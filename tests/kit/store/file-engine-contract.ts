// The contract of every engine of the versioned store, whatever it keeps its content in: one suite, called once for each engine. Nothing here
// looks behind the interface: what only one with a working tree does is tested beside it.

import { describe, expect, test } from "bun:test";
import { BATCH_OPERATIONS_MAX, FILE_BYTES_CEILING } from "../../../src/context/versioned-store/schema.ts";
import { sizeText } from "../../../src/kit/text/amounts.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { AppError } from "../../../src/kit/error.ts";
import { apply, at, bytes, destroy, put, remove, text, undelete, type EngineBench } from "./file-engine.ts";
import { fileHistoryContract } from "./file-history-contract.ts";
import { fileSwapContract } from "./file-swap-contract.ts";
import { MINUTE_MS } from "../manual-clock.ts";
import { refusal } from "../http/refusal.ts";

const NOON = "2026-01-01T12:00:00.000Z";

export function fileEngineContract(name: string, open: () => Promise<EngineBench>): void {
  fileHistoryContract(name, open);
  fileSwapContract(name, open);

  describe(`${name}: writing`, () => {
    test("a file is written, read back byte for byte, listed, and has a history", async () => {
      await using bench = await open();
      const { engine } = bench;
      const applied = await apply(engine, [put("docs/a.md", "one")]);
      const hash = sha256Hex("one");
      const after = { version: 1, size: 3, hash };
      expect(applied).toEqual({
        head: engine.head(),
        effects: [{ path: at("docs/a.md"), op: "write", before: null, after }],
        time: bench.clock.now(),
      });
      expect(engine.head().seq).toBe(1);
      expect(engine.head().epoch).toMatch(/^[0-9a-f]{12}$/);
      expect(engine.totals()).toEqual({ files: 1, bytes: 3, versions: 1 });
      const facts = { path: "docs/a.md", size: 3, hash, author: "ann" };
      const record = { ...facts, version: 1, updated_at: NOON, state: "live" as const };
      expect(await engine.list()).toEqual([record]);
      expect(await engine.stat(at("docs/a.md"))).toEqual(record);
      expect(await engine.read(at("docs/a.md"))).toEqual({
        path: at("docs/a.md"),
        version: 1,
        hash,
        bytes: bytes("one"),
      });
      expect(await engine.stored(at("docs/a.md"), 1)).toEqual({
        size: 3,
        coding: "raw",
        content: bytes("one"),
      });
      expect(await engine.stored(at("docs/a.md"), 2)).toBeUndefined();
      const version = { version: 1, created_at: NOON, author: "ann", size: 3, hash };
      expect(await engine.history(at("docs/a.md"))).toEqual({
        path: "docs/a.md",
        tracked: true,
        current: 1,
        versions: [{ ...version, deleted: false, destroyed: false, pruned: false }],
      });
    });

    test("an empty space reads and lists nothing", async () => {
      await using bench = await open();
      const { engine } = bench;
      const path = at("none.md");
      expect([
        await engine.list(),
        await engine.changesSince(engine.head()),
        await engine.log(0, 10),
      ]).toEqual([[], [], []]);
      expect([
        await engine.stat(path),
        await engine.read(path),
        await engine.stored(path, 1),
        await engine.history(path),
        await engine.copy(path),
        await engine.open(path),
      ]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined]);
      expect([engine.totals(), engine.treeBehind(), await engine.snapshots()]).toEqual([
        { files: 0, bytes: 0, versions: 0 },
        [],
        [],
      ]);
      expect((await apply(engine, [])).effects).toEqual([]);
      expect(engine.head().seq).toBe(0);
    });

    test("admit is told the effects, and undoes everything if it throws", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "aaaa"), put("b.md", "b")]);
      const seen: unknown[] = [];
      const operations = [put("a.md", "aa"), put("c.md", "ccc"), remove("b.md")];
      const refused = apply(engine, operations, {
        admit: (plan) => {
          seen.push(plan);
          throw new AppError("quota_exceeded", "no room");
        },
      });
      await refusal(refused, "quota_exceeded", "no room");
      const facts = (version: number, content: string) => ({
        version,
        size: content.length,
        hash: sha256Hex(content),
      });
      expect(seen).toEqual([
        {
          effects: [
            { path: "b.md", op: "delete", before: facts(1, "b"), after: null },
            { path: "a.md", op: "write", before: facts(1, "aaaa"), after: facts(2, "aa") },
            { path: "c.md", op: "write", before: null, after: facts(1, "ccc") },
          ],
          before: { files: 2, bytes: 5, versions: 2 },
          after: { files: 2, bytes: 5, versions: 4 },
        },
      ]);
      expect([engine.head().seq, engine.totals()]).toEqual([2, { files: 2, bytes: 5, versions: 2 }]);
      await apply(engine, operations);
      expect([engine.head().seq, engine.totals()]).toEqual([5, { files: 2, bytes: 5, versions: 4 }]);
    });

    test("empty, binary and large files come back as they were, also after others", async () => {
      await using bench = await open();
      const { engine } = bench;
      const binary = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256);
      const large = new Uint8Array(5 * 1024 * 1024);
      for (let index = 0; index < large.length; index++)
        large[index] = Math.imul(index, 2_654_435_761) >>> 24;
      const contents = [
        new Uint8Array(0),
        binary,
        large,
        bytes("\ufeffa\r\nb\0c"),
        new Uint8Array(1024 * 1024),
      ];
      for (const content of contents) await apply(engine, [put("f.bin", content)]);
      await apply(engine, [put("f.bin", "end")]);
      await bench.reopen();
      for (const [index, content] of contents.entries()) {
        const read = (await bench.engine.read(at("f.bin"), index + 1))!;
        expect([read.version, read.hash, Buffer.compare(read.bytes, content)]).toEqual([
          index + 1,
          sha256Hex(content),
          0,
        ]);
      }
    });

    test("refuses content that is too large, too many files, and reserved names", async () => {
      await using bench = await open();
      const { engine } = bench;
      await refusal(
        apply(engine, [put("a.bin", new Uint8Array(FILE_BYTES_CEILING + 1))]),
        "too_large",
        `a.bin: larger than ${sizeText(FILE_BYTES_CEILING)}`,
        { path: "a.bin", limit_bytes: FILE_BYTES_CEILING },
      );
      const many = Array.from({ length: BATCH_OPERATIONS_MAX + 1 }, (_, index) => remove(`${index}.md`));
      await refusal(apply(engine, many), "too_large", `at most ${BATCH_OPERATIONS_MAX} operations at once`, {
        limit: BATCH_OPERATIONS_MAX,
      });
      for (const path of [
        ".cairn/space.db",
        ".CAIRN/x",
        ".git/config",
        "a/.Git/hooks/x",
        ".sync/state.db",
        "a/.DS_Store",
        ".hg/hgrc",
        "a/.SVN/entries",
        ".ds_store",
        ".g\u200cit/x",
        "\uff0egit/x",
      ]) {
        const segment = path
          .split("/")
          .find((one) => !["a", "x", "config", "hooks", "space.db", "state.db"].includes(one));
        await refusal(
          apply(engine, [put(path, "x")]),
          "invalid",
          `${path}: "${segment}" is a reserved name`,
          { path },
        );
      }
      await apply(engine, [put(".gitignore", "x"), put("a/.cairnrc", "x"), put(".github/git.md", "x")]);
      expect(engine.totals().files).toBe(3);
    });
  });

  describe(`${name}: deleting and bringing back`, () => {
    test("a deleted file keeps its versions, counts on when it is written again, and can be brought back", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "one")]);
      await apply(engine, [put("a.md", "two")]);
      bench.clock.advance(MINUTE_MS);
      expect((await apply(engine, [remove("a.md")], { author: "bob" })).effects).toEqual([
        {
          path: at("a.md"),
          op: "delete",
          before: { version: 2, size: 3, hash: sha256Hex("two") },
          after: null,
        },
      ]);
      expect([await engine.read(at("a.md")), await engine.list()]).toEqual([undefined, []]);
      expect(text(await engine.read(at("a.md"), 1))).toBe("one");
      expect(await engine.list({ deleted: true })).toEqual([
        {
          path: "a.md",
          version: 2,
          size: 3,
          hash: sha256Hex("two"),
          updated_at: "2026-01-01T12:01:00.000Z",
          author: "bob",
          state: "deleted",
        },
      ]);
      expect(engine.totals()).toEqual({ files: 0, bytes: 0, versions: 2 });
      await refusal(apply(engine, [remove("a.md")]), "not_found", "file a.md: not found");

      // Its own number, not a new one.
      expect((await apply(engine, [undelete("a.md")])).effects[0]).toMatchObject({
        op: "undelete",
        after: { version: 2 },
      });
      expect(text(await engine.read(at("a.md")))).toBe("two");
      await refusal(apply(engine, [undelete("a.md")]), "conflict", "a.md: not deleted", {
        path: "a.md",
        current: 2,
      });
      await refusal(apply(engine, [undelete("b.md")]), "not_found", "file b.md: not found");
      await apply(engine, [remove("a.md")]);
      expect((await apply(engine, [put("a.md", "three", null)])).effects[0]!.after!.version).toBe(3);
      const flags = (await engine.history(at("a.md")))!.versions.map(({ version, deleted }) => [
        version,
        deleted,
      ]);
      expect(flags).toEqual([
        [3, false],
        [2, true],
        [1, false],
      ]);
    });

    test("a destroyed version is gone for good, the live one can't be, and the newest kept one comes back", async () => {
      await using bench = await open();
      const { engine } = bench;
      for (const content of ["one", "two!", "three"]) await apply(engine, [put("a.md", content)]);
      await refusal(
        apply(engine, [destroy("a.md", 3)]),
        "invalid",
        "cannot destroy current live version — soft-delete first",
      );
      await refusal(apply(engine, [destroy("a.md", 4)]), "not_found", "version 4 of a.md: not found");
      await refusal(apply(engine, [destroy("b.md", 1)]), "not_found", "version 1 of b.md: not found");
      await apply(engine, [remove("a.md")]);
      const destroyed = { version: 3, hash: expect.any(String) };
      expect((await apply(engine, [destroy("a.md", 3)])).effects).toEqual([
        { path: at("a.md"), op: "destroy", before: null, after: null, destroyed },
      ]);
      expect((await apply(engine, [destroy("a.md", 3)])).effects).toEqual([]);
      expect(engine.totals().versions).toBe(2);
      for (const gone of [engine.read(at("a.md"), 3), engine.stored(at("a.md"), 3)])
        await refusal(gone, "not_found", "a.md: the content of v3 was destroyed", { path: "a.md" });
      await apply(engine, [undelete("a.md")]);
      expect(text(await engine.read(at("a.md")))).toBe("two!");
      // Deleted again: the version shown is the one whose size and hash are shown.
      await apply(engine, [remove("a.md")]);
      expect((await engine.list({ deleted: true }))[0]).toMatchObject({
        version: 2,
        size: 4,
        hash: sha256Hex("two!"),
      });
      const flags = (await engine.history(at("a.md")))!.versions.map((one) => [
        one.version,
        one.deleted,
        one.destroyed,
      ]);
      expect(flags).toEqual([
        [3, true, true],
        [2, true, false],
        [1, false, false],
      ]);
      await apply(engine, [destroy("a.md", 1), destroy("a.md", 2)]);
      await refusal(
        apply(engine, [undelete("a.md")]),
        "refused",
        "a.md: the content of all its versions was destroyed",
        { path: "a.md" },
      );
      expect((await apply(engine, [put("a.md", "four")])).effects[0]!.after!.version).toBe(4);
    });

    test("content that several versions share lasts as long as one of them", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "same"), put("b.md", "same")]);
      await apply(engine, [put("a.md", "other")]);
      await apply(engine, [destroy("a.md", 1)]);
      expect(text(await engine.read(at("b.md")))).toBe("same");
      await apply(engine, [put("b.md", "other")]);
      await apply(engine, [destroy("b.md", 1)]);
      await apply(engine, [put("c.md", "same")]);
      expect(text(await engine.read(at("c.md")))).toBe("same");
      expect(text(await engine.read(at("b.md")))).toBe("other");
    });

    test("retention takes content of old versions, says so, and spares what is live or named by a snapshot", async () => {
      await using bench = await open();
      const { engine } = bench;
      for (const content of ["1", "2", "3"]) await apply(engine, [put("a.md", content)]);
      const snapshot = await engine.snapshot("before", { author: "ann" });
      for (const content of ["4", "5", "6"]) await apply(engine, [put("a.md", content)], { versionsKept: 2 });
      const kept = (await engine.history(at("a.md")))!.versions.map(({ version, pruned }) => [
        version,
        pruned,
      ]);
      expect(kept).toEqual([
        [6, false],
        [5, false],
        [4, true],
        [3, false],
        [2, true],
        [1, true],
      ]);
      expect(engine.totals()).toEqual({ files: 1, bytes: 1, versions: 3 });
      await refusal(engine.read(at("a.md"), 1), "not_found", "a.md: the content of v1 was pruned", {
        path: "a.md",
      });
      expect(await engine.restoreSnapshot(snapshot.id, { author: "ann", versionsKept: 1 })).toMatchObject({
        lost: [],
      });
      expect(text(await engine.read(at("a.md")))).toBe("3");
      await apply(engine, [put("a.md", "8")], { versionsKept: 1 });
      expect(text(await engine.read(at("a.md")))).toBe("8");
    });
  });
}
