// Formats all output of commands. Data goes to stdout, as text, JSON or YAML of the same value; hints go to stderr. Every write is awaited,
// so that the program may exit immediately afterwards. All text passes `visible`, because names, paths and messages come from others; JSON,
// YAML and bytes are exact.

import type { ConsolaInstance } from "consola";
import { AppError, type ErrorDetails } from "./error.ts";
import { painted } from "./style.ts";
import { visible } from "./visible.ts";

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
  await writeTo(
    process.stdout,
    render(value, format, (shown) => painted(human(shown), manner.styles, visible)),
  );
}

export async function printText(text: string): Promise<void> {
  await writeTo(process.stdout, textOnStdout(text));
}

/** Returns what `printText` would write, for a pager. */
export function textOnStdout(text: string): string {
  return `${painted(text, manner.styles, visible)}\n`;
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
    process.stderr,
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
  /** Styles in the text of data (`styled`), where a terminal shows them. */
  readonly styles: boolean;
}

let manner: Manner = { quiet: false, color: false, styles: false };

/** Sets how this program prints hints from now on. Data and errors are never colored. */
export function talkIn(wanted: Manner): void {
  if (manner.color !== wanted.color) talking = undefined;
  manner = wanted;
}

/** Prints a hint for people on stderr, unless --quiet is set. */
export async function printWarning(text: string): Promise<void> {
  if (manner.quiet) return;
  await writeTo(process.stderr, `${visible(text)}\n`);
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
  if (lines !== "") process.stderr.write(lines);
}

const CLEAR_LINE = "\r\u001b[2K";

/** Shows the progress of long work in place of the previous text. Only on a terminal; an empty text clears it. */
export function printProgress(text: string): void {
  if (manner.quiet) return;
  process.stderr.write(CLEAR_LINE + visible(text));
}

/** Writes bytes unchanged, for content that goes to a file or a pipe. */
export async function printBytes(bytes: Uint8Array): Promise<void> {
  await writeTo(process.stdout, bytes);
}

function render<T>(value: T, format: Format, human: (value: T) => string): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (format === "yaml") return `${Bun.YAML.stringify(value, null, 2).trimEnd()}\n`;
  return `${human(value)}\n`;
}

/** A closed pipe (`… | head`) is not an error. */
function writeTo(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  writeLog();
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: (Error & { code?: string }) | null) => {
      if (error === undefined || error === null || error.code === "EPIPE") resolve();
      else reject(error);
    });
  });
}

let talking: ConsolaInstance | undefined;

/** Prints a hint on stderr, unless --quiet is set. */
export async function printHint(text: string): Promise<void> {
  if (!manner.quiet) (await talk()).info(visible(text));
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
