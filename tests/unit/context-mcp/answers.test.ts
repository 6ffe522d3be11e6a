// Goal: no answer of many parts outgrows what a model can take, and a list that was cut can be continued to its end.

import { expect, test } from "bun:test";
import { documentTools } from "../../../src/context/mcp/document-tools.ts";
import { linkTools } from "../../../src/context/mcp/link-tools.ts";
import { searchTool } from "../../../src/context/mcp/search-tool.ts";
import type { SpaceDoor } from "../../../src/context/space/door.ts";

const CHARACTERS_MAX = 100_000;
/** A note, a path and a heading more. */
const SLACK = 2_500;
const COUNT = 600;

const path = (index: number) => `${`${index}`.padStart(4, "0")}-${"x".repeat(1_000)}.md`;
const all = Array.from({ length: COUNT }, (_, index) => path(index));

/** A space of long names, in which everything links to the first document. */
const space = {
  list: async () => all.map((one) => ({ path: one, version: 1, size: 1, state: "live" })),
  search: async () => ({
    results: all.map((one) => ({
      path: one,
      score: 1,
      lines: [{ line: 1, text: "y".repeat(300), ranges: [] }],
      more_lines: true,
    })),
    more: false,
  }),
  graph: async ({ path: asked, only }: { path?: string; only?: string } = {}) => {
    if (asked !== undefined)
      return {
        path: asked,
        links: all.map((from) => ({ from, line: 1, kind: "wiki", target: asked, to: asked })),
      };
    return only === "ranks"
      ? { ranks: all.map((one) => ({ path: one, rank: 1 / COUNT })) }
      : { totals: { documents: COUNT, links: COUNT, broken: 0, orphans: 0 } };
  },
} as unknown as SpaceDoor;

const tools = new Map([...documentTools, searchTool, ...linkTools].map((tool) => [tool.name, tool]));
const answer = (name: string, input: Record<string, unknown>) => tools.get(name)!.prepare(input)(space);

test.each([
  ["list", { limit: 1_000 }, /\[1 to \d+ of 600 documents; continue with offset: \d+\]$/],
  ["search", { query: "y", limit: 200 }, /\[more documents match; narrow the query, or lower lines\]$/],
  ["map", { limit: 1_000 }, /\[\d+ more; raise limit, or look into a directory with list\]$/],
  ["neighbours", { path: path(0) }, /\[\d+ more links are not shown\]$/],
])("%s is bounded, and says that it was cut", async (name, input, last) => {
  const text = await answer(name, input);
  expect(text.length).toBeLessThan(CHARACTERS_MAX * (name === "neighbours" ? 2 : 1) + SLACK);
  expect(text).toMatch(last);
});

test("a list that was cut can be continued to its end", async () => {
  const found: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const lines = (await answer("list", { limit: 1_000, offset })).split("\n");
    const next = /continue with offset: (\d+)\]$/.exec(lines.at(-1)!);
    found.push(...lines.filter((line) => line.includes("\t")).map((line) => line.split("\t")[0]!));
    offset = next ? Number(next[1]) : undefined;
  }
  expect(found).toEqual(all);
});
