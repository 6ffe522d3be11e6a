// Goal: whoever creates a space from a template gets pages whose links resolve, whose front matter is read, and an index that lists them all;
// the index of any space stays one text for the same documents and adds no links of its own.

import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path/posix";
import { INDEX_PATH, indexText, titleOf } from "../../../src/context/spaces/space-index.ts";
import { templateFiles, templateNames, templateSummary } from "../../../src/context/spaces/templates.ts";
import { frontMatterOf } from "../../../src/context/versioned-store/front-matter.ts";
import { linksOf } from "../../../src/context/versioned-store/links.ts";
import { pathProblem } from "../../../src/kit/text/paths.ts";

const SEEDED = [
  "context-entry.md",
  "decisions.md",
  "identity/me.md",
  "projects/example/project.md",
  "space-index.md",
  "team/principles.md",
  "team/skill-map.md",
];
/** The front matter that the server knows. */
const KNOWN = { owner: /./, importance: /^(?:high|normal|low)$/, "stale-after": /^[1-9]\d*[dwm]$/ };

test("the templates are those of the manual, and each says in one sentence whom it is for", () => {
  expect(templateNames).toEqual(["solo", "team", "product", "blank"]);
  for (const name of templateNames) expect(templateSummary(name)).toMatch(/^[A-Z].*\.$/);
  expect(templateFiles("solo").map(({ path }) => path)).toEqual(SEEDED);
  expect(templateFiles("blank")).toEqual([]);
  expect(() => templateFiles("constructor")).toThrow("template: expected one of solo, team, product, blank");
});

describe.each(templateNames.filter((name) => name !== "blank"))("template %s", (name) => {
  const files = templateFiles(name);
  const paths = new Set(files.map(({ path }) => path));

  test("has the pages that every space starts with, under names that every system takes", () => {
    expect(SEEDED.filter((path) => !paths.has(path))).toEqual([]);
    expect([...paths].filter((path) => pathProblem(path) !== undefined)).toEqual([]);
  });

  test("links only to its own pages, and reaches all of them from the first", () => {
    const targets = (path: string, content: string) =>
      linksOf(content).map(({ target }) => normalize(join(dirname(path), target)));
    const broken = files.flatMap(({ path, content }) =>
      targets(path, content).flatMap((target) => (paths.has(target) ? [] : [`${path} → ${target}`])),
    );
    expect(broken).toEqual([]);
    const reached = new Set(["context-entry.md"]);
    for (const path of reached)
      for (const target of targets(path, files.find((file) => file.path === path)!.content))
        reached.add(target);
    expect([...paths].filter((path) => !reached.has(path))).toEqual([]);
  });

  test("has one title on each page, a short text, and front matter of known fields only", () => {
    for (const { path, content } of files) {
      expect([path, titleOf(content) === undefined]).toEqual([path, false]);
      expect([path, content.length < 2_000, content.endsWith("\n")]).toEqual([path, true, true]);
      const fields = Object.entries(frontMatterOf(content) ?? {});
      expect([path, content.startsWith("---"), fields.length > 0]).toEqual([
        path,
        fields.length > 0,
        fields.length > 0,
      ]);
      for (const [key, value] of fields)
        expect([path, key, KNOWN[key as keyof typeof KNOWN]?.test(String(value))]).toEqual([path, key, true]);
    }
  });
});

describe("the index", () => {
  test("lists documents by folder with their titles, in one order, without itself and without links", () => {
    const documents = [
      { path: "b/z.md", title: "Read [this](a.md), [[that]] and x/y.md" },
      { path: INDEX_PATH, title: "Index" },
      { path: "b/a`b.md", title: "`code` <b>\u202e" },
      { path: "a.md", title: undefined },
    ];
    const text = indexText(documents);
    expect(text.split("\n").slice(8)).toEqual([
      "## Top folder",
      "",
      "- `a.md`",
      "",
      "## `b/`",
      "",
      "- `` b/a`b.md ``: code b�",
      "- `b/z.md`: Read this(a.md), that and x / y.md",
      "",
    ]);
    expect(linksOf(text)).toEqual([]);
    expect(indexText(documents.toReversed())).toBe(text);
  });

  test("cuts a long title between characters", () => {
    for (const start of [119, 239])
      expect(indexText([{ path: "a.md", title: `${"x".repeat(start)}👍 end` }])).toContain(
        `- \`a.md\`: ${"x".repeat(Math.min(start, 120))}…\n`,
      );
  });

  test("is bounded, and says how many pages it leaves out", () => {
    const documents = Array.from({ length: 2_003 }, (_, index) => ({ path: `${index}.md`, title: "x" }));
    expect(indexText(documents)).toEndWith(
      "\n3 more pages are not listed; `cairn file list` shows all of them.\n",
    );
  });

  test.each([
    ["# Title #\n", "Title"],
    ["---\n# no: title\n---\n\n## Second level", "Second level"],
    ["```\n# code\n```\ntext\n# Real", "Real"],
    ["text only", undefined],
    ["", undefined],
    [`${"\n".repeat(300)}# late`, undefined],
  ])("takes the title of %j", (text, title) => {
    expect(titleOf(text)).toBe(title);
  });
});
