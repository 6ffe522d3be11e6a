// Goal: for any sequence of operations, every result equals that of a simple model, and concurrent writers see each other's work as if they had run
// one after another.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/kit/error.ts";
import type { Operation } from "../../../src/context/versioned-store/engine.ts";
import type { Totals } from "../../../src/context/versioned-store/schema.ts";
import type { SqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { apply, at, bytes, put, sqliteBench, text } from "../../kit/store/file-engine.ts";
import { FileModel, type ModelOperation } from "../../kit/store/file-model.ts";

const HISTORIES = 600;
const PARTS = [1, 2];
const SEED = 20_261_121;
const STEPS_MAX = 25;
const TEST_LIMIT_MS = 120_000;

const paths = ["a.md", "b.md", "d/a.md", "d/e/\u00fc.md", "z.bin"];
const anyPath = fc.constantFrom(...paths);
const anyContent = fc.constantFrom("", "one", "two", "[[a]] three", "---\nowner: x\n---\n");
const anyVersion = fc.integer({ min: 1, max: 4 });
const anyOperation: fc.Arbitrary<ModelOperation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("put" as const),
      path: anyPath,
      content: anyContent,
      expected: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constant(null), anyVersion),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("delete" as const),
      path: anyPath,
      expected: fc.option(anyVersion, { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("undelete" as const), path: anyPath }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("destroy" as const), path: anyPath, version: anyVersion }),
  },
);
const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .uniqueArray(anyOperation, { minLength: 1, maxLength: 4, selector: (one) => one.path })
      .map((batch) => ({ batch })),
  },
  { weight: 1, arbitrary: fc.constant({ reopen: true as const }) },
);

/** Opening a space costs more than a history, so several histories share one, each in its own directory. */
const HISTORIES_PER_SPACE = 25;

interface Start {
  readonly directory: string;
  readonly seq: number;
  readonly totals: Totals;
}

function real(operation: ModelOperation, directory: string): Operation {
  const path = at(`${directory}/${operation.path}`);
  if (operation.op === "put") return { ...operation, path, content: bytes(operation.content) };
  return { ...operation, path } as Operation;
}

async function compare(engine: SqliteEngine, model: FileModel, start: Start, since: number): Promise<void> {
  const { epoch, seq } = engine.head();
  const prefix = at(start.directory);
  const local = (path: string) => path.slice(prefix.length + 1);
  const now = engine.totals();
  expect([
    seq - start.seq,
    {
      files: now.files - start.totals.files,
      bytes: now.bytes - start.totals.bytes,
      versions: now.versions - start.totals.versions,
    },
  ]).toEqual([model.seq, model.totals()]);
  const listed = await engine.list({ deleted: true, prefix });
  expect(listed.map((one) => [local(one.path), one.version, one.hash, one.state])).toEqual(
    model.list() as never,
  );
  const past = await engine.list({ at: { seq: start.seq + since }, prefix });
  expect(past.map((one) => [local(one.path), one.version])).toEqual(model.asOf(since) as never);
  const changes = await engine.changesSince({ epoch, seq: start.seq + since });
  expect(changes.map((one) => [local(one.path), one.version])).toEqual(model.changesSince(since) as never);
  for (const [name, file] of model.files) {
    const history = (await engine.history(at(`${prefix}/${name}`)))!;
    expect([
      history.current,
      history.versions.map((one) => [one.version, one.destroyed, one.author]),
    ]).toEqual([
      file.live,
      file.versions.map((one, index) => [index + 1, one.gone, one.author]).toReversed() as never,
    ]);
  }
}

async function compareVersions(engine: SqliteEngine, model: FileModel, { directory }: Start): Promise<void> {
  for (const [name, file] of model.files)
    for (const [index, one] of file.versions.entries()) {
      const read = await engine
        .read(at(`${directory}/${name}`), index + 1)
        .then(text, (error: AppError) => error.code);
      expect(read).toBe(one.gone ? "not_found" : one.content);
    }
}

// In parts, because a busy machine does not compare all of them within the limit of one test.
test.each(PARTS)(
  `${HISTORIES / PARTS.length} random histories, compared after every step, part %d of ${PARTS.length}`,
  async (part) => {
    let bench = await sqliteBench();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: STEPS_MAX }),
        fc.infiniteStream(fc.nat()),
        async (steps, numbers) => {
          if (count++ % HISTORIES_PER_SPACE === 0) {
            await bench[Symbol.asyncDispose]();
            bench = await sqliteBench();
          }
          const start = {
            directory: `history ${count}`,
            seq: bench.engine.head().seq,
            totals: bench.engine.totals(),
          };
          const model = new FileModel();
          for (const [index, one] of steps.entries()) {
            if ("reopen" in one) await bench.reopen();
            else {
              const author = `author ${index}`;
              const refused = model.apply(one.batch, author);
              const done = await apply(
                bench.engine,
                one.batch.map((each) => real(each, start.directory)),
                { author },
              ).then(
                () => undefined,
                (error: AppError) => error.code,
              );
              expect(done).toBe(refused as never);
            }
            await compare(bench.engine, model, start, numbers.next().value! % (model.seq + 1));
          }
          await compareVersions(bench.engine, model, start);
          expect(bench.engine.treeBehind()).toEqual([]);
        },
      ),
      { numRuns: HISTORIES / PARTS.length, seed: SEED + part },
    );
    await bench[Symbol.asyncDispose]();
  },
  TEST_LIMIT_MS,
);

test("compare-and-swap counters lose nothing, and each version has one writer", async () => {
  await using bench = await sqliteBench();
  const { engine } = bench;
  const [writers, counts, counters] = [16, 25, 3];
  const wins = new Map<string, string[]>();
  const countUp = async (writer: number, path: string) => {
    for (;;) {
      const now = await engine.read(at(path));
      const next = Number.parseInt(text(now) ?? "0", 10) + 1;
      try {
        // Names its writer, so that no two contents are equal.
        const applied = await apply(engine, [put(path, `${next} by ${writer}`, now?.version ?? null)]);
        const key = `${path} v${applied.effects[0]!.after!.version}`;
        wins.set(key, [...(wins.get(key) ?? []), `${next} by ${writer}`]);
        return;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "stale") throw error;
      }
    }
  };
  const numberOf = async (path: string) => Number.parseInt(text(await engine.read(at(path)))!, 10);
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let count = 0; count < counts; count++) await countUp(writer, `counter-${count % counters}.md`);
    }),
  );
  const sums = await Promise.all(
    Array.from({ length: counters }, (_, counter) => numberOf(`counter-${counter}.md`)),
  );
  expect(sums.reduce((a, b) => a + b)).toBe(writers * counts);
  expect([wins.size, [...wins.values()].every((one) => one.length === 1)]).toEqual([writers * counts, true]);
  for (const [key, [won]] of wins) {
    const [path, version] = key.split(" v") as [string, string];
    expect(text(await engine.read(at(path), Number(version)))).toBe(won!);
  }
});
