// Starts a program's worker from its entry file, from source or compiled. release/build.ts compiles every entry file as a separate entry point,
// under the root of the embedded files.

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Set by release/build.ts. */
declare const CAIRN_VERSION: string | undefined;
const ROOT_FROM_HERE = "../../../";

/** Bun's Worker type. The interface's types describe the browser's, which has no `ref` and `unref`. */
export type Thread = Worker & { ref(): void; unref(): void };

/** A thread opens about four. With none left, the runtime ends the whole process. */
const FREE_FILES_MIN = 16;

/** `path` is the entry file, relative to the root of the repository. Raises EMFILE if the process may open too few more files. */
export function openWorker(path: string): Thread {
  requireFreeFiles();
  const isCompiled = typeof CAIRN_VERSION === "string";
  const url = isCompiled
    ? new URL(path.replace(/\.ts$/, ".js"), import.meta.url)
    : new URL(`${ROOT_FROM_HERE}${path}`, import.meta.url);
  const worker = new Worker(url.href) as Thread;
  worker.unref();
  return worker;
}

function requireFreeFiles(): void {
  const opened: number[] = [];
  try {
    while (opened.length < FREE_FILES_MIN) opened.push(openSync(devNull, "r"));
  } finally {
    for (const file of opened) closeSync(file);
  }
}
