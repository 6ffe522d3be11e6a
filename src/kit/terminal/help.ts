// Renders the help of a command as plain text for a terminal of 80 columns. Lists are never cut: a description continues on the next line,
// below itself.

import type { ArgDef, ArgsDef } from "citty";
import { isFlagToo, isRequired, spellings } from "./arguments.ts";

export const HELP_COLUMNS = 80;
/** A longer label gets a line of its own. */
const LABEL_COLUMNS_MAX = 27;
const INDENT = 2;
const GAP = 2;

export interface Row {
  readonly name: string;
  readonly description: string;
}

export interface FlagSection {
  readonly title: string;
  readonly flags: ArgsDef;
}

export interface HelpPage {
  /** With those above it: `cairn user add`. */
  readonly path: string;
  readonly description: string;
  /** The command's own, in their order. */
  readonly args: ArgsDef;
  /** Empty for a command that runs. */
  readonly commands: readonly Row[];
  readonly topics: readonly Row[];
  /** The program has a command `help`. */
  readonly hasHelpCommand: boolean;
  readonly sections: readonly FlagSection[];
  readonly examples: readonly string[];
  /** The page of the manual. */
  readonly manual: string | undefined;
}

export function helpText(page: HelpPage): string {
  const { description, args, commands, topics, sections, examples, manual } = page;
  const places = Object.entries(args).filter(([, def]) => def.type === "positional");
  const blocks = [
    wrapped(description, 0),
    `USAGE\n${wrapped(usage(page), INDENT, INDENT + 2)}`,
    list("ARGUMENTS", places.map(placeRow)),
    list("COMMANDS", commands),
    ...sections.map(({ title, flags }) => list(title, flagRows(flags))),
    list("TOPICS", topics),
    examples.length === 0 ? "" : `EXAMPLES\n${examples.map(exampleLines).join("\n")}`,
    commands.length === 0 ? "" : wrapped(moreHelp(page), 0),
    manual === undefined ? "" : `Manual: ${manual}`,
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function moreHelp({ path, topics, hasHelpCommand }: HelpPage): string {
  const [root, ...group] = path.split(" ");
  if (!hasHelpCommand) return `Run ${path} <command> --help for more about a command.`;
  if (topics.length > 0) return `Run ${root} help <command> or ${root} help <topic> for more.`;
  return `Run ${root} help ${[...group, "<command>"].join(" ")} for more about a command.`;
}

/** One line: the command with all that it requires. */
export function usage({ path, args, commands }: Pick<HelpPage, "path" | "args" | "commands">): string {
  const all = Object.entries(args);
  if (commands.length > 0) return `${path} ${all.length > 0 ? "[<command>]" : "<command>"} [flags]`;
  const places = all
    .filter(([, def]) => def.type === "positional")
    .map(([name, def]) => (isRequired(def) ? `<${name}>` : `[<${name}>]`));
  const required = all
    .filter(([, def]) => def.type !== "positional" && isRequired(def))
    .map(([name, def]) => flagText(`--${name}`, name, def));
  return [path, ...places, ...required, "[flags]"].join(" ");
}

/** As `usage`, for flags that the command found `missing` although they are not always required. Undefined if they are not its flags. */
export function usageWith(page: HelpPage, missing: unknown): string | undefined {
  if (!Array.isArray(missing)) return undefined;
  const names = missing.map((flag) => String(flag).replace(/^--/, ""));
  if (!names.every((name) => Object.hasOwn(page.args, name))) return undefined;
  const required = names.map((name) => [name, { ...page.args[name], required: true }] as [string, ArgDef]);
  return usage({ ...page, args: { ...page.args, ...Object.fromEntries(required) } });
}

/** Says how a positional argument is written, and that it is a flag, too. */
export function placeRow([name, def]: [string, ArgDef]): Row {
  const also = isFlagToo(def) ? ` (or --${name} <${def.valueHint ?? name}>)` : "";
  return { name: `<${name}>`, description: `${def.description ?? ""}${also}` };
}

function flagRows(flags: ArgsDef): Row[] {
  const shown = Object.entries(flags).map(([name, def]) => {
    const [long = "", ...others] = spellings(name, def);
    const short = others.find((one) => !one.startsWith("--"));
    const same = others.filter((one) => one.startsWith("--")).map((one) => ` (or ${one})`);
    const required = isRequired(def) ? " (required)" : "";
    const description = `${def.description ?? ""}${same.join("")}${required}`;
    return { short, label: flagText(long, name, def), description };
  });
  const isIndented = shown.some(({ short }) => short !== undefined);
  return shown.map(({ short, label, description }) => ({
    name: `${short === undefined ? (isIndented ? "    " : "") : `${short}, `}${label}`,
    description,
  }));
}

function flagText(spelling: string, name: string, def: ArgDef): string {
  return def.type === "boolean" ? spelling : `${spelling} <${def.valueHint ?? name}>`;
}

function list(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const fitting = rows.map(({ name }) => name.length).filter((length) => length <= LABEL_COLUMNS_MAX);
  const column = INDENT + Math.max(0, ...fitting) + GAP;
  const lines = rows.map(({ name, description }) => {
    const label = " ".repeat(INDENT) + name;
    const text = wrapped(description, column);
    return label.length + GAP > column ? `${label}\n${text}` : label.padEnd(column) + text.slice(column);
  });
  return [title, ...lines.map((line) => line.trimEnd())].join("\n");
}

/** Breaks a text at blanks; `indent` for its first line, `next` for the others. A longer word stays whole. */
function wrapped(text: string, indent: number, next = indent): string {
  const lines: string[] = [];
  let line = " ".repeat(indent);
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > HELP_COLUMNS) {
      lines.push(line);
      line = " ".repeat(next);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}

/** A longer example continues on the next line before a flag, in a form that shells read. */
function exampleLines(example: string): string {
  const lines: string[] = [];
  let line = " ".repeat(INDENT);
  for (const [index, part] of example.split(/ (?=--[a-z])/).entries()) {
    if (index > 0 && line.length + part.length + 3 > HELP_COLUMNS) {
      lines.push(`${line} \\`);
      line = " ".repeat(INDENT + 4) + part;
    } else line += index === 0 ? part : ` ${part}`;
  }
  return [...lines, line].join("\n");
}
