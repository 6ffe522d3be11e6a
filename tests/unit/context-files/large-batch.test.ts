// Goal: a batch of many files is written in steps but stays atomic: no one sees half of it, a refused batch leaves nothing, and other work of the
// process continues meanwhile.

import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import { turnOfOthers } from "../../../src/kit/clock.ts";
import { apply, at, put, sqliteBench, text } from "../../kit/store/file-engine.ts";

const FILES = 800;
const pathOf = (index: number) => `many/${index % 10}/${index}.md`;
const many = (content: string) =>
  Array.from({ length: FILES }, (_, index) => put(pathOf(index), `${content} [[${index}]]`));
const LAST = at(pathOf(FILES - 1));

/** Counts the turns of other work while `work` runs. */
async function turnsDuring<T>(work: Promise<T>, each: () => void = () => {}): Promise<number> {
  const state = { done: false };
  const ended = work.finally(() => (state.done = true)).catch(() => undefined);
  let turns = 0;
  for (; !state.done; turns += 1) {
    each();
    await turnOfOthers();
  }
  await ended;
  return turns;
}

describe("a batch of many files", () => {
  test("no query sees half of it", async () => {
    await using bench = await sqliteBench();
    const { engine } = bench;
    await apply(engine, many("old"));
    const before = engine.head();
    const seen: Promise<string>[] = [];
    const look = async () => {
      const first = text(await engine.read(at(pathOf(0))))!.split(" ")[0];
      const last = text(await engine.read(LAST))!.split(" ")[0];
      return `${first} ${last}`;
    };
    const listed: Promise<number>[] = [];
    const writing = engine.apply({ author: "ann", operations: many("new") });
    await turnsDuring(writing, () => {
      if (seen.length < 100) seen.push(look());
      if (listed.length < 5)
        listed.push(engine.list().then((files) => new Set(files.map(({ version }) => version)).size));
    });
    // The first file may be read just before the change and the last just after it, never the reverse.
    expect(new Set(await Promise.all(seen)).isSubsetOf(new Set(["old old", "old new", "new new"]))).toBe(
      true,
    );
    expect(await Promise.all(listed)).toEqual(listed.map(() => 1));
    expect(await engine.changesSince(before)).toHaveLength(FILES);
    expect(engine.head().seq).toBe(before.seq + FILES);
  });

  test("other work runs while it is written", async () => {
    await using bench = await sqliteBench();
    let during = 0;
    let isWriting = false;
    const { engine } = bench;
    const writing = engine.apply({
      author: "ann",
      operations: many("new"),
      begin: () => void (isWriting = true),
    });
    await turnsDuring(writing, () => (during += Number(isWriting && engine.busy !== undefined)));
    expect(during).toBeGreaterThan(2);
  });

  test("a concurrent write comes before or after it, and none is lost", async () => {
    await using bench = await sqliteBench();
    const { engine } = bench;
    const large = engine.apply({ author: "ann", operations: many("new") });
    const small: Promise<unknown>[] = [];
    await turnsDuring(large, () => {
      if (small.length < 20) small.push(apply(engine, [put(`small/${small.length}.md`, "x")]));
    });
    await Promise.all(small);
    const log = await engine.log(0, 10_000);
    const position = new Map(log.map(({ path }, index) => [path, index]));
    const positions = many("").map(({ path }) => position.get(path)!);
    expect(Math.max(...positions) - Math.min(...positions)).toBe(FILES - 1);
    expect(log).toHaveLength(FILES + small.length);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  });

  test("leaves nothing if its last file is refused", async () => {
    await using bench = await sqliteBench();
    const { engine } = bench;
    await apply(engine, [put(LAST, "there")]);
    const before = engine.head();
    const operations = many("new").map((one) => (one.path === LAST ? put(LAST, "new", null) : one));
    const error = await engine.apply({ author: "ann", operations }).catch((caught: AppError) => caught);
    expect((error as AppError).code).toBe("stale");
    expect(engine.head()).toEqual(before);
    expect((await engine.list()).map(({ path }) => path)).toEqual([LAST]);
    await bench.reopen();
    expect(bench.engine.totals()).toEqual({ files: 1, bytes: 5, versions: 1 });
  });

  test("a right lost while it is written applies", async () => {
    await using bench = await sqliteBench();
    const { engine } = bench;
    let asked = 0;
    const begin = () => {
      asked += 1;
      if (asked > 1) throw new AppError("forbidden", "no longer");
    };
    const error = await engine
      .apply({ author: "ann", operations: many("new"), begin })
      .catch((caught: AppError) => caught);
    expect((error as AppError).code).toBe("forbidden");
    expect(engine.head().seq).toBe(0);
    expect(await engine.list()).toEqual([]);
  });

  test("restoring many files is also one change, with an event for each in order", async () => {
    await using bench = await sqliteBench();
    const { engine } = bench;
    await apply(engine, many("old"));
    const { id } = await engine.snapshot("then", { author: "ann" });
    await apply(engine, many("new"));
    await apply(engine, [put("extra.md", "x")]);
    const before = engine.head();
    const restored = await engine.restoreSnapshot(id, { author: "ann" });
    expect(restored.effects).toHaveLength(FILES + 1);
    expect(text(await engine.read(LAST))!.startsWith("old ")).toBe(true);
    expect(await engine.live(at("extra.md"))).toBeUndefined();
    expect(engine.head().seq).toBe(before.seq + FILES + 1);
  });
});
