// Goal: the contents of a large batch are stored before its transaction in small commits; neither a refused batch nor a crash leaves any of them.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { apply, at, put, sqliteBench, type EngineBench } from "../../kit/store/file-engine.ts";
import { silent } from "../../kit/silent.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";

const MIB = 1024 * 1024;

/** Incompressible. */
function noise(seed: number, bytes: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

const large = (count: number) =>
  Array.from({ length: count }, (_, index) => put(`large/${index}.bin`, noise(index, MIB)));

/** Reads the database of a closed engine. */
function blobs(directory: string): { count: number; unused: number } {
  using database = new Database(join(directory, ".cairn", "space.db"), { readonly: true });
  return database
    .query("SELECT count(*) AS count, count(*) FILTER (WHERE uses = 0) AS unused FROM blobs")
    .get() as {
    count: number;
    unused: number;
  };
}

async function blobsOf(bench: EngineBench & { readonly directory: string }) {
  await bench.engine.close();
  return blobs(bench.directory);
}

test("a large batch is complete, and each of its commits is small", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  let commits = 0;
  const onCommit = () => void (commits += 1);
  const engine = openSqliteEngine({ directory, clock: systemClock, log: silent, onCommit });
  const operations = large(4);
  await apply(engine, operations);
  // One for each content, one for the batch, and those that delete unused contents.
  expect(commits).toBeGreaterThanOrEqual(5);
  for (const [index] of operations.entries())
    expect((await engine.read(at(`large/${index}.bin`)))!.bytes).toEqual(noise(index, MIB));
  await engine.close();
  expect(blobs(directory)).toEqual({ count: 4, unused: 0 });
});

test("a refused large batch leaves no content", async () => {
  await using bench = await sqliteBench();
  await apply(bench.engine, [put("taken.md", "first")]);
  await refusal(apply(bench.engine, [...large(3), put("taken.md", "second", null)]), "stale");
  expect((await bench.engine.list()).map(({ path }) => path as string)).toEqual(["taken.md"]);
  expect(await blobsOf(bench)).toEqual({ count: 1, unused: 0 });
});

test("a refused batch does not delete content that another batch uses", async () => {
  await using bench = await sqliteBench();
  const [first, second] = large(2);
  await apply(bench.engine, [first!]);
  await refusal(apply(bench.engine, [first!, second!, put("none.md", "x", 7)]), "stale");
  expect((await bench.engine.read(at("large/0.bin")))!.bytes).toEqual(noise(0, MIB));
  expect(await blobsOf(bench)).toEqual({ count: 1, unused: 0 });
});

test("the next open deletes contents left by a crash", async () => {
  await using bench = await sqliteBench();
  await apply(bench.engine, [put("kept.md", "kept")]);
  await bench.engine.close();
  {
    using database = new Database(join(bench.directory, ".cairn", "space.db"));
    database.run(
      "INSERT INTO blobs (hash, size, uses, coding, content) VALUES ('left', 4, 0, 'raw', x'6c656674')",
    );
  }
  expect(blobs(bench.directory)).toEqual({ count: 2, unused: 1 });
  await bench.reopen();
  expect(await blobsOf(bench)).toEqual({ count: 1, unused: 0 });
});
