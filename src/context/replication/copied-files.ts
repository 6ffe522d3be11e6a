// The files of a server that all its nodes share. Their places in the replication log are their paths in the data directory. The configuration, the
// keys, certificates and logs of a node are its own.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EngineKind } from "../versioned-store/engine.ts";

export const SERVER_DATABASE = "server.db";
export const SPACES = "spaces";
export const AUDIT_FILE = "audit/audit.jsonl";
/** The names in a data directory that the log describes. Whatever a node has there is replaced by what the log says. */
export const COPIED_NAMES: readonly string[] = [SERVER_DATABASE, SPACES, "audit"];

export function spaceFolder(directory: string, name: string): string {
  return join(directory, SPACES, name);
}

/** Returns the paths of the files that the log describes. */
export function copiedFiles(directory: string, engine: EngineKind): string[] {
  const spaces = join(directory, SPACES);
  const names = existsSync(spaces) ? readdirSync(spaces) : [];
  const databases = names.map((name) => engine.databaseOf(spaceFolder(directory, name)));
  return [join(directory, SERVER_DATABASE), join(directory, AUDIT_FILE), ...databases];
}

/** Reports whether a database was closed and kept a part of its content in its WAL, so that its file alone does not show all of it. */
export function holdsWal(directory: string): boolean {
  return COPIED_NAMES.flatMap((name) => filesOf(join(directory, name))).some(hasWal);
}

export function hasWal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function filesOf(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".db"))
    .map((name) => join(path, name));
}
