// Runs a tree of citty commands with the conventions of both programs: strict flags, help at every level, one error format.
// Only the named command runs. citty alone would also run its parents and print the source of a failing program.

import type { ArgDef, ArgsDef, CommandDef, CommandMeta } from "citty";
import {
  completeArguments,
  cutAtSubcommand,
  isRepeatable,
  isRequired,
  oneOfWords,
  readArguments,
  spellings,
  unknownCommand,
  type Complete,
} from "./arguments.ts";
import { isUnwritable, problemAtPlace } from "../disk/disk.ts";
import { processEnvironment, stderrTakesColor, stdoutTakesColor } from "../environment.ts";
import { AppError, messageOf } from "../error.ts";
import { fullDisk, storageReasonOf } from "../storage-error.ts";
import type { FlagSection, HelpPage, Row } from "./help.ts";
import {
  formatOf,
  printError,
  printHint,
  printText,
  printWarning,
  talkIn,
  type ErrorReport,
  type Format,
} from "./output.ts";
import { showStyles } from "./style.ts";
import { actsMeantBy, isCommonAct, isShort } from "./suggestion.ts";

// citty types a command by its own arguments; a tree holds commands of all kinds.
// oxlint-disable-next-line typescript/no-explicit-any
export type Command = CommandDef<any>;

export interface Topic {
  readonly description: string;
  readonly text: () => string | Promise<string>;
}

export interface Program {
  /** Its `meta.name` is the program's name. A command that groups others runs by itself only if it takes flags. */
  root: Command;
  /**
   * Flags that every command accepts, before or after its name. `debug` prints stacks, `quiet` silences hints, and `no-color` disables
   * colors, as the environment can too.
   */
  globals?: ArgsDef;
  /** Flags of many commands that say where a command works. They may stand before its name, and have a section of their own in its help. */
  connection?: ArgsDef;
  /** Maps a failure to an exit code; 1 for every failure unless given. */
  exitCode?: (error: unknown) => number;
  /** Lines shown at the end of a command's help, by its full name: `cairn version`. */
  examples?: Readonly<Record<string, readonly string[]>>;
  /** Pages of the manual, by full name. A page covers the commands below that name, unless they have their own. */
  manual?: Readonly<Record<string, string>>;
  /** Topics that `help` explains besides the commands. */
  topics?: Readonly<Record<string, Topic>>;
  /** The group whose commands another program has at its top, such as `ls` and `log` of a version control. */
  everyday?: string;
  /** There are no other commands than those of the tree, not even `help`. `--help` works everywhere. */
  closed?: boolean;
}

/** A command that is loaded when it runs. `description` is its own, known ahead so that the help of the group loads nothing. */
export function later(description: string, load: () => Promise<Command>): Command {
  return Object.assign(load, { description }) as Command;
}

const VERSION: ArgDef = { type: "boolean", alias: "v", description: "Print the version" };
const HELP: ArgsDef = { help: { type: "boolean", alias: "h", description: "Show this help" } };
const HELP_COMMAND = "help";
/** Commands have flags of these names. */
const VERSION_FLAGS: ReadonlySet<string> = new Set(["--version", "-v"]);
const EXIT_OK = 0;
const EXIT_FAILURE = 1;

/** Runs the command that `argv` names, and returns the exit code; never throws. */
export async function runProgram(program: Program, argv: readonly string[]): Promise<number> {
  const given = (flag: string) => program.globals?.[flag] !== undefined && flagsOf(argv).has(`--${flag}`);
  const environment = processEnvironment();
  const isColored = !given("no-color");
  talkIn({
    quiet: given("quiet"),
    color: isColored && stderrTakesColor(environment),
  });
  showStyles(isColored && stdoutTakesColor(environment));
  try {
    await dispatch(program, argv);
    return EXIT_OK;
  } catch (thrown) {
    const error = explained(thrown);
    await report(error, given);
    return program.exitCode?.(error) ?? EXIT_FAILURE;
  }
}

/** Determined before parsing, so that an invalid command line is refused in the requested format. */
function flagsOf(argv: readonly string[]): ReadonlySet<string> {
  const end = argv.indexOf("--");
  return new Set(end < 0 ? argv : argv.slice(0, end));
}

async function dispatch(program: Program, argv: readonly string[]): Promise<void> {
  const globals = program.globals ?? {};
  const early: ArgsDef = { ...globals, ...program.connection };
  const path = [await nameOf(program.root)];
  const before: string[] = [];
  let command = program.root;
  let tokens = withVersionCommand(argv);
  for (;;) {
    const children = await subcommandsOf(command);
    const own = await argsOf(command);
    if (children === undefined) return start(program, command, path, [...before, ...tokens]);
    const names = Object.keys(children);
    const cut = cutAtSubcommand(tokens, { ...early, ...own }, names);
    before.push(...cut.before);
    if (cut.subcommand === undefined) {
      if (command.args !== undefined) return start(program, command, path, before);
      readArguments(before, early);
      return printText(await helpOf(program, command, path));
    }
    if (command === program.root && cut.subcommand === HELP_COMMAND && !program.closed)
      return explain(program, [...before, ...cut.rest]);
    if (!Object.hasOwn(children, cut.subcommand))
      throw await unknownAt(program, path, cut.subcommand, program.closed ? names : [...names, HELP_COMMAND]);
    command = await resolved(children[cut.subcommand] as Command);
    path.push(cut.subcommand);
    tokens = cut.rest;
  }
}

async function start(
  program: Program,
  command: Command,
  path: readonly string[],
  tokens: readonly string[],
): Promise<void> {
  const args: ArgsDef = { ...program.globals, ...(await argsOf(command)) };
  const read = readArguments(tokens, args);
  if (read.help) return printText(await helpOf(program, command, path));
  const { usage, usageWith } = await import("./help.ts");
  const page = await pageOf(program, command, path);
  try {
    await execute(command, completeArguments(read, args, usage(page)));
  } catch (error) {
    if (!(error instanceof AppError) || error.details?.usage !== undefined) throw error;
    const line = usageWith(page, error.details?.missing);
    throw line === undefined
      ? error
      : new AppError(error.code, error.message, { ...error.details, usage: line });
  }
}

/** Turns `--version` before any word into the command. */
function withVersionCommand(argv: readonly string[]): readonly string[] {
  const first = argv.findIndex((token) => !token.startsWith("-"));
  const at = argv.slice(0, first < 0 ? argv.length : first).findIndex((token) => VERSION_FLAGS.has(token));
  return at < 0 ? argv : argv.with(at, "version");
}

/** `help`, `help <command>…`, `help <topic>`. */
async function explain(program: Program, tokens: readonly string[]): Promise<void> {
  const { positionals, help } = readArguments(tokens, { ...program.globals, ...program.connection });
  const root = await nameOf(program.root);
  if (help || positionals[0] === HELP_COMMAND)
    return printText(await helpOf(program, await helpCommand(program), [root, HELP_COMMAND]));
  const topic = positionals.length === 1 ? program.topics?.[positionals[0]!] : undefined;
  const { command, path, rest } = await commandAt(program, positionals);
  // A word may be both, such as `sync`.
  const pages = [
    ...(rest.length === 0 ? [await helpOf(program, command, path)] : []),
    ...(topic ? [await topic.text()] : []),
  ];
  if (pages.length > 0) return printText(pages.map((page) => page.trimEnd()).join("\n\n"));
  const known = Object.keys((await subcommandsOf(command)) ?? {});
  if (path.length > 1) throw await unknownAt(program, path, rest[0]!, known);
  const names = [...known, ...Object.keys(program.topics ?? {})];
  const elsewhere = await commandsNear(program, path, rest[0]!);
  throw unknownCommand(rest[0]!, { names, kind: "command or topic", elsewhere, help: `${root} --help` });
}

/** The refusal of a word that is no command below `path`. */
async function unknownAt(
  program: Program,
  path: readonly string[],
  word: string,
  names: readonly string[],
): Promise<AppError> {
  const elsewhere = await commandsNear(program, path, word);
  return unknownCommand(word, { names, elsewhere, help: `${path.join(" ")} --help` });
}

/**
 * Returns the whole commands that end with this word, from the smallest group around `path` that has one. The whole program is such a group, too,
 * but of a common act it has only what belongs to no other group.
 */
async function commandsNear(program: Program, path: readonly string[], word: string): Promise<string[]> {
  for (let length = path.length; length > 1; length--) {
    const group = path.slice(0, length);
    const { command } = await commandAt(program, group.slice(1));
    const found = await commandsNamed(word, command, group);
    if (found.length > 0) return found;
  }
  const root = path.slice(0, 1);
  if (path.length === 1 || !isCommonAct(word)) {
    const found = await commandsNamed(word, program.root, root);
    return isShort(found) ? found : everydayCommands(program, path, word);
  }
  return Object.hasOwn((await subcommandsOf(program.root)) ?? {}, word) ? [`${root[0]} ${word}`] : [];
}

/** Returns the everyday commands that mean the same as the word at the top, or that have the name of the group around it: `history plan.md`. */
async function everydayCommands(program: Program, path: readonly string[], word: string): Promise<string[]> {
  const [root, group] = path;
  if (program.everyday === undefined || group === program.everyday || path.length > 2) return [];
  const { command } = await commandAt(program, [program.everyday]);
  const names = Object.keys((await subcommandsOf(command)) ?? {});
  const meant = group === undefined ? actsMeantBy(word, names) : names.filter((name) => name === group);
  return meant.map((name) => `${root} ${program.everyday} ${name}`);
}

/** Returns the whole commands that end with this word. Groups are there; nothing is loaded. */
async function commandsNamed(word: string, command: Command, path: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [name, child] of Object.entries((await subcommandsOf(command)) ?? {})) {
    const below = [...path, name];
    if (name === word) found.push(below.join(" "));
    else if (typeof child === "object") found.push(...(await commandsNamed(word, child as Command, below)));
  }
  return found;
}

/** Follows the words down the tree as far as they name commands. */
async function commandAt(program: Program, words: readonly string[]) {
  const path = [await nameOf(program.root)];
  let command = program.root;
  for (const [index, word] of words.entries()) {
    const children = (await subcommandsOf(command)) ?? {};
    if (!Object.hasOwn(children, word)) return { command, path, rest: words.slice(index) };
    command = await resolved(children[word] as Command);
    path.push(word);
  }
  return { command, path, rest: [] };
}

/** Not in the tree of the program, since it needs the whole of it. */
async function helpCommand(program: Program): Promise<Command> {
  const names = [
    ...Object.keys((await subcommandsOf(program.root)) ?? {}),
    ...Object.keys(program.topics ?? {}),
  ];
  const description = "The command, word by word, or a topic";
  const args = { command: oneOfWords(names, { type: "positional", required: false, description }) } as const;
  const about = program.topics === undefined ? "a command" : "a command or a topic";
  return { meta: { name: HELP_COMMAND, description: `Show the help of ${about}` }, args };
}

/** Holds the words that a shell can offer after a command, and the text of its page. */
export interface CommandNode {
  /** Including its parents: `cairn user add`. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly CommandNode[];
  readonly flags: ArgsDef;
  /** In their order. */
  readonly positionals: readonly ArgDef[];
  /** The same as `--help`. */
  readonly page: HelpPage;
}

/** Returns the whole tree, from the table that also runs the commands. Loads every command. */
export async function commandTree(program: Program): Promise<CommandNode> {
  const node = async (command: Command, path: readonly string[]): Promise<CommandNode> => {
    const children = Object.entries((await subcommandsOf(command)) ?? {});
    if (path.length === 1 && !program.closed) children.push([HELP_COMMAND, await helpCommand(program)]);
    const page = await pageOf(program, command, path);
    // They may stand before the command.
    const early = path.length === 1 ? program.connection : {};
    const all = Object.entries<ArgDef>({ ...early, ...page.args, ...program.globals, ...HELP });
    const below: CommandNode[] = [];
    for (const [name, child] of children)
      below.push(await node(await resolved(child as Command), [...path, name]));
    return {
      path: path.join(" "),
      description: page.description,
      children: below,
      flags: Object.fromEntries(all.filter(([name, def]) => spellings(name, def).length > 0)),
      positionals: all.filter(([, def]) => def.type === "positional").map(([, def]) => def),
      page,
    };
  };
  return node(program.root, [await nameOf(program.root)]);
}

async function execute(command: Command, { args, rawArgs }: Complete): Promise<void> {
  const { runCommand } = await import("citty");
  const { subCommands: _, ...alone } = command;
  await runCommand({ ...alone, args }, { rawArgs });
}

/** In citty, each part may be a value, a promise, or a function that returns either. */
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

async function helpOf(program: Program, command: Command, path: readonly string[]): Promise<string> {
  const { helpText } = await import("./help.ts");
  return helpText(await pageOf(program, command, path));
}

async function pageOf(program: Program, command: Command, path: readonly string[]): Promise<HelpPage> {
  const children = await subcommandsOf(command);
  const isRoot = path.length === 1;
  const args = await argsOf(command);
  const commands: Row[] = [];
  for (const [name, child] of Object.entries(children ?? {}))
    commands.push({ name, description: await descriptionOf(child as Command) });
  if (isRoot && !program.closed)
    commands.push({ name: HELP_COMMAND, description: await descriptionOf(await helpCommand(program)) });
  const full = path.join(" ");
  return {
    path: full,
    description: await descriptionOf(command),
    args,
    commands,
    topics: isRoot ? topicRows(program) : [],
    hasHelpCommand: !program.closed,
    sections: flagSections(program, args, isRoot ? { version: VERSION } : {}),
    examples: program.examples?.[full] ?? [],
    manual: manualOf(program, path),
  };
}

function topicRows({ topics = {} }: Program): Row[] {
  return Object.entries(topics).map(([name, { description }]) => ({ name, description }));
}

/** With fewer of them, a command has flags of these names for something else. */
const CONNECTION_FLAGS_MIN = 3;

function flagSections(
  { connection = {}, globals = {} }: Program,
  args: ArgsDef,
  extra: ArgsDef,
): FlagSection[] {
  const own = Object.entries(args).filter(([, def]) => def.type !== "positional");
  const shared = own.filter(
    ([name, def]) => Object.hasOwn(connection, name) && !isRequired(def) && !isRepeatable(def),
  );
  const isConnection = (entry: [string, ArgDef]) =>
    shared.length >= CONNECTION_FLAGS_MIN && shared.includes(entry);
  return [
    { title: "FLAGS", flags: Object.fromEntries(own.filter((entry) => !isConnection(entry))) },
    { title: "CONNECTION FLAGS", flags: Object.fromEntries(own.filter(isConnection)) },
    { title: "GLOBAL FLAGS", flags: { ...globals, ...extra, ...HELP } },
  ].filter(({ flags }) => Object.keys(flags).length > 0);
}

function manualOf({ manual = {} }: Program, path: readonly string[]): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const page = manual[path.slice(0, length).join(" ")];
    if (page !== undefined) return page;
  }
  return undefined;
}

async function descriptionOf(part: Command & { readonly description?: string }): Promise<string> {
  if (part.description !== undefined) return part.description;
  const command = await resolved(part);
  return (await resolved<CommandMeta | undefined>(command.meta))?.description ?? "";
}

async function report(error: unknown, given: (flag: string) => boolean): Promise<void> {
  const format: Format =
    given("json") && given("yaml") ? "text" : formatOf({ json: given("json"), yaml: given("yaml") });
  const stack = given("debug") && error instanceof Error ? error.stack : undefined;
  await printError({ ...describe(error), ...(stack === undefined ? {} : { stack }) }, format);
  if (!(error instanceof AppError) || format !== "text") return;
  const { did_you_mean: suggestion, help, usage } = error.details ?? {};
  if (suggestion !== undefined) await printHint(`did you mean ${suggestion}?`);
  if (help !== undefined) await printHint(`${help} lists the commands`);
  if (usage !== undefined) await printWarning(`usage: ${usage}`);
}

/** Reports any error but an AppError as a defect, in one line; `--debug` adds the stack. */
function describe(error: unknown): ErrorReport {
  if (!(error instanceof AppError))
    return { code: "internal", message: `unexpected failure: ${messageOf(error)}` };
  const { code, message, details } = error;
  return details === undefined ? { code, message } : { code, message, details };
}

/** Returns the AppError for a disk that is full, or a file or directory that this user may not use; any other error unchanged. */
function explained(error: unknown): unknown {
  const shown = error instanceof AppError ? undefined : problemOf(error);
  // `--debug` shows where the error came from, not where it was explained.
  if (shown && error instanceof Error && error.stack !== undefined) shown.stack = error.stack;
  return shown ?? error;
}

function problemOf(error: unknown): AppError | undefined {
  const { path } = error as { readonly path?: unknown };
  const place = typeof path === "string" ? path : undefined;
  if (storageReasonOf(error) === "full") return fullDisk(place);
  if (!isUnwritable(error) || place === undefined) return undefined;
  const remedy = "run the command as the owner, or give yourself access";
  return new AppError("refused", `${problemAtPlace(error)}; ${remedy}`);
}
