// Runs a tree of citty commands with the manners that both programs share: strict flags, help at every level, one form of error.
// Only the command that was named runs. citty alone would also run its parents and print the source of a failing program.

import type { ArgDef, ArgsDef, CommandDef, CommandMeta } from "citty";
import { checkComplete, readArguments, unknownCommand } from "./arguments.ts";
import { processEnvironment, stderrTakesColor } from "./environment.ts";
import { AppError, messageOf } from "./error.ts";
import {
  formatOf,
  printError,
  printHint,
  printText,
  talkIn,
  type ErrorReport,
  type Format,
} from "./output.ts";

// citty types a command by its own arguments; a tree holds commands of all kinds.
// oxlint-disable-next-line typescript/no-explicit-any
export type Command = CommandDef<any>;

export interface Program {
  /** Its `meta.name` is the program's name. A command that groups others runs by itself only if it takes flags. */
  root: Command;
  /**
   * Flags that every command accepts, before or after its name. Among them `debug` switches stacks on, `quiet` talk off, and `no-color`
   * colours, which are off as well where the environment says so.
   */
  globals?: ArgsDef;
  /** Maps a failure to an exit code; 1 for every failure unless given. */
  exitCode?: (error: unknown) => number;
  /** Lines shown at the end of a command's help, by its full name: `cairn version`. */
  examples?: Readonly<Record<string, readonly string[]>>;
}

const HELP: ArgsDef = { help: { type: "boolean", alias: "h", description: "Show this help" } };
const EXIT_OK = 0;
const EXIT_FAILURE = 1;

/** Runs the command that `argv` names, and returns the exit code; never throws. */
export async function runProgram(program: Program, argv: readonly string[]): Promise<number> {
  const given = (flag: string) => program.globals?.[flag] !== undefined && flagsOf(argv).has(`--${flag}`);
  talkIn({ quiet: given("quiet"), color: stderrTakesColor(processEnvironment()) && !given("no-color") });
  try {
    await dispatch(program, argv);
    return EXIT_OK;
  } catch (error) {
    await report(error, given);
    return program.exitCode?.(error) ?? EXIT_FAILURE;
  }
}

/** Known before anything is read, so that a command line that can't be read is refused in the form that it asks for. */
function flagsOf(argv: readonly string[]): ReadonlySet<string> {
  const end = argv.indexOf("--");
  return new Set(end < 0 ? argv : argv.slice(0, end));
}

async function dispatch(program: Program, argv: readonly string[]): Promise<void> {
  const globals = program.globals ?? {};
  const seen = new Set<string>();
  const flags: string[] = [];
  const path = [await nameOf(program.root)];
  let command = program.root;
  let tokens = argv;
  for (;;) {
    const children = await subcommandsOf(command);
    const own = await argsOf(command);
    const args: ArgsDef = { ...globals, ...own };
    const read = readArguments(tokens, args, children !== undefined, seen, Object.keys(children ?? {}));
    flags.push(...read.flags);
    const name = children === undefined ? undefined : (read.subcommand ?? read.positionals[0]);
    if (children === undefined || name === undefined) {
      const isGroup = children !== undefined && command.args === undefined;
      if (isGroup || seen.has("help")) return printText(await helpText(program, command, path));
      checkComplete(read, args, seen);
      return execute(command, args, [...flags, "--", ...read.positionals]);
    }
    if (read.subcommand === undefined || !Object.hasOwn(children, name))
      throw unknownCommand(name, Object.keys(children));
    command = await resolved(children[name] as Command);
    await refuseOtherFlags(Object.keys(own), seen, command);
    path.push(name);
    tokens = read.rest;
  }
}

/** A flag of the level above that stands before a subcommand must be one of its own. */
async function refuseOtherFlags(
  own: readonly string[],
  seen: ReadonlySet<string>,
  command: Command,
): Promise<void> {
  const given = own.filter((name) => seen.has(name));
  if (given.length === 0) return;
  const known = await argsOf(command);
  const other = given.find((name) => !Object.hasOwn(known, name));
  if (other !== undefined) throw new AppError("invalid", `unknown flag: --${other}`);
}

/** The words that a shell can offer after a command. */
export interface CommandNode {
  /** With those above it: `cairn user add`. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly CommandNode[];
  readonly flags: ArgsDef;
  /** In their order. */
  readonly positionals: readonly ArgDef[];
}

/** The whole tree, from the very table that runs the commands; loads each of them. */
export async function commandTree(program: Program): Promise<CommandNode> {
  const node = async (command: Command, path: readonly string[]): Promise<CommandNode> => {
    const children = await subcommandsOf(command);
    const args = await argsOf(command);
    const isPositional = ([, def]: [string, ArgDef]) => def.type === "positional";
    const all = Object.entries<ArgDef>({ ...args, ...program.globals, ...HELP });
    const below: CommandNode[] = [];
    for (const [name, child] of Object.entries(children ?? {}))
      below.push(await node(await resolved(child as Command), [...path, name]));
    return {
      path: path.join(" "),
      description: (await resolved<CommandMeta | undefined>(command.meta))?.description ?? "",
      children: below,
      flags: Object.fromEntries(all.filter((entry) => !isPositional(entry))),
      positionals: all.filter(isPositional).map(([, def]) => def),
    };
  };
  return node(program.root, [await nameOf(program.root)]);
}

async function execute(command: Command, args: ArgsDef, rawArgs: string[]): Promise<void> {
  const { runCommand } = await import("citty");
  const { subCommands: _, ...alone } = command;
  await runCommand({ ...alone, args }, { rawArgs });
}

/** citty lets each part be a value, a promise or a function of either. */
async function resolved<T>(part: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof part === "function" ? (part as () => T | Promise<T>)() : part;
}

async function argsOf(command: Command): Promise<ArgsDef> {
  return (await resolved<ArgsDef | undefined>(command.args)) ?? {};
}

async function subcommandsOf(command: Command): Promise<Record<string, unknown> | undefined> {
  return resolved<Record<string, unknown> | undefined>(command.subCommands);
}

async function nameOf(command: Command): Promise<string> {
  return (await resolved<CommandMeta | undefined>(command.meta))?.name ?? "";
}

/** citty's own text, without colours, for the whole path, with what every command has: `--help` and the global flags. */
async function helpText(program: Program, command: Command, path: readonly string[]): Promise<string> {
  const { renderUsage } = await import("citty");
  const name = path.join(" ");
  const args: ArgsDef = { ...(await argsOf(command)), ...program.globals, ...HELP };
  const meta = { ...(await resolved<CommandMeta | undefined>(command.meta)), name };
  const usage = Bun.stripANSI(await renderUsage({ ...command, meta, args })).trimEnd();
  const examples = program.examples?.[name] ?? [];
  const lines = examples.length === 0 ? [] : ["", "EXAMPLES", "", ...examples.map((line) => `  ${line}`)];
  return [usage, ...lines].map((line) => line.replace(/[ \t]+$/gm, "")).join("\n");
}

async function report(error: unknown, given: (flag: string) => boolean): Promise<void> {
  const format: Format =
    given("json") && given("yaml") ? "text" : formatOf({ json: given("json"), yaml: given("yaml") });
  const stack = given("debug") && error instanceof Error ? error.stack : undefined;
  await printError({ ...describe(error), ...(stack === undefined ? {} : { stack }) }, format);
  const suggestion = error instanceof AppError ? error.details?.did_you_mean : undefined;
  if (suggestion !== undefined && format === "text") await printHint(`did you mean ${suggestion}?`);
}

/** Anything but an AppError is a defect of ours: one line says so, the stack is for `--debug`. */
function describe(error: unknown): ErrorReport {
  if (!(error instanceof AppError))
    return { code: "internal", message: `unexpected failure: ${messageOf(error)}` };
  const { code, message, details } = error;
  return details === undefined ? { code, message } : { code, message, details };
}
