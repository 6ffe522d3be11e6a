// The daemon's log, `.sync/daemon.log`: bounded, with one earlier file beside it.

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import { syncDirectory } from "./state.ts";

const DAEMON_LOG_BYTES_MAX = 1024 * 1024;
const EARLIER_SUFFIX = ".1";

export function daemonLogPath(directory: string): string {
  return join(syncDirectory(directory), "daemon.log");
}

/** Returns a writer that starts a new file when the current one is full. A log that cannot be written stops nothing. */
export function daemonLogWriter(path: string, bytesMax = DAEMON_LOG_BYTES_MAX): (line: string) => void {
  return (line) => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
      const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (size + Buffer.byteLength(line) > bytesMax && size > 0) renameSync(path, path + EARLIER_SUFFIX);
      appendFileSync(path, line, { mode: PRIVATE_FILE_MODE });
    } catch {
      // The disk is full or read-only, which the cycle reports as its own failure.
    }
  };
}

/** Returns the last lines, also from the earlier file. Undefined: there is no log. */
export function lastLines(path: string, count: number): string[] | undefined {
  const files = [path + EARLIER_SUFFIX, path].filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  const text = files.map((file) => readFileSync(file, "utf8")).join("");
  return text.trimEnd().split("\n").slice(-count);
}
