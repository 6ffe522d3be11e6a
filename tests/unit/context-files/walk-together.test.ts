// Goal: several threads find in a large tree what one finds, also if they fail, and a small tree needs none of them.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { walk } from "../../../src/context/versioned-store/sqlite/walk.ts";
import { walkTogether, type Lookers } from "../../../src/context/versioned-store/sqlite/walk-together.ts";
import { lookWorkers } from "../../../src/context/worker-pool.ts";
import { HeldRoot } from "../../../src/kit/disk/held-directory.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const LARGE = 4_600;

function fill(root: string, files: number): void {
  for (let directory = 0; directory < 3; directory += 1)
    mkdirSync(join(root, `d${directory}`, "ü"), { recursive: true });
  for (let file = 0; file < files; file += 1)
    writeFileSync(join(root, `d${file % 3}`, `${file}.md`), "x".repeat(file % 7));
  for (const name of ["e\u0301.md", "con.md", "a:b.md", "plain"])
    writeFileSync(join(root, "d0", "ü", name), name);
  symlinkSync("plain", join(root, "d0", "ü", "link.md"));
}

/** The files that one thread finds, with the numbers that a signature is made of. */
function pictureOf(entries: ReturnType<typeof walk> | Awaited<ReturnType<typeof walkTogether>>): unknown[] {
  return [...entries].map((entry) => {
    if (!("stats" in entry)) return entry;
    const { size, mtimeMs, ctimeMs, ino } = entry.stats;
    return { path: entry.path, name: entry.name, size, mtimeMs, ctimeMs, ino };
  });
}

test.each([
  ["a small tree, alone", 100, "works"],
  ["a large tree, with threads", LARGE, "works"],
  ["a large tree, with threads that fail", LARGE, "fails"],
] as const)("%s", async (_name, files, outcome) => {
  await using folder = await temporaryFolder();
  fill(folder.path, files);
  const pool = lookWorkers();
  let jobs = 0;
  const lookers: Lookers = {
    run: (job, input, options) => {
      jobs += 1;
      return outcome === "fails" ? Promise.reject(new Error("no thread")) : pool.run(job, input, options);
    },
  };
  const directories = new HeldRoot(folder.path);
  const found = await walkTogether(folder.path, directories, "", lookers);
  pool.close();
  expect(pictureOf(found)).toEqual(pictureOf(walk(folder.path, directories, "")));
  expect(jobs > 0).toBe(files === LARGE && availableParallelism() > 1);
});
