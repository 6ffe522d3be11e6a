// Goal: a reader always finds a file that others replace, however often.

import { expect, test } from "bun:test";
import { RootDirectory } from "../../../src/kit/disk/paths-disk.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { temporaryFolder } from "../../kit/folder.ts";

/** Replaces the file `a.txt` of its directory until it is killed. */
const REPLACER = `
  import { renameSync, writeFileSync } from "node:fs";
  for (;;) { writeFileSync("t", "whole"); renameSync("t", "a.txt"); }
`;
const LOOKS_MIN = 3_000;
/** Times of the file: the other process has begun to replace it. */
const TIMES_MIN = 10;

test("opens a file that another process replaces all the time", async () => {
  await using folder = await temporaryFolder();
  await folder.write("a.txt", "whole");
  await using replacer = Bun.spawn([process.execPath, "-e", REPLACER], {
    cwd: folder.path,
    stderr: "inherit",
  });
  const root = new RootDirectory(folder.path);
  const seen = new Set<number>();
  for (let look = 0; look < LOOKS_MIN || seen.size <= TIMES_MIN; look += 1) {
    await using file = await root.open(parseDocumentPath("path", "a.txt"));
    expect(file.size).toBe(5);
    seen.add(file.modified);
  }
  replacer.kill();
});
