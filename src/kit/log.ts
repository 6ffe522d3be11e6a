// One line an event on stderr: `key=value` on a terminal, JSON otherwise.
// Never a token, key, prompt or tool argument: callers pass ids and counts, not contents.

import { rfc3339, type Clock } from "./clock.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  level: LogLevel;
  format: "text" | "json";
  clock: Clock;
  write: (line: string) => void;
}

export function createLog(options: LogOptions): Log {
  const threshold = logLevels.indexOf(options.level);
  const render = options.format === "json" ? jsonLine : textLine;
  const emit = (level: LogLevel) => {
    if (logLevels.indexOf(level) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) =>
      options.write(`${render(rfc3339(options.clock.now()), level, message, fields)}\n`);
  };
  return { debug: emit("debug"), info: emit("info"), warn: emit("warn"), error: emit("error") };
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time, level, message, ...fields });
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
