// Goal: a tree that was just looked at is not looked at again, unless its workspace had no files in the meantime: then nothing is remembered of it.

import { expect, test } from "bun:test";
import { FileLooks } from "../../../src/service/search/file-looks.ts";
import type { Look, LookInput } from "../../../src/service/search/jobs.ts";
import { searchStore } from "../../../src/service/search/store.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { Background } from "../../../src/kit/concurrency/background.ts";
import type { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { testDatabase } from "../../kit/database.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { silent } from "../../kit/silent.ts";

const EMPTY: Look = { paths: "", sizes: new Float64Array(), modified: new Float64Array() };

test("forgets when it looked at the files of a workspace that has none any more", async () => {
  await using at = await testDatabase(migrations);
  const background = new Background(silent);
  const looked: string[] = [];
  const run = async (_: unknown, { directory }: LookInput) => {
    looked.push(directory);
    return EMPTY;
  };
  let present: number[] = [];
  const looks = new FileLooks({
    db: at.db,
    store: searchStore(at.db),
    workers: { run } as unknown as WorkerPool,
    background,
    clock: manualClock(),
    log: silent,
    directoryOf: String,
    withFiles: async () => present,
  });
  const lookedAt = async (...ids: number[]) => {
    present = ids;
    looked.length = 0;
    looks.look();
    await background.ended();
    return [...looked];
  };
  expect(await lookedAt(1, 2)).toEqual(["1", "2"]);
  expect(await lookedAt(1, 2)).toEqual([]);
  expect(await lookedAt(2)).toEqual([]);
  expect(await lookedAt(1, 2)).toEqual(["1"]);
});
