// Reads the arguments of one command strictly before citty does, because citty silently accepts unknown flags and flags without a value.
// Valid arguments are returned in one canonical form (`--name=value … -- positionals`).

import { nounFor } from "../text/amounts.ts";
import type { ArgDef, ArgsDef } from "citty";
import { AppError } from "../error.ts";
import { commandText } from "./command-text.ts";
import { meantBy } from "./suggestion.ts";

/** Of `-U`. */
const SHORT_LENGTH = 2;

export interface Read {
  /** Flags as citty should see them. */
  flags: string[];
  positionals: string[];
  /** The names of the flags that were given. */
  seen: Set<string>;
  help: boolean;
}

/**
 * Reads the arguments of one command. Giving a flag twice is refused wherever it stands, unless it is `repeatable`. Raises `invalid` with the
 * texts that the command line promises.
 */
export function readArguments(tokens: readonly string[], args: ArgsDef): Read {
  const read = emptyRead();
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string;
    if (token === "--") {
      read.positionals.push(...tokens.slice(index + 1));
      break;
    }
    if (looksLikeFlag(token)) index += readFlag({ token, next: tokens[index + 1] }, args, read);
    else read.positionals.push(token);
  }
  return read;
}

interface Cut {
  /** The flags before the subcommand, unread. */
  readonly before: readonly string[];
  /** The first word that is no flag; undefined if there is none. */
  readonly subcommand: string | undefined;
  /** The arguments after the subcommand, unread. */
  readonly rest: readonly string[];
}

/**
 * Finds the subcommand. `args` are the flags that may stand before it. `words`: what else may have been meant by an unknown flag. Raises
 * `invalid` for an unknown flag, and for one without its value.
 */
export function cutAtSubcommand(tokens: readonly string[], args: ArgsDef, words: readonly string[]): Cut {
  const before: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (token === "--")
      return { before, subcommand: tokens[index + 1], rest: ["--", ...tokens.slice(index + 2)] };
    if (!looksLikeFlag(token)) return { before, subcommand: token, rest: tokens.slice(index + 1) };
    const used = readFlag({ token, next: tokens[index + 1] }, args, emptyRead(), words);
    before.push(...tokens.slice(index, index + 1 + used));
    index += used;
  }
  return { before, subcommand: undefined, rest: [] };
}

function emptyRead(): Read {
  return { flags: [], positionals: [], seen: new Set(), help: false };
}

/** Returns how many further tokens the flag used. */
function readFlag(
  { token, next }: { token: string; next: string | undefined },
  args: ArgsDef,
  read: Read,
  words: readonly string[] = [],
): 0 | 1 {
  const { seen } = read;
  const [written, inline] = split(token, args);
  const known = written === "--help" || written === "-h" ? helpFlag : findFlag(written, args);
  if (known === undefined)
    throw refusal(
      looksLikePath(token)
        ? `unknown flag: ${written}; put -- before a name that begins with -`
        : `unknown flag: ${written}`,
      meantBy(written, [...flagNames(args), ...words]),
    );
  const before = seen.has(known.name)
    ? read.flags.findIndex((flag) => flag.startsWith(`--${known.name}=`))
    : -1;
  if (seen.has(known.name) && !(before >= 0 && isRepeatable(known.def)))
    throw refusal(`flag given twice: ${written}`);
  seen.add(known.name);
  if (known.def.type === "boolean") {
    if (inline !== undefined) throw refusal(`flag takes no value: ${written}`);
    if (known === helpFlag) read.help = true;
    else read.flags.push(known.negated ? `--no-${known.name}` : `--${known.name}`);
    return 0;
  }
  const value = inline ?? (next === undefined || looksLikeFlag(next) ? "" : next);
  if (value === "")
    throw refusal(
      next !== undefined && looksLikePath(next)
        ? `flag needs a value: ${written}; for a value that begins with -, write ${written}=${next}`
        : `flag needs a value: ${written}`,
    );
  refuseOtherThanChoices(written, value, known.def);
  if (before >= 0) read.flags[before] += `,${value}`;
  else read.flags.push(`--${known.name}=${value}`);
  return inline === undefined ? 1 : 0;
}

/** `-` alone is a file name (standard input), and `-1` is a number. */
function looksLikeFlag(token: string): boolean {
  return token.startsWith("-") && token !== "-" && !/^-\d/.test(token);
}

/** `-notes.md`, and no flag such as `--dir=a/b`. */
function looksLikePath(token: string): boolean {
  return /^-[^=]*[./]/.test(token);
}

/** `--name=value`, and `-U3` for a short flag that takes a value. */
function split(token: string, args: ArgsDef): [written: string, inline: string | undefined] {
  const short = token.slice(0, SHORT_LENGTH);
  if (token.length > SHORT_LENGTH && takesValue(short, args)) {
    const value = token.slice(SHORT_LENGTH);
    return [short, value.startsWith("=") ? value.slice(1) : value];
  }
  const equals = token.indexOf("=");
  return equals === -1 ? [token, undefined] : [token.slice(0, equals), token.slice(equals + 1)];
}

function takesValue(short: string, args: ArgsDef): boolean {
  const known = short.startsWith("--") ? undefined : findFlag(short, args);
  return known !== undefined && known.def.type !== "boolean";
}

interface Flag {
  name: string;
  def: ArgDef;
  negated: boolean;
}

const helpFlag: Flag = { name: "help", def: { type: "boolean" }, negated: false };

function findFlag(written: string, args: ArgsDef): Flag | undefined {
  for (const [name, def] of Object.entries(args)) {
    if (spellings(name, def).includes(written)) return { name, def, negated: false };
    // Only a flag that is on by default can be turned off.
    if (def.type === "boolean" && def.default === true && written === `--no-${name}`)
      return { name, def, negated: true };
  }
  return undefined;
}

function flagNames(args: ArgsDef): string[] {
  return ["--help", ...Object.entries(args).flatMap(([name, def]) => spellings(name, def))];
}

function refuseOtherThanChoices(written: string, value: string, def: ArgDef): void {
  const choices = choicesOf(def);
  if (choices === undefined || choices.includes(value)) return;
  throw refusal(`${written}: expected one of: ${choices.join(", ")}`, meantBy(value, choices));
}

/** Makes a flag or an argument one of these words: others are refused before the command runs, and shells complete them. */
export function oneOfWords<const D extends ArgDef>(words: readonly string[], def: D): D {
  return Object.assign({ ...def }, { choices: words });
}

/** Lets a flag repeat. The command receives its values separated by commas, and users may also write them that way. */
export function repeatable<const D extends ArgDef>(def: D): D {
  return Object.assign({ ...def }, { repeatable: true });
}

export function isRepeatable(def: ArgDef): boolean {
  return "repeatable" in def;
}

/**
 * Lets a positional argument be given as a flag of its name as well: `space show main`, `space show --space main`. The command sees the same
 * argument.
 */
export function flagToo<const D extends ArgDef>(def: D): D {
  return Object.assign({ ...def }, { flagToo: true });
}

export function isFlagToo(def: ArgDef): boolean {
  return "flagToo" in def;
}

/** Undefined: anything. */
export function choicesOf(def: ArgDef): readonly string[] | undefined {
  if ("choices" in def) return def.choices as readonly string[];
  return def.type === "enum" ? def.options : undefined;
}

/** Returns the spellings of a flag: `--name` and its aliases; empty for a positional argument that is no flag too. */
export function spellings(name: string, def: ArgDef): string[] {
  if (def.type === "positional") return isFlagToo(def) ? [`--${name}`] : [];
  const aliases = "alias" in def && def.alias !== undefined ? [def.alias].flat() : [];
  return [`--${name}`, ...aliases.map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`))];
}

export interface Complete {
  /** The definitions of what was given. */
  readonly args: ArgsDef;
  readonly rawArgs: string[];
}

/**
 * Returns the arguments as citty should see them. An optional word before required ones is left out if the words do not reach for all. Raises
 * `invalid` when words or flags are missing, all of them at once, or when words are left over or none of those that may stand there. `usage` goes
 * into the details of the refusal.
 */
export function completeArguments(read: Read, args: ArgsDef, usage: string): Complete {
  const { positionals, flags, seen } = read;
  const open = Object.entries(args).filter(([name, def]) => def.type === "positional" && !seen.has(name));
  const given: ArgsDef = {};
  const missing: { words: string[]; flags: string[] } = { words: [], flags: [] };
  let next = 0;
  let required = open.filter(([, def]) => isRequired(def)).length;
  for (const [name, def] of Object.entries(args)) {
    if (def.type !== "positional" || seen.has(name)) {
      given[name] = def.type === "positional" ? { ...def, type: "string" } : def;
      if (isRequired(def) && !seen.has(name)) missing.flags.push(`--${name}`);
      continue;
    }
    if (!isRequired(def) && positionals.length - next <= required) continue;
    if (isRequired(def)) required -= 1;
    given[name] = def;
    const word = positionals[next++];
    if (word !== undefined) refuseOtherThanChoices(`<${name}>`, word, def);
    else missing.words.push(`<${name}>`);
  }
  const message = [...missed("argument", missing.words), ...missed("flag", missing.flags)].join("; ");
  if (message !== "")
    throw new AppError("invalid", message, { missing: [...missing.words, ...missing.flags], usage });
  const surplus = positionals[next];
  if (surplus !== undefined) {
    const meant = meantBySurplus(read, args, next);
    const details = meant === undefined ? { usage } : { did_you_mean: meant, usage };
    throw new AppError("invalid", `unexpected argument: ${surplus}`, details);
  }
  return { args: given, rawArgs: [...flags, "--", ...positionals] };
}

/** Of a command that takes a phrase, the words need quotes; of one that takes its subject by a flag only, the word is the subject. */
function meantBySurplus({ positionals, seen }: Read, args: ArgsDef, taken: number): string | undefined {
  const words = Object.values(args).filter(({ type }) => type === "positional");
  if (words.length === 1 && taken === 1 && "phrase" in words[0]!) return commandText([positionals.join(" ")]);
  if (words.length > 0 || positionals.length > 1) return undefined;
  const flag = Object.keys(args).find((name) => "subject" in args[name]! && !seen.has(name));
  return flag === undefined ? undefined : commandText([`--${flag}`, positionals[0]!]);
}

/** Marks the flag of what a command acts on, which people also write as a word. */
export function subject<const D extends ArgDef>(def: D): D {
  return { ...def, subject: true };
}

/** Marks a positional argument whose value often has several words. */
export function phrase<const D extends ArgDef>(def: D): D {
  return { ...def, phrase: true };
}

/** A positional argument is required unless it says otherwise, a flag only if it says so. */
export function isRequired(def: ArgDef): boolean {
  if (def.default !== undefined) return false;
  return def.type === "positional" ? def.required !== false : def.required === true;
}

function missed(noun: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`missing ${nounFor(names.length, noun)}: ${names.join(", ")}`];
}

interface Known {
  /** The words that may stand there. */
  readonly names: readonly string[];
  readonly kind?: string;
  /** Whole commands elsewhere that end with the unknown word. */
  readonly elsewhere?: readonly string[];
  /** The command that lists what may stand there. */
  readonly help: string;
}

/** Names the command that was meant; if there is none, the command that lists them all. */
export function unknownCommand(
  name: string,
  { names, kind = "command", elsewhere = [], help }: Known,
): AppError {
  const meant = meantBy(name, names, elsewhere);
  const details = meant === undefined ? { help } : { did_you_mean: meant };
  return new AppError("invalid", `unknown ${kind}: ${name}`, details);
}

function refusal(message: string, suggestion?: string): AppError {
  return new AppError(
    "invalid",
    message,
    suggestion === undefined ? undefined : { did_you_mean: suggestion },
  );
}
