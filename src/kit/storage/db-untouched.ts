// Opens a database for inspection without changing it or its folder: no lock, no WAL, no migration.
//
// A database that was closed cleanly is opened in place. One with a WAL (after a crash, or in use) would change when read, so a copy of both
// files is opened instead.

import { constants, Database } from "bun:sqlite";
import { chmodSync, copyFileSync, rmSync, statSync, constants as copying } from "node:fs";
import { join } from "node:path";
import { Db } from "./db.ts";
import { AppError, messageOf, systemCode } from "../error.ts";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { temporaryFolder } from "../disk/temporary-folder.ts";

/**
 * Runs `look` on the current database. `scratch` is the folder for a temporary copy. Raises `not_found`, `refused` if `scratch` cannot be used,
 * `conflict` while a process writes to the database, `invalid` for an unusable one, and whatever `look` raises.
 */
export async function lookAt<T>(path: string, scratch: string, look: (db: Db) => T | Promise<T>): Promise<T> {
  const before = state(path);
  requireRegular(path);
  if (before.size === undefined) throw new AppError("not_found", `${path}: not found`);
  if (!before.wal) return opened(path, `${Bun.pathToFileURL(path).href}?immutable=1`, look);
  const folder = temporaryFolder(scratch, "cairn-look-");
  try {
    const copy = join(folder, "copy.db");
    copyDatabase(path, copy);
    return await opened(path, Bun.pathToFileURL(copy).href, look);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Copies a database with its WAL. Raises `conflict` with `details.in_use` while a process writes to it, `invalid` for one that is not a regular
 * file, and what the disk raises.
 */
export function copyDatabase(path: string, copy: string): void {
  requireRegular(path);
  const before = state(path);
  for (const suffix of before.wal ? ["", "-wal"] : [""]) {
    copyFileSync(path + suffix, copy + suffix, copying.COPYFILE_FICLONE);
    chmodSync(copy + suffix, PRIVATE_FILE_MODE);
  }
  if (JSON.stringify(state(path)) !== JSON.stringify(before))
    throw new AppError("conflict", `${path}: another process is writing to it`, { in_use: true });
}

async function opened<T>(path: string, url: string, look: (db: Db) => T | Promise<T>): Promise<T> {
  let db: Db | undefined;
  try {
    const isCopy = !url.endsWith("?immutable=1");
    const access = isCopy ? constants.SQLITE_OPEN_READWRITE : constants.SQLITE_OPEN_READONLY;
    const sqlite = new Database(url, access | constants.SQLITE_OPEN_URI);
    db = new Db({ path, sqlite, onDefect: () => {} });
    return await look(db);
  } catch (error) {
    if (systemCode(error)?.startsWith("SQLITE_") !== true) throw error;
    throw new AppError("invalid", `${path} is not a usable database (${messageOf(error)})`);
  } finally {
    db?.close();
  }
}

/** Opening a pipe would wait for a writer forever. A missing file passes. */
function requireRegular(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new AppError("invalid", `${path}: not a regular file`);
}

/** Changes with every write. `wal` is the size of the WAL, in bytes. */
function state(path: string): { size: number | undefined; wal: number; modified: (number | undefined)[] } {
  const [main, wal] = ["", "-wal"].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false }));
  return { size: main?.size, wal: wal?.size ?? 0, modified: [main?.mtimeMs, wal?.mtimeMs] };
}
