// Goal: an index compares every file only if something in the tree looks different, and finds an edit that leaves size and time as they were.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openIndex, type IndexStore } from "../../../src/context/search/index-store.ts";
import { bring, differences } from "../../../src/context/search/tree-index.ts";
import { until } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";

test("a tree that looks the same is not compared file by file", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  const file = join(directory, "a.md");
  mkdirSync(join(directory, ".cairn"));
  for (const name of ["a.md", "b.md"]) writeFileSync(join(directory, name), "one");
  using store = openIndex(join(directory, ".cairn"));
  const brought = async () => {
    const found = await differences(directory, store);
    bring(store, directory, found, () => false);
    return found.stale.map(({ path }) => path);
  };
  expect((await brought()).toSorted()).toEqual(["a.md", "b.md"]);
  // The files may still change within the same tick of the clock, so the first looks prove nothing.
  await until(async () => (await brought()).length === 0 && store.fingerprint());
  const blind: IndexStore = {
    ...store,
    known: () => {
      throw new Error("compared every file");
    },
  };
  expect(await differences(directory, blind)).toEqual({ stale: [], gone: [], files: 2 });
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "two");
  utimesSync(file, atime, mtime);
  expect(await brought()).toEqual(["a.md"]);
  rmSync(file);
  expect((await differences(directory, store)).gone).toHaveLength(1);
});
