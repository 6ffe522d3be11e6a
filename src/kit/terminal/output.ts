// Formats all output of commands. Data goes to stdout, as text, JSON or YAML of the same value; hints go to stderr. Every write is awaited,
// so that the program may exit immediately afterwards. All text passes `visible`, because names, paths and messages come from others; JSON,
// YAML and bytes are exact.

import { appendFileSync } from "node:fs";
import type { ConsolaInstance } from "consola";
import { problemWithoutPlace } from "../disk/disk.ts";
import { AppError, systemCode, type ErrorDetails } from "../error.ts";
import { descriptorKind } from "../environment.ts";
import { painted } from "./style.ts";
import { visible } from "../text/visible.ts";
import { yamlOf } from "./yaml.ts";

const STDOUT = 1;
const STDERR = 2;

export type Format = "text" | "json" | "yaml";

/** From the flags `--json` and `--yaml`; raises `invalid` when both are given. */
export function formatOf(flags: Readonly<Record<string, unknown>>): Format {
  if (flags.json === true && flags.yaml === true)
    throw new AppError("invalid", "use --json or --yaml, not both");
  if (flags.json === true) return "json";
  return flags.yaml === true ? "yaml" : "text";
}

/** `human` renders the same value as JSON and YAML, so that the three cannot disagree. */
export async function printData<T>(value: T, format: Format, human: (value: T) => string): Promise<void> {
  await writeTo(STDOUT, format === "text" ? textOnStdout(human(value)) : render(value, format, human));
}

export async function printText(text: string): Promise<void> {
  await writeTo(STDOUT, textOnStdout(text));
}

/** Returns what `printText` would write, for a pager. */
export function textOnStdout(text: string): string {
  // With the line feed, so that a carriage return before it is part of a line end.
  return painted(`${text}\n`, visible);
}

export interface ErrorReport {
  message: string;
  code: string;
  details?: ErrorDetails;
  /** The stack, for `--debug` only. */
  stack?: string;
}

/** Prints `Error: <message>` for people, or the same facts as data. Always on stderr. */
export async function printError(report: ErrorReport, format: Format): Promise<void> {
  await writeTo(
    STDERR,
    render({ error: report }, format, ({ error }) =>
      visible([`Error: ${error.message}`, ...(error.stack === undefined ? [] : [error.stack])].join("\n")),
    ),
  );
}

interface Manner {
  /** Prints only data and errors. */
  readonly quiet: boolean;
  /** Colors hints on a terminal. */
  readonly color: boolean;
}

let manner: Manner = { quiet: false, color: false };

/** Sets how this program prints hints from now on. Data and errors are never colored. */
export function talkIn(wanted: Manner): void {
  if (manner.color !== wanted.color) talking = undefined;
  manner = wanted;
}

/** Prints a hint for people on stderr, unless --quiet is set. */
export async function printWarning(text: string): Promise<void> {
  if (manner.quiet) return;
  await writeTo(STDERR, `${visible(text)}\n`);
}

/** Flush buffered log lines at this many. */
const LOG_CHARACTERS_MAX = 64 * 1024;
/** The longest time that log lines are buffered. */
const LOG_WAIT_MS = 10;
let logLines = "";

/**
 * Writes a server's log to stderr. Buffers lines for a few milliseconds: a server logs every answer, and a system call per line would be a third
 * of its work. The buffer is flushed before any other output and at exit; only a SIGKILL loses it.
 */
export function logWriter(): (line: string) => void {
  process.on("exit", writeLog);
  return (line) => {
    if (logLines === "") setTimeout(writeLog, LOG_WAIT_MS);
    logLines += line;
    if (logLines.length >= LOG_CHARACTERS_MAX) writeLog();
  };
}

function writeLog(): void {
  const lines = logLines;
  logLines = "";
  if (lines === "") return;
  if (descriptorKind(STDERR) === "file") appendLog(lines);
  else process.stderr.write(lines);
}

function appendLog(lines: string): void {
  try {
    appendFileSync(STDERR, lines);
  } catch {
    // A disk that is full loses lines of the log, and stops nothing.
  }
}

const CLEAR_LINE = "\r\u001b[2K";

/** Shows the progress of long work in place of the previous text. Only on a terminal; an empty text clears it. */
export function printProgress(text: string): void {
  if (manner.quiet) return;
  process.stderr.write(CLEAR_LINE + visible(text));
}

/** Writes bytes unchanged, for content that goes to a file or a pipe. */
export async function printBytes(bytes: Uint8Array): Promise<void> {
  await writeTo(STDOUT, bytes);
}

function render<T>(value: T, format: Format, human: (value: T) => string): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (format === "yaml") return yamlOf(value);
  return `${human(value)}\n`;
}

/** A closed pipe (`… | head`) is not an error. */
async function writeTo(descriptor: typeof STDOUT | typeof STDERR, text: string | Uint8Array): Promise<void> {
  writeLog();
  try {
    await written(descriptor, text);
  } catch (error) {
    if (systemCode(error) !== "EPIPE") throw descriptor === STDOUT ? outputError(error) : error;
  }
}

/** A full disk behind `> file`, above all. */
function outputError(error: unknown): unknown {
  if (systemCode(error) === undefined) return error;
  return new AppError(
    "unavailable",
    `cannot write to standard output: ${problemWithoutPlace(error)}; the output is incomplete, but the command has run: changes that it made remain`,
  );
}

/** Leaves out the runtime's streams where they can be left out: loading their classes takes 13 ms of each command. */
async function written(
  descriptor: typeof STDOUT | typeof STDERR,
  text: string | Uint8Array,
): Promise<unknown> {
  const kind = descriptorKind(descriptor);
  // At its end, wherever that is; `Bun.write` would write at its start.
  if (kind === "file") return appendFileSync(descriptor, text);
  // The log goes to stderr by a stream: two ways into one pipe could mix.
  if (kind === "pipe" && descriptor === STDOUT) return Bun.write(Bun.stdout, text);
  const stream = descriptor === STDOUT ? process.stdout : process.stderr;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.write(text, (error) => (error ? reject(error) : resolve()));
  return promise;
}

let talking: ConsolaInstance | undefined;

/** Prints a hint on stderr, unless --quiet is set. */
export async function printHint(text: string): Promise<void> {
  if (!manner.quiet) (await talk()).info(visible(text));
}

/** Prints the commands that come next on stderr, in text output only and not with --quiet. */
export async function printNext(commands: readonly string[], format: Format): Promise<void> {
  if (format === "text") await printHint(["next:", ...commands.map((command) => `  ${command}`)].join("\n"));
}

/** Loaded lazily: most commands print only data. */
async function talk(): Promise<ConsolaInstance> {
  if (talking !== undefined) return talking;
  const { LogLevels, createConsola } = await import("consola");
  // By default, Consola writes `info` and `log` to stdout, and hides them in CI.
  const options = {
    level: LogLevels.info,
    stdout: process.stderr,
    stderr: process.stderr,
    // By default, Consola checks the other stream for a terminal, and prints the time.
    fancy: manner.color,
    formatOptions: { colors: manner.color, date: false },
  };
  talking = createConsola(options);
  return talking;
}
