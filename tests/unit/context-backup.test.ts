// Goal: every backup that is made in a directory has a name of its own, and the newest one is listed first.

import { expect, test } from "bun:test";
import { basename } from "node:path";
import { writeFileSync } from "node:fs";
import { Shelf } from "../../src/kit/backup/shelf.ts";
import { targetPath } from "../../src/kit/backup/target.ts";
import { temporaryFolder } from "../kit/folder.ts";

test("several backups of one second are numbered, in their order", async () => {
  await using folder = await temporaryFolder();
  const shelf = new Shelf(folder.path, "cairn");
  const made: string[] = [];
  for (const time of [0, 0, 0, 1000]) {
    const file = targetPath(folder.path, (isTaken) => shelf.nameAt(time, isTaken), import.meta.dir);
    writeFileSync(file, "");
    made.push(basename(file));
  }
  expect(made).toEqual([
    "cairn-backup-19700101T000000Z.tar.zst",
    "cairn-backup-19700101T000000Z-2.tar.zst",
    "cairn-backup-19700101T000000Z-3.tar.zst",
    "cairn-backup-19700101T000001Z.tar.zst",
  ]);
  const { archives } = await shelf.archives();
  expect(archives.map(({ file }) => basename(file))).toEqual(made.toReversed());
});
