// The man pages of `cairn`, from the tree that runs the commands: cairn(1), and one page for each command of the first level. In roff with the
// macros of man(7), which every system reads. `man.ts [folder]` writes them, by default to dist/man.

import { mkdir } from "node:fs/promises";
import type { CommandNode } from "../src/kit/terminal/cli.ts";
import type { HelpPage } from "../src/kit/terminal/help.ts";
import { ROOT, readManifest } from "./step.ts";

export interface ManPage {
  /** `cairn-file.1` */
  readonly name: string;
  readonly text: string;
}

type Flag = Readonly<Record<string, unknown>> & { readonly description?: string };

/** The same version gives the same pages. */
export async function manPages(version: string): Promise<ManPage[]> {
  // Not before they are needed: scripts start before packages are installed.
  const [{ program }, { commandTree }, { usage }, { isRequired, spellings }] = await Promise.all([
    import("../src/cli/main.ts"),
    import("../src/kit/terminal/cli.ts"),
    import("../src/kit/terminal/help.ts"),
    import("../src/kit/terminal/arguments.ts"),
  ]);
  const root = await commandTree(program);
  const topics = await Promise.all(
    Object.entries(program.topics ?? {}).map(async ([name, topic]) => ({ name, text: await topic.text() })),
  );

  const flag = ([name, def]: [string, Flag]) => {
    const value = def["type"] === "boolean" ? "" : ` \\fI${escaped(String(def["valueHint"] ?? name))}\\fR`;
    const names = spellings(name, def)
      .toReversed()
      .map((one) => `\\fB${escaped(one)}\\fR`);
    const required = isRequired(def) ? " (required)" : "";
    return [".TP", `${names.join(", ")}${value}`, line(`${def.description ?? ""}${required}`)];
  };
  const flags = (sections: HelpPage["sections"], level: ".SH" | ".SS") =>
    sections.flatMap((section) => [
      `${level} ${section.title}`,
      ...Object.entries(section.flags).flatMap(flag),
    ]);
  const places = ({ args }: HelpPage) =>
    Object.entries(args as Record<string, Flag>)
      .filter(([, def]) => def["type"] === "positional")
      .flatMap(([name, def]) => [".TP", `\\fI${escaped(name)}\\fR`, line(def.description ?? "")]);
  const examples = (lines: readonly string[]) =>
    lines.length === 0 ? [] : [".EX", ...lines.map(line), ".EE"];

  /** A command inside the page of its group. */
  const described = (node: CommandNode): string[] => [
    `.SS ${escaped(node.path)}`,
    line(node.description),
    ".PP",
    `\\fB${escaped(usage(node.page))}\\fR`,
    ...places(node.page),
    ...Object.values(ownFlags(node.page)).flatMap((section) => Object.entries(section).flatMap(flag)),
    ".PP",
    ...examples(node.page.examples),
    ...node.children.flatMap(described),
  ];
  const page = (node: CommandNode, body: readonly string[]): ManPage => {
    const name = node.path.replaceAll(" ", "-");
    const head = [
      `.TH ${escaped(name.toUpperCase())} 1 "" "cairn ${escaped(version)}" "Cairn"`,
      ".SH NAME",
      `${escaped(name)} \\- ${escaped(node.description)}`,
      ".SH SYNOPSIS",
      `\\fB${escaped(usage(node.page))}\\fR`,
    ];
    return { name: `${name}.1`, text: `${[...head, ...body].join("\n")}\n` };
  };
  const others = root.children
    .map(({ path }) => `\\fB${escaped(path.replaceAll(" ", "-"))}\\fR(1)`)
    .join(",\n");
  const main = page(root, [
    ".SH COMMANDS",
    ...root.children.flatMap(({ path, description }) => [
      ".TP",
      `\\fB${escaped(path)}\\fR`,
      line(description),
    ]),
    ...flags(root.page.sections, ".SH"),
    ".SH EXAMPLES",
    ...examples(root.page.examples),
    ...topics.flatMap(({ name, text }) => [
      `.SH ${escaped(name.toUpperCase())}`,
      ".EX",
      ...text.trimEnd().split("\n").slice(2).map(line),
      ".EE",
    ]),
    ".SH SEE ALSO",
    others,
  ]);
  const rest = root.children.map((node) =>
    page(node, [
      ".SH DESCRIPTION",
      line(node.description),
      ...places(node.page),
      ...node.children.flatMap(described),
      ...flags(node.page.sections, ".SH"),
      ".SH EXAMPLES",
      ...examples(node.page.examples),
      ".SH SEE ALSO",
      "\\fBcairn\\fR(1)",
    ]),
  );
  return [main, ...rest];
}

/** Without those that every command has, which the page of the group lists. */
function ownFlags({ sections }: HelpPage): Record<string, Flag>[] {
  return sections
    .filter(({ title }) => title !== "GLOBAL FLAGS")
    .map(({ flags }) => flags as Record<string, Flag>);
}

/** A line of text: a control character of roff at its start is none. */
function line(text: string): string {
  const safe = escaped(text);
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replaceAll("…", "...")
    .replaceAll("—", "\\(em");
}

if (import.meta.main) {
  const folder = process.argv[2] ?? `${ROOT}/dist/man`;
  await mkdir(folder, { recursive: true });
  const { version } = await readManifest();
  for (const { name, text } of await manPages(version)) await Bun.write(`${folder}/${name}`, text);
}
