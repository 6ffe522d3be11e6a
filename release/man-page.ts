// One man page, in roff with the macros of man(7), which every system reads. Knows commands as data; release/man.ts reads them.

export interface ManPage {
  /** `cairn-file.1` */
  readonly name: string;
  readonly text: string;
}

export interface Command {
  readonly path: string;
  readonly description: string;
  readonly usage: string;
  readonly positionals: readonly Positional[];
  readonly sections: readonly { readonly title: string; readonly flags: readonly Flag[] }[];
  readonly examples: readonly string[];
  readonly children: readonly Command[];
}

interface Positional {
  readonly name: string;
  readonly description: string;
}

export interface Flag {
  /** With their dashes. */
  readonly names: readonly string[];
  /** Empty for a switch. */
  readonly value: string;
  readonly description: string;
}

interface Topic {
  readonly name: string;
  readonly text: string;
}

/** The page of the program: its commands, the flags of all of them, and the topics of its help. */
export function rootPage(root: Command, topics: readonly Topic[], version: string): ManPage {
  return pageOf(root, version, [
    ".SH COMMANDS",
    ...root.children.flatMap(({ path, description }) => [".TP", bold(path), line(description)]),
    ...flagSections(root),
    ".SH EXAMPLES",
    ...examples(root.examples),
    ...topics.flatMap(({ name, text }) => [
      `.SH ${escaped(name.toUpperCase())}`,
      ".EX",
      ...text.trimEnd().split("\n").slice(2).map(line),
      ".EE",
    ]),
    ".SH SEE ALSO",
    root.children.map((group) => `${bold(pageName(group))}(1)`).join(",\n"),
  ]);
}

/** The page of a command of the first level, with the commands below it. */
export function groupPage(group: Command, version: string): ManPage {
  return pageOf(group, version, [
    ".SH DESCRIPTION",
    line(group.description),
    ...group.positionals.flatMap(positional),
    ...group.children.flatMap(commandSection),
    ...flagSections(group),
    ".SH EXAMPLES",
    ...examples(group.examples),
    ".SH SEE ALSO",
    `${bold("cairn")}(1)`,
  ]);
}

function pageOf(command: Command, version: string, body: readonly string[]): ManPage {
  const name = pageName(command);
  const head = [
    `.TH ${escaped(name.toUpperCase())} 1 "" "cairn ${escaped(version)}" "Cairn"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(command.description)}`,
    ".SH SYNOPSIS",
    bold(command.usage),
  ];
  return { name: `${name}.1`, text: `${[...head, ...body].join("\n")}\n` };
}

function pageName({ path }: Command): string {
  return path.replaceAll(" ", "-");
}

/** A command inside the page of its group, which lists the flags that every command has. */
function commandSection(command: Command): string[] {
  const own = command.sections.filter(({ title }) => title !== "GLOBAL FLAGS");
  return [
    `.SS ${escaped(command.path)}`,
    line(command.description),
    ".PP",
    bold(command.usage),
    ...command.positionals.flatMap(positional),
    ...own.flatMap(({ flags }) => flags.flatMap(flag)),
    ".PP",
    ...examples(command.examples),
    ...command.children.flatMap(commandSection),
  ];
}

function flagSections({ sections }: Command): string[] {
  return sections.flatMap(({ title, flags }) => [`.SH ${title}`, ...flags.flatMap(flag)]);
}

function flag({ names, value, description }: Flag): string[] {
  const named = names.map(bold).join(", ");
  return [".TP", value === "" ? named : `${named} ${italic(value)}`, line(description)];
}

function positional({ name, description }: Positional): string[] {
  return [".TP", italic(name), line(description)];
}

function examples(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [".EX", ...lines.map(line), ".EE"];
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
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
