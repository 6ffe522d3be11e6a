// Goal: `cairn freshness` lists what is stale with units as declared, fails on request, and validates a document without touching its other bytes.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Freshness } from "../../src/context/freshness/schema.ts";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { utcDay } from "../../src/kit/clock.ts";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { localDeps } from "../kit/context/space-doors.ts";

const frontMatter = (...lines: string[]) => ["---", ...lines, "---", "text", ""].join("\r\n");

/** The program reads the clock of the machine. A story that fails while a day in UTC ends is told again on the next one. */
async function onOneDay(story: (today: string) => Promise<void>): Promise<void> {
  const today = utcDay(Date.now());
  try {
    await story(today);
  } catch (error) {
    const next = utcDay(Date.now());
    if (next === today) throw error;
    await story(next);
  }
}

test("lists, fails on stale documents, and validates", () => onOneDay(listsAndValidates));

async function listsAndValidates(today: string): Promise<void> {
  await using folder = await temporaryFolder();
  const tree = join(folder.path, "space");
  await (await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps)).close();
  const { cairn, printed, data, said } = cairnAt(["--dir", tree]);
  expect(await printed("freshness", "check")).toBe("no document has stale-after in its front matter\n");
  expect(await printed("freshness", "check", "--fail-on-stale", "--json")).toBe("[]\n");

  const write = (path: string, text: string) => writeFileSync(join(tree, path), text);
  write("a.md", frontMatter("last-validated: 2998-01-01", "stale-after: 12w"));
  write("b.md", frontMatter("last-validated: 2020-03-31", "stale-after: 6m  # half a year", "owner: ann"));
  write("c.md", frontMatter("last-validated: 2020-01-01", "stale-after: 90d", "importance: urgent"));
  write("d.md", "---\nstale-after: 1y\nno end\n");
  write("e.md", "no front matter");
  expect(await printed("freshness", "check")).toBe(
    `STATE    PATH  STALE AFTER  VALIDATED           DUE         OWNER
stale    c.md  90d          2020-01-01          2020-03-31  —
stale    b.md  6m           2020-03-31          2020-09-30  ann
unknown  a.md  12w          2998-01-01          —           —
unknown  d.md  —            written ${today}  —           —

c.md: importance "urgent": expected high, normal or low
a.md: last-validated "2998-01-01": in the future
d.md: the front matter has no closing ---
`,
  );
  const listed = await data<Freshness[]>("freshness", "check");
  expect(listed.map(({ path, stale_after, due }) => [path, stale_after, due])).toEqual([
    ["c.md", "90d", "2020-03-31T00:00:00.000Z"],
    ["b.md", "6m", "2020-09-30T00:00:00.000Z"],
    ["a.md", "12w", null],
    ["d.md", null, null],
  ]);
  const failed = await cairn("freshness", "check", "--fail-on-stale", "--yaml");
  expect([failed.exitCode, Bun.YAML.parse(failed.stdout)]).toEqual([1, listed]);
  expect(failed.stderr).toContain('message: "2 documents are stale"\n');

  const before = readFileSync(join(tree, "b.md"), "utf8");
  expect(await printed("freshness", "validate", "b.md")).toBe(`b.md is validated as of ${today} (v2)\n`);
  expect(readFileSync(join(tree, "b.md"), "utf8")).toBe(before.replace("2020-03-31", today));
  expect(await data<object>("freshness", "validate", "b.md")).toEqual({
    path: "b.md",
    last_validated: today,
    version: 2,
    changed: false,
  });
  await printed("freshness", "validate", "c.md");
  await printed("freshness", "check", "--fail-on-stale");
  expect(await said("freshness", "validate", "d.md")).toEqual(
    failure("d.md: the front matter has no closing ---; add it first"),
  );
  expect(await said("freshness", "validate", "none.md")).toEqual(failure("file none.md: not found"));
  expect((await said("freshness", "validate"))[1]).toContain("missing argument: <path>");
}
