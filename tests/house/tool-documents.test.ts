// Goal: docs/mcp.md, docs/ai-tools.md and docs/terminal-ui.md list the tools, the integrations and the keys that there are, and a topic of the help the variables.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { descriptorsOf } from "../../src/context/integrations/descriptors.ts";
import { documentTools, writingTools } from "../../src/context/mcp/document-tools.ts";
import { linkTools } from "../../src/context/mcp/link-tools.ts";
import { searchTool } from "../../src/context/mcp/search-tool.ts";
import { codeFiles } from "./source.ts";

const pageOf = (name: string) => Bun.file(join(ROOT, "docs", name)).text();
const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map(cellsOf);
const wordsOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

test("docs/mcp.md has every tool with its arguments", async () => {
  const tools = [...documentTools, searchTool, ...linkTools, ...writingTools];
  expect(
    rowsOf(await pageOf("mcp.md")).map(([name, input]) => [wordsOf(name!)[0], wordsOf(input!).toSorted()]),
  ).toEqual(tools.map(({ name, input }) => [name, Object.keys(input.properties).toSorted()]));
});

test("docs/ai-tools.md has every AI tool with how it is connected, and says which have settings for all projects", async () => {
  const page = await pageOf("ai-tools.md");
  const all = descriptorsOf(undefined);
  expect(
    rowsOf(page)
      .filter(([id]) => all.some((one) => `\`${one.id}\`` === id))
      .map(([id, tool, how, target]) => [wordsOf(id!)[0], tool, how, wordsOf(target!)[0]]),
  ).toEqual(all.map(({ id, tool, how, target }) => [id, tool, how, target]));
  const named = /`--user` exists for ([^.]+)\./.exec(page)![1]!.split(/, | and /);
  expect(named.toSorted()).toEqual(
    all
      .filter(({ userTarget }) => userTarget !== undefined)
      .map(({ tool }) => tool)
      .toSorted(),
  );
});

test("docs/terminal-ui.md has every key", async () => {
  const [page, files] = await Promise.all([pageOf("terminal-ui.md"), codeFiles()]);
  const pressed = files
    .filter(({ path }) => path.startsWith("src/context/tui/"))
    .flatMap(({ text }) => [...text.matchAll(/\{\s*key: "([^"]+)",\s*does:/g)])
    .flatMap(([, keys]) => keys!.split(" "))
    .filter((key) => key !== "Click");
  expect(new Set(pressed).size).toBeGreaterThan(20);
  const tables = page.split("\n").filter((line) => line.startsWith("|"));
  const named = new Set(
    tables.flatMap((line) =>
      cellsOf(line)
        .join(" ")
        .split(/[\s`,;]+/),
    ),
  );
  expect([...new Set(pressed)].filter((key) => !named.has(key))).toEqual([]);
});

/** Variables that the system sets for every program. */
const OF_THE_SYSTEM = [
  "HOME",
  "KUBERNETES_SERVICE_HOST",
  "PATH",
  "TEMP",
  "TERM",
  "TMP",
  "USERPROFILE",
  "WSL_DISTRO_NAME",
];

test("cairn help environment names every variable that cairn reads", async () => {
  const topic = await Bun.file(join(ROOT, "embed/topics/environment.txt")).text();
  const read = (await codeFiles())
    .filter(({ path }) => /^src\/(?:cli|context|kit)\//.test(path))
    .flatMap(({ text }) =>
      [...text.matchAll(/\benvironment(?:\.|\[")([A-Z_]+)\b/g)].map(([, name]) => name!),
    );
  const named = new Set(topic.match(/\b[A-Z_]{4,}\b/g));
  const missing = [...new Set(read)].filter((name) => !named.has(name) && !OF_THE_SYSTEM.includes(name));
  expect(read).toContain("SERVICE_TOKEN");
  expect(missing).toEqual([]);
});
