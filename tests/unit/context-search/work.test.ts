// Goal: an index that lost its database, or was never complete, contains every file again, whatever it is asked to follow. Without
// room on the disk, a command searches all the same, and a server says what to do.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathsIn } from "../../../src/context/search/jobs.ts";
import { findCandidates } from "../../../src/context/search/work.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { onSmallDisk } from "../../kit/small-disk.ts";

test("following changes is enough only once the whole tree is in the index", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  mkdirSync(join(directory, ".cairn"));
  for (const name of ["a.md", "b.md"]) writeFileSync(join(directory, name), "word");
  const find = async (...changed: string[]) => {
    const databases = join(directory, ".cairn");
    const input = {
      directory,
      databases,
      whole: false,
      inTurns: true,
      changed,
      expression: '"word"',
      limit: 10,
    };
    const { isCurrent, look, candidates } = await findCandidates(input);
    return [isCurrent, look?.files, pathsIn(candidates.paths)];
  };
  expect(await find("a.md")).toEqual([true, 2, ["a.md", "b.md"]]);
  writeFileSync(join(directory, "c.md"), "word");
  writeFileSync(join(directory, "d.md"), "word");
  rmSync(join(directory, "a.md"));
  expect(await find("a.md", "c.md", "never.md")).toEqual([true, undefined, ["b.md", "c.md"]]);
  rmSync(join(directory, ".cairn", "search.db"));
  rmSync(join(directory, ".cairn"), { recursive: true });
  await refusal(find(), "unavailable", "the text index cannot be used (ENOENT)");
  mkdirSync(join(directory, ".cairn"));
  expect(await find()).toEqual([true, 3, ["b.md", "c.md", "d.md"]]);
});

onSmallDisk(
  "without room for the index, a command has one in memory, and a server names a search that needs none",
  async (disk) => {
    const directory = disk.path;
    const databases = join(directory, ".cairn");
    mkdirSync(databases);
    writeFileSync(join(directory, "a.md"), "word");
    await disk.fill();
    const input = { directory, databases, whole: false, changed: [], expression: '"word"', limit: 10 };
    const { isCurrent, candidates } = await findCandidates({ ...input, inTurns: false });
    expect([isCurrent, pathsIn(candidates.paths)]).toEqual([true, ["a.md"]]);
    await refusal(
      findCandidates({ ...input, inTurns: true }),
      "unavailable",
      /, or search by a regular expression, which needs no index$/,
    );
  },
);
