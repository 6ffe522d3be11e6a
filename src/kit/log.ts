// Logs one line per event to stderr: `key=value` on a terminal, JSON otherwise, and for the journal of systemd with the severity before it. A
// repeated failure is logged once a second with a count. No text in a line can act on a terminal or reorder it.
// Never a token, key, prompt or tool argument: callers pass ids and counts, not contents.

import { rfc3339, type Clock } from "./clock.ts";
import { escapedInLine } from "./text/visible.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
type LogFields = Record<string, string | number | boolean | null | undefined>;

const REPEAT_MS = 1_000;
/** The distinct failures tracked at a time; above it, failures are grouped by level and message. */
const FAILURES_MAX = 200;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface OpenLog extends Log {
  /** Writes at `info`, whatever the level: for a line whose content is shown nowhere else. */
  announce(message: string, fields?: LogFields): void;
  /** Writes pending counts, before the program exits. */
  flush(): void;
}

export type LogFormat = "text" | "json" | "journal";

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  clock: Clock;
  write: (line: string) => void;
}

type Write = (level: LogLevel, message: string, fields: LogFields) => void;

/**
 * Writes the first occurrence immediately and counts the following ones for a second; the next line shows the newest with the count in
 * `repeated`.
 */
export function createLog(options: LogOptions): OpenLog {
  const threshold = logLevels.indexOf(options.level);
  const render = RENDERERS[options.format];
  // A busy server logs many lines per millisecond.
  let shown = { ms: Number.NaN, text: "" };
  const time = () => {
    const ms = options.clock.now();
    if (ms !== shown.ms) shown = { ms, text: rfc3339(ms) };
    return shown.text;
  };
  const write: Write = (level, message, fields) =>
    options.write(`${escapedInLine(render(time(), level, message, fields))}\n`);
  const failures = new Failures(options.clock, write);
  const emit = (level: LogLevel) => {
    if (logLevels.indexOf(level) < threshold) return () => {};
    if (level === "warn" || level === "error")
      return (message: string, fields: LogFields = {}) => failures.tell(level, message, fields);
    return (message: string, fields: LogFields = {}) => write(level, message, fields);
  };
  return {
    debug: emit("debug"),
    info: emit("info"),
    warn: emit("warn"),
    error: emit("error"),
    announce: (message, fields = {}) => write("info", message, fields),
    flush: () => failures.flush(),
  };
}

/** A failure written less than a second ago. */
interface Failure {
  readonly level: LogLevel;
  readonly message: string;
  /** The fields of the newest occurrence. */
  fields: LogFields;
  at: number;
  counted: number;
}

class Failures {
  readonly #clock: Clock;
  readonly #write: Write;
  readonly #recent = new Map<string, Failure>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(clock: Clock, write: Write) {
    this.#clock = clock;
    this.#write = write;
  }

  tell(level: LogLevel, message: string, fields: LogFields): void {
    const key = this.#keyOf(level, message, fields);
    const known = this.#recent.get(key);
    const now = this.#clock.elapsed();
    if (known && now - known.at < REPEAT_MS) {
      known.fields = fields;
      known.counted += 1;
    } else {
      const counted = (known?.counted ?? 0) + 1;
      this.#write(level, message, counted > 1 ? { ...fields, repeated: counted } : fields);
      this.#recent.set(key, { level, message, fields, at: now, counted: 0 });
    }
    this.#timer ??= setTimeout(() => this.flush(), REPEAT_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#clock.elapsed();
    for (const [key, failure] of this.#recent) {
      const { level, message, fields, counted } = failure;
      if (counted === 0) {
        this.#recent.delete(key);
        continue;
      }
      this.#write(level, message, { ...fields, repeated: counted });
      failure.at = now;
      failure.counted = 0;
    }
    if (this.#recent.size > 0) this.#timer = setTimeout(() => this.flush(), REPEAT_MS).unref();
  }

  /** Identifies a failure by its text fields, except the request. Numbers are measurements. */
  #keyOf(level: LogLevel, message: string, fields: LogFields): string {
    const texts = Object.entries(fields).filter(
      ([name, value]) => typeof value === "string" && name !== "request_id",
    );
    const key = JSON.stringify([level, message, texts]);
    return this.#recent.size < FAILURES_MAX || this.#recent.has(key) ? key : JSON.stringify([level, message]);
  }
}

type Render = (time: string, level: LogLevel, message: string, fields: LogFields) => string;

/** Severities of syslog (RFC 5424), as the journal reads them before a line (sd-daemon(3)). */
const SEVERITIES: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

const RENDERERS: Readonly<Record<LogFormat, Render>> = {
  text: textLine,
  json: jsonLine,
  journal: (time, level, message, fields) =>
    `<${SEVERITIES[level]}>${jsonLine(time, level, message, fields)}`,
};

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const rest = JSON.stringify(fields);
  // Prepended as text, because copying the fields would cost as much as the rest of the line.
  return `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)}${rest === "{}" ? rest.slice(1) : `,${rest.slice(1)}`}`;
}

function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quoted(String(value))}`);
  return [time, level.toUpperCase().padEnd(5), message, ...pairs].join(" ");
}

function quoted(value: string): string {
  return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}
