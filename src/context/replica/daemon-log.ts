// The daemon's log, `.sync/daemon.log`: bounded, with one earlier file beside it.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { appendRotated, rotatedPath } from "../../kit/disk/append-rotated.ts";
import { syncDirectory } from "./state.ts";

const DAEMON_LOG_BYTES_MAX = 1024 * 1024;

export function daemonLogPath(directory: string): string {
  return join(syncDirectory(directory), "daemon.log");
}

/**
 * Returns a writer that starts a new file when the current one is full. A log that cannot be written stops nothing; where a folder was moved or
 * deleted, the log makes no new one.
 */
export function daemonLogWriter(path: string, bytesMax = DAEMON_LOG_BYTES_MAX): (line: string) => void {
  return (line) => {
    try {
      appendRotated(path, line, bytesMax);
    } catch {
      // The disk is full or read-only, which the cycle reports as its own failure.
    }
  };
}

/** Returns the last lines, also from the earlier file. Undefined: there is no log. */
export function lastLines(path: string, count: number): string[] | undefined {
  const files = [rotatedPath(path), path].filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  const text = files.map((file) => readFileSync(file, "utf8")).join("");
  return text.trimEnd().split("\n").slice(-count);
}
