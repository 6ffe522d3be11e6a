// Goal: folders are made with those above them, private, and those that are there stay.

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../../src/kit/disk/make-folders.ts";
import { pictureOf, temporaryFolder } from "../../kit/folder.ts";

test("a folder and those above it", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a/b/c");
  await makeFolders(path);
  expect(statSync(path).isDirectory()).toBe(true);
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o700);
  const before = pictureOf(folder.path);
  await makeFolders(path);
  expect(pictureOf(folder.path)).toEqual(before);
});
