// Goal: a list of a large space that is as its versions say comes without a look at each file, and shows any edit, by hand or by another command.

import { expect, spyOn, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tree } from "../../../src/context/versioned-store/sqlite/tree.ts";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { lookWorkers } from "../../../src/context/worker-pool.ts";
import { atEnd } from "../../kit/at-end.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { until } from "../../kit/eventually.ts";
import { silent } from "../../kit/silent.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const FILES = 1_020;
const PER_BATCH = 510;
const pathOf = (number: number) => parseDocumentPath("path", `d${number % 10}/${number}.md`);
const text = (content: string) => new TextEncoder().encode(content);

test.skipIf(process.platform !== "linux")("a list tells edits from files that are as they were", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  const lookers = lookWorkers();
  using looks = spyOn(Tree.prototype, "entries");
  const using = async <T>(work: (engine: ReturnType<typeof openSqliteEngine>) => Promise<T>) => {
    const engine = openSqliteEngine({ directory, clock: systemClock, log: silent, lookers });
    await using _ = atEnd(() => engine.close());
    return await work(engine);
  };
  /** As another command sees it: how often it looked at each file, and what it found. */
  const listed = () =>
    using(async (engine) => {
      looks.mockClear();
      const files = await engine.list({ deleted: true });
      const odd = files.filter(({ state }) => state !== "live").map(({ path, state }) => `${path} ${state}`);
      return [looks.mock.calls.length, files.length, odd];
    });
  await using(async (engine) => {
    for (let from = 0; from < FILES; from += PER_BATCH) {
      const operations = Array.from({ length: PER_BATCH }, (_, index) => ({
        op: "put" as const,
        path: pathOf(from + index),
        content: text(`${from + index}`),
      }));
      await engine.apply({ operations, author: "ann" });
    }
    // Until no edit could leave the same times.
    await until(() => engine.glance());
  });
  const settled = () => using(async (engine) => void (await until(() => engine.glance())));
  expect([await listed(), await listed()]).toEqual([
    [1, FILES, []],
    [0, FILES, []],
  ]);
  const at = (number: number) => join(directory, pathOf(number));
  appendFileSync(at(1), "more");
  writeFileSync(at(2), "x".repeat(readFileSync(at(2)).length));
  rmSync(at(3));
  renameSync(at(4), join(directory, "moved.md"));
  const odd = [
    "d1/1.md modified",
    "d2/2.md modified",
    "d3/3.md missing",
    "d4/4.md missing",
    "moved.md untracked",
  ];
  expect(await listed()).toEqual([1, FILES + 1, odd]);
  await settled();
  expect(await listed()).toEqual([1, FILES + 1, odd]);
  await using(async (engine) => {
    for (const number of [1, 2]) writeFileSync(at(number), `${number}`);
    rmSync(join(directory, "moved.md"));
    const operations = [3, 4].map((number) => ({ op: "delete" as const, path: pathOf(number) }));
    await engine.apply({ operations, author: "ann" });
    await until(() => engine.glance());
  });
  const deleted = ["d3/3.md deleted", "d4/4.md deleted"];
  expect([await listed(), await listed()]).toEqual([
    [1, FILES, deleted],
    [0, FILES, deleted],
  ]);
  // The log has moved on, although the files are as they were.
  await using(async (engine) => {
    await engine.apply({ operations: [{ op: "put", path: pathOf(5), content: text("5") }], author: "bob" });
    await until(() => engine.glance());
  });
  expect((await listed())[0]).toBe(1);
  const mark = join(directory, ".cairn", "unedited.cache");
  expect(existsSync(mark)).toBe(true);
  writeFileSync(mark, "damaged");
  expect(await listed()).toEqual([1, FILES, deleted]);
  lookers.close();
});
