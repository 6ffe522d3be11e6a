// The one place that formats what a command says. Data goes to stdout, as text, JSON or YAML of the same value; talk goes to stderr.
// Every write is awaited to its end, so that a program may exit right afterwards. All text passes `visible`, as names, paths and messages in
// it come from others; JSON, YAML and bytes are exact.

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

/** `human` renders the very value that JSON and YAML show, so that the three cannot disagree. */
export async function printData<T>(value: T, format: Format, human: (value: T) => string): Promise<void> {
  await writeTo(
    process.stdout,
    render(value, format, (shown) => painted(human(shown), manner.styles, visible)),
  );
}

export async function printText(text: string): Promise<void> {
  await writeTo(process.stdout, `${painted(text, manner.styles, visible)}\n`);
}

export interface ErrorReport {
  message: string;
  code: string;
  details?: ErrorDetails;
  /** For `--debug` only: where it came from. */
  stack?: string;
}

/** `Error: <message>` for people; the same facts as data for programs. On stderr either way. */
export async function printError(report: ErrorReport, format: Format): Promise<void> {
  await writeTo(
    process.stderr,
    render({ error: report }, format, ({ error }) =>
      visible([`Error: ${error.message}`, ...(error.stack === undefined ? [] : [error.stack])].join("\n")),
    ),
  );
}

interface Manner {
  /** No talk: data and errors only. */
  readonly quiet: boolean;
  /** Colours in the talk, where a terminal shows them. */
  readonly color: boolean;
  /** Styles in the text of data (`styled`), where a terminal shows them. */
  readonly styles: boolean;
}

let manner: Manner = { quiet: false, color: false, styles: false };

/** Sets how this program writes from here on. What data and errors say stays the same, and errors are never coloured. */
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
/** Lines of the log wait for others no longer. */
const LOG_WAIT_MS = 10;
let logLines = "";

/**
 * For the log of a server, on stderr. Lines of a few milliseconds are written together: a server logs each answer, and a system call for
 * each would be a third of its work. What waits is written before anything else is said, and at the exit; only a kill from outside can
 * take those lines away.
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

/** Bytes as they are, for content that goes into a file or a pipe. */
export async function printBytes(bytes: Uint8Array): Promise<void> {
  await writeTo(process.stdout, bytes);
}

function render<T>(value: T, format: Format, human: (value: T) => string): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (format === "yaml") return `${Bun.YAML.stringify(value, null, 2).trimEnd()}\n`;
  return `${human(value)}\n`;
}

/** A reader that has gone away (`… | head`) is no error of ours. */
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

/** A hint, on stderr, unless they want quiet. */
export async function printHint(text: string): Promise<void> {
  if (!manner.quiet) (await talk()).info(visible(text));
}

/** Loaded when first needed: most commands have nothing to say but their data. */
async function talk(): Promise<ConsolaInstance> {
  if (talking !== undefined) return talking;
  const { LogLevels, createConsola } = await import("consola");
  // Consola writes `info` and `log` to stdout, and hides them under CI, unless told otherwise.
  const options = {
    level: LogLevels.info,
    stdout: process.stderr,
    stderr: process.stderr,
    // It would look at the other stream to find out whether there is a terminal, and show the time of day.
    fancy: manner.color,
    formatOptions: { colors: manner.color, date: false },
  };
  talking = createConsola(options);
  return talking;
}
