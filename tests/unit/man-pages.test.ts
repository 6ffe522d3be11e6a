// Goal: the man pages have every command with its flags and examples, are the same for the same version, and no reader of them complains.

import { expect, test } from "bun:test";
import { manPages } from "../../release/man.ts";
import { program } from "../../src/cli/main.ts";
import { spellings } from "../../src/kit/terminal/arguments.ts";
import { commandTree, type CommandNode } from "../../src/kit/terminal/cli.ts";
import { temporaryFolder } from "../kit/folder.ts";

const withBelow = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(withBelow)];
const pages = await manPages("1.2.3");
const root = await commandTree(program);

test("there is one page for the program, and one for each command of the first level", () => {
  expect(pages.map(({ name }) => name)).toEqual([
    "cairn.1",
    ...root.children.map(({ path }) => `${path.replaceAll(" ", "-")}.1`),
  ]);
});

test("each command has its flags and examples on the page of its group", () => {
  const plain = new Map(
    pages.map(({ name, text }) => [name, text.replaceAll("\\-", "-").replaceAll(/\\f[BIR]/g, "")]),
  );
  for (const node of withBelow(root).slice(1)) {
    const text = plain.get(`${node.path.split(" ").slice(0, 2).join("-")}.1`)!;
    const wanted = [
      node.path,
      ...Object.entries(node.flags).flatMap(([name, def]) => spellings(name, def)),
      ...node.page.examples.map((line) =>
        line.replaceAll("\\", "\\e").replaceAll("'", "\\(aq").replaceAll("~", "\\(ti"),
      ),
    ];
    expect([node.path, wanted.filter((one) => !text.includes(one))]).toEqual([node.path, []]);
  }
});

test("the same version gives the same pages, without a date", async () => {
  expect(await manPages("1.2.3")).toEqual(pages);
  expect(pages[0]!.text).toStartWith('.TH CAIRN 1 "" "cairn 1.2.3" "Cairn"\n');
});

test.skipIf(Bun.which("groff") === null)("groff has no complaint, and shows what was meant", async () => {
  await using folder = await temporaryFolder();
  const files = await Promise.all(pages.map(({ name, text }) => folder.write(name, text)));
  const child = Bun.spawnSync(["groff", "-man", "-Tascii", "-ww", "-z", ...files]);
  expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
  const shown = Bun.spawnSync(["groff", "-man", "-Tascii", "-P-c", "-P-bou", files[0]!]).stdout.toString();
  expect(shown).toContain("--no-color");
  expect(shown).toContain("Network, credentials".toLowerCase());
});
