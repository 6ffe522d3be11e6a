// Goal: `cairn search` in a folder and against a server: what it prints, as text and as data, and what it says to a query that cannot be one.

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchAnswer } from "../../src/context/search/schema.ts";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, failure, stoppedContext, type Cairn } from "../kit/cli/cairn.ts";
import { bytes } from "../kit/store/file-engine.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onSmallDisk } from "../kit/small-disk.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { onTerminal } from "../kit/terminal/on-terminal.ts";

const COLOURED = "\u001b[35mnotes/edit.yaml\u001b[39m:1:\u001b[1;31mbudget\u001b[22;39m: \ufffd[31mred";

interface Place extends AsyncDisposable {
  readonly cairn: Cairn;
  readonly at: readonly string[];
  readonly tree: string;
}

async function folder(): Promise<Place> {
  const around = await temporaryFolder();
  const tree = join(around.path, "space");
  const space = await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps);
  await space.write("docs/plan.md", bytes("# Plan\n\nThe retry budget is three.\n"), null);
  await space.close();
  const at = ["--dir", tree];
  return { cairn: cairnAt(at), at, tree, [Symbol.asyncDispose]: () => around[Symbol.asyncDispose]() };
}

async function server(): Promise<Place> {
  const stopped = await stoppedContext("blank");
  const file = await stopped.folder.write("content", "# Plan\n\nThe retry budget is three.\n");
  await stopped.printed("file", "put", "docs/plan.md", "--from", file);
  const tree = stopped.inside("spaces", "main");
  const at = ["--server-dir", stopped.directory];
  return { cairn: stopped, at, tree, [Symbol.asyncDispose]: () => stopped[Symbol.asyncDispose]() };
}

for (const [kind, place] of Object.entries({ "a folder": folder, "a server": server }))
  test(`finds what is on disk, best first, as text and as data: ${kind}`, async () => {
    await using found = await place();
    const { at, cairn, tree } = found;
    expect(await cairn.printed("search", "budget retry")).toBe("docs/plan.md:3:The retry budget is three.\n");
    mkdirSync(join(tree, "notes"));
    writeFileSync(join(tree, "notes", "new \u202e.txt"), "refused name: budget");
    writeFileSync(join(tree, "notes", "edit.yaml"), "budget: \u001b[31mred\n\tbudget: 2\r\n");
    writeFileSync(join(tree, "docs", "plan.md"), "nothing of it\n");
    expect(await cairn.printed("search", "bud*")).toBe(
      "notes/edit.yaml:1:budget: \ufffd[31mred\nnotes/edit.yaml:2:\tbudget: 2\n",
    );
    expect(await cairn.printed("search", "-l", "budget")).toBe("notes/edit.yaml\n");
    expect(await cairn.data<SearchAnswer>("search", "--regex", "^BUDGET: .*red$", "-i")).toEqual({
      results: [
        {
          path: "notes/edit.yaml",
          score: null,
          lines: [{ line: 1, text: "budget: \u001b[31mred", ranges: [{ start: 0, end: 16 }] }],
          more_lines: false,
        },
      ],
      more: false,
    });
    expect(await cairn.printed("search", "budget", "--path", "docs")).toBe("no files match\n");
    expect(await cairn.printed("search", "budget", "--path", "bra[1].md")).toBe("no files match\n");
    expect(await cairn.data<SearchAnswer>("search", "budget", "--path", "docs/**")).toEqual({
      results: [],
      more: false,
    });
    const shown = await onTerminal([binaryPath("cairn"), "search", "budget", ...at]);
    expect(shown).toMatchObject({ exitCode: 0, text: expect.stringContaining(COLOURED) });
    for (const [args, message] of [
      [["--regex", "("], /^Error: query: not a regular expression \(.*\); the syntax is that of RE2/],
      [["a*"], /^Error: query: "a\*": write at least 2 letters before \*\n$/],
      [["x", "--path", "a?b"], /^Error: --path "a\?b": expected a path or a pattern/],
      [["x", "--limit", "0"], /^Error: --limit "0": expected an integer from 1 to \d+\n$/],
      [["x", "--lines", "21"], /^Error: --lines "21": expected an integer from 0 to 20\n$/],
    ] as const) {
      const [exitCode, said] = await cairn.refused("search", ...args);
      expect([exitCode, said]).toEqual([1, expect.stringMatching(message)]);
    }
    expect(await cairn.refused("search", "x", "--limit", "many")).toEqual(
      failure('--limit "many": expected a whole number'),
    );
  });

onSmallDisk("a full disk stops no search of a folder, with an index or without one", async (disk) => {
  const tree = join(disk.path, "space");
  const space = await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps);
  await space.write("plan.md", bytes("The retry budget is three.\n"), null);
  await space.close();
  const cairn = cairnAt(["--dir", tree]);
  const answer = "plan.md:1:The retry budget is three.\n";
  await disk.fill();
  expect(await cairn.printed("search", "budget")).toBe(answer);
  await disk.free();
  expect(await cairn.printed("search", "budget")).toBe(answer);
  await disk.fill();
  expect(await cairn.printed("search", "budget")).toBe(answer);
});
