// Goal: `cairn graph` prints the links of a space in a folder and of a server alike, as text, data and drawings of the same links.

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { cairnAt, failure, stoppedContext, type Cairn } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { localDeps } from "../kit/context/space-doors.ts";

const DOCUMENTS: Readonly<Record<string, string>> = {
  "README.md": "# Team\n\n[[plan]] and [[plan|again]]\n",
  "docs/a #1 ü.md": "[up](../plan.md#goals)\n\n[[nowhere]]\n",
  "docs/alone.md": "alone\n",
  "plan.md": "see ./docs/missing.md\n",
};

interface Bench extends Cairn, AsyncDisposable {
  readonly tree: string;
}

async function folderBench(): Promise<Bench> {
  const folder = await temporaryFolder();
  const tree = join(folder.path, "space");
  await (await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps)).close();
  return { ...cairnAt(["--dir", tree]), tree, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function serverBench(): Promise<Bench> {
  const server = await stoppedContext("blank");
  return Object.assign(server, { tree: server.inside("spaces", "main") });
}

function fill({ tree }: Bench): void {
  for (const [path, text] of Object.entries(DOCUMENTS)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
}

describe.each<[string, () => Promise<Bench>]>([
  ["a folder", folderBench],
  ["a server", serverBench],
])("%s", (_, open) => {
  test("prints totals, neighbours, broken links and orphans", async () => {
    await using bench = await open();
    const { printed, data, said } = bench;
    expect(await data<unknown>("graph", "--orphans")).toEqual([]);
    expect(await printed("graph", "--broken")).toBe("no broken links\n");
    expect(await printed("graph", "--orphans")).toBe("no orphans\n");
    fill(bench);
    const totals = { documents: 4, links: 5, broken: 2, orphans: 2 };
    expect(await data<object>("graph")).toMatchObject(totals);
    expect(await printed("graph")).toMatch(/^head +\S+\ndocuments +4\nlinks +5\nbroken +2\norphans +2\n$/);
    expect(await printed("graph", "plan.md")).toBe(
      `LINE  LINKS TO
1     broken: ./docs/missing.md

LINKED FROM
README.md:3
README.md:3
docs/a #1 ü.md:1
`,
    );
    expect(await data<object>("graph", "plan.md")).toEqual({
      path: "plan.md",
      out: [{ line: 1, kind: "path", target: "./docs/missing.md", to: null }],
      in: [
        { from: "README.md", line: 3, kind: "wiki", target: "plan" },
        { from: "README.md", line: 3, kind: "wiki", target: "plan" },
        { from: "docs/a #1 ü.md", line: 1, kind: "markdown", target: "../plan.md" },
      ],
    });
    expect(await printed("graph", "docs/alone.md")).toBe("no links\n\nnot linked\n");
    expect(await printed("graph", "--orphans")).toBe("docs/a #1 ü.md\ndocs/alone.md\n");
    expect(await printed("graph", "--broken")).toBe(
      `PLACE             TARGET
docs/a #1 ü.md:3  nowhere
plan.md:1         ./docs/missing.md
`,
    );
    expect(JSON.parse(await printed("graph", "--orphans", "--format", "json"))).toEqual(
      await data("graph", "--orphans"),
    );
    expect(await said("graph", "none.md")).toEqual(failure("file none.md: not found"));
  });
});

test("draws the same links for Mermaid and Graphviz", async () => {
  await using bench = await folderBench();
  fill(bench);
  const { printed } = bench;
  expect(await printed("graph", "plan.md", "--format", "mermaid")).toBe(
    `graph LR
  classDef missing stroke-dasharray: 4 4
  n0["plan.md"]
  n1["README.md"]
  n2["docs/a #35;1 ü.md"]
  n3["./docs/missing.md"]:::missing
  n1 --> n0
  n2 --> n0
  n0 -.-> n3
`,
  );
  expect(await printed("graph", "--broken", "--format", "dot")).toContain('label="docs/a #1 ü.md"');
  expect(await printed("graph", "--orphans", "--format", "mermaid")).toContain('n1["docs/alone.md"]');
  expect((await printed("graph", "--format", "dot")).match(/->/g)).toHaveLength(4);
});

test("refuses flags that contradict each other, before it opens anything", async () => {
  const { refused } = cairnAt(["--dir", "/nowhere"]);
  const one = failure("use only one of <path>, --orphans and --broken");
  expect(await refused("graph", "a.md", "--orphans")).toEqual(one);
  expect(await refused("graph", "--broken", "--orphans")).toEqual(one);
  const [exitCode, message] = await refused("graph", "--format", "mermaid", "--yaml");
  expect([exitCode, message]).toEqual([
    1,
    'error:\n  code: "invalid"\n  message: "use --format or --json and --yaml, not both"\n',
  ]);
  expect((await refused("graph", "--format", "svg"))[1]).toStartWith(
    "Error: --format: expected one of: text, ",
  );
});
