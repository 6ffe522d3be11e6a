// Writes the man pages of `cairn`, from the tree that runs the commands: cairn(1), and one page for each command of the first level.
// `man.ts [folder]` writes them, by default to dist/man.

import { mkdir } from "node:fs/promises";
import type { CommandNode } from "../src/kit/terminal/cli.ts";
import { groupPage, rootPage, type Command, type Flag, type ManPage } from "./man-page.ts";
import { ROOT, readManifest } from "./step.ts";

type Definition = Readonly<Record<string, unknown>> & { readonly description?: string };

/** The same version gives the same pages. */
export async function manPages(version: string): Promise<ManPage[]> {
  // Not before they are needed: scripts start before packages are installed.
  const [{ program }, { commandTree }, describe] = await Promise.all([
    import("../src/cli/main.ts"),
    import("../src/kit/terminal/cli.ts"),
    commandReader(),
  ]);
  const root = describe(await commandTree(program));
  const topics = await Promise.all(
    Object.entries(program.topics ?? {}).map(async ([name, topic]) => ({ name, text: await topic.text() })),
  );
  return [rootPage(root, topics, version), ...root.children.map((group) => groupPage(group, version))];
}

/** Returns a function that reads a command, with those below it, as a page shows it. */
async function commandReader(): Promise<(node: CommandNode) => Command> {
  const [{ placeRow, usage }, { isRequired, spellings }] = await Promise.all([
    import("../src/kit/terminal/help.ts"),
    import("../src/kit/terminal/arguments.ts"),
  ]);
  const flagOf = ([name, def]: [string, Definition]): Flag => ({
    names: spellings(name, def).toReversed(),
    value: def["type"] === "boolean" ? "" : String(def["valueHint"] ?? name),
    description: `${def.description ?? ""}${isRequired(def) ? " (required)" : ""}`,
  });
  const read = ({ path, description, page, children }: CommandNode): Command => ({
    path,
    description,
    usage: usage(page),
    positionals: Object.entries(page.args)
      .filter(([, def]) => def.type === "positional")
      .map(([name, def]) => ({ name, description: placeRow([name, def]).description })),
    sections: page.sections.map(({ title, flags }) => ({
      title,
      flags: Object.entries(flags as Record<string, Definition>).map(flagOf),
    })),
    examples: page.examples,
    children: children.map(read),
  });
  return read;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? `${ROOT}/dist/man`;
  await mkdir(folder, { recursive: true });
  const { version } = await readManifest();
  for (const { name, text } of await manPages(version)) await Bun.write(`${folder}/${name}`, text);
}
