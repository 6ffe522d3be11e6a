// Compare and swap, the part of the contract of every engine that says which of several writers is served.

import { describe, expect, test } from "bun:test";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { AppError } from "../../../src/kit/error.ts";
import type { Operation } from "../../../src/context/versioned-store/engine.ts";
import { apply, at, destroy, put, remove, text, type EngineBench } from "./file-engine.ts";
import { refusal, refusalOf } from "../http/refusal.ts";

export function fileSwapContract(name: string, open: () => Promise<EngineBench>): void {
  describe(`${name}: compare and swap`, () => {
    test("compares the expected version with the live one", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "1", null)]);
      await apply(engine, [put("a.md", "2", 1)]);
      const stale = (work: Promise<unknown>, path: string, message: string, content: string | null) => {
        const current = content === null ? null : { version: 2, hash: sha256Hex(content) };
        return refusal(work, "stale", `${path}: ${message}`, { path, current });
      };
      await stale(
        apply(engine, [put("a.md", "3", 1)]),
        "a.md",
        "expected v1, but the current version is v2",
        "2",
      );
      await stale(
        apply(engine, [put("a.md", "3", null)]),
        "a.md",
        "expected no file, but the current version is v2",
        "2",
      );
      await stale(
        apply(engine, [put("b.md", "3", 1)]),
        "b.md",
        "expected v1, but there is no such file",
        null,
      );
      await stale(
        apply(engine, [remove("a.md", 1)]),
        "a.md",
        "expected v1, but the current version is v2",
        "2",
      );
      expect(text(await engine.read(at("a.md")))).toBe("2");
      await apply(engine, [remove("a.md", 2)]);
      await stale(
        apply(engine, [put("a.md", "3", 2)]),
        "a.md",
        "expected v2, but there is no such file",
        null,
      );
      // Without an expectation the last write wins.
      expect((await apply(engine, [put("a.md", "3")])).effects[0]!.after!.version).toBe(3);
    });

    test("refuses a stale expectation also for the content that is live", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "1")]);
      await apply(engine, [put("a.md", "2")]);
      const before = [engine.head(), engine.totals(), await engine.history(at("a.md"))];
      for (const expected of [null, 1, 99])
        expect(await refusalOf(apply(engine, [put("a.md", "2", expected)]))).toMatchObject({
          code: "stale",
          details: { current: { version: 2, hash: sha256Hex("2") } },
        });
      expect([engine.head(), engine.totals(), await engine.history(at("a.md"))]).toEqual(before);
    });

    test("a write that asks for it makes a version only of another content", async () => {
      await using bench = await open();
      const { engine } = bench;
      const unlessSame = (content: string) =>
        apply(engine, [{ ...put("a.md", content), unlessSame: true } as Operation]);
      const written = async (content: string) =>
        (await unlessSame(content)).effects.map(({ after }) => after!.version);
      expect([await written("1"), await written("1"), await written("2"), await written("2")]).toEqual([
        [1],
        [],
        [2],
        [],
      ]);
      await apply(engine, [remove("a.md")]);
      expect(await written("2")).toEqual([3]);
    });

    test("makes a version of every write that it accepts, also of equal content", async () => {
      await using bench = await open();
      const { engine } = bench;
      for (const expected of [null, 1, undefined, 3]) await apply(engine, [put("a.md", "same", expected)]);
      const same = { size: 4, hash: sha256Hex("same") };
      expect((await apply(engine, [put("a.md", "same"), put("b.md", "same")])).effects).toEqual([
        {
          path: at("a.md"),
          op: "write",
          before: { version: 4, ...same },
          after: { version: 5, ...same },
        },
        { path: at("b.md"), op: "write", before: null, after: { version: 1, ...same } },
      ]);
      expect((await engine.history(at("a.md")))!.versions.map(({ version }) => version)).toEqual([
        5, 4, 3, 2, 1,
      ]);
      expect([engine.head().seq, engine.totals()]).toEqual([6, { files: 2, bytes: 8, versions: 6 }]);
      // One is destroyed, the others keep the content.
      await apply(engine, [destroy("a.md", 1)]);
      expect([text(await engine.read(at("a.md"), 2)), text(await engine.read(at("b.md")))]).toEqual([
        "same",
        "same",
      ]);
    });

    test("serves exactly one of many that create a file, whatever they write", async () => {
      await using bench = await open();
      const { engine } = bench;
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => apply(engine, [put("a.md", `${index % 2}`, null)])),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await engine.history(at("a.md")))!.current).toBe(1);
    });

    test("counts to the number of increments that were accepted", async () => {
      await using bench = await open();
      const { engine } = bench;
      const WRITERS = 6;
      const INCREMENTS_EACH = 10;
      await apply(engine, [put("count", "0", null)]);
      const increment = async (): Promise<void> => {
        const { version, bytes: seen } = (await engine.read(at("count")))!;
        const next = `${Number(new TextDecoder().decode(seen)) + 1}`;
        await apply(engine, [put("count", next, version)]).catch((error: unknown) => {
          if (error instanceof AppError && error.code === "stale") return increment();
          throw error;
        });
      };
      const writer = async () => {
        for (let count = 0; count < INCREMENTS_EACH; count++) await increment();
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      expect(text(await engine.read(at("count")))).toBe(`${WRITERS * INCREMENTS_EACH}`);
    });

    test("of many writers that expect one version exactly one is served", async () => {
      await using bench = await open();
      const { engine } = bench;
      await apply(engine, [put("a.md", "0")]);
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => apply(engine, [put("a.md", `writer ${index}`, 1)])),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const refused = results.flatMap((result) =>
        result.status === "rejected" ? [(result.reason as AppError).code] : [],
      );
      expect(refused).toEqual(Array.from({ length: 49 }, () => "stale"));
      expect((await engine.history(at("a.md")))!.current).toBe(2);
    });
  });
}
