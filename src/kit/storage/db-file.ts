// The database file: creates it with private permissions, recognizes a copy without its WAL, and turns SQLite's errors into messages.

import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { basename } from "node:path";
import { AppError, messageOf, systemCode } from "../error.ts";
import { PERMISSIONS, PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { fullDisk, isDamage, storageReasonOf } from "../storage-error.ts";

/** Marks a database that is being created, until its tables and the rows that it must have are durable. */
const BEGUN_SUFFIX = "-begun";
/** The codes of a file that this user may not open begin with these; below, those of one that may not be written. */
const CLOSED = ["EACCES", "SQLITE_CANTOPEN"];
const UNWRITABLE = ["SQLITE_READONLY", "SQLITE_PERM", "EROFS", "EACCES"];

/**
 * Ensures that the file exists and is private, before anything is written to it. `made`: this call created it; `begun`: a process created it and
 * ended before it settled it; `kept`: it must have tables. Raises `refused` for an empty file without a mark, and for a WAL without its file.
 */
export function claimFile(path: string): "made" | "begun" | "kept" {
  if (path === ":memory:") return "made";
  // The WAL is checked first: a process that creates the file now creates its WAL later.
  const hasLog = existsSync(logOf(path));
  const isThere = existsSync(path);
  if (hasLog && !isThere) throw withoutFile(path);
  if (!isThere) closeSync(openSync(path + BEGUN_SUFFIX, "w", PRIVATE_FILE_MODE));
  const isBegun = existsSync(path + BEGUN_SUFFIX);
  try {
    createFile(path);
    return "made";
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    if ((statSync(path).mode & PERMISSIONS) !== PRIVATE_FILE_MODE) chmodSync(path, PRIVATE_FILE_MODE);
    if (!isBegun && statSync(path).size === 0) throw incomplete(path);
    return isBegun ? "begun" : "kept";
  }
}

/** The files that are open in this process, with their paths. A system lock does not exclude a second connection of the same process. */
const open = new Map<string, { readonly path: string }>();

export interface Reserved {
  /** Reports whether another file has taken the place of the one that is open. */
  isReplaced(): boolean;
  release(): void;
}

/** Raises `conflict` if this process has already opened the file. */
export function reserveFile(path: string): Reserved | undefined {
  if (path === ":memory:") return undefined;
  const file = identityOf(path)!;
  const holder = open.get(file);
  // A file that was deleted leaves its number to the next one that is created.
  if (holder && identityOf(holder.path) === file) throw inUse(path);
  const own = { path };
  open.set(file, own);
  return {
    isReplaced() {
      const now = identityOf(path);
      return now !== undefined && now !== file;
    },
    release() {
      if (open.get(file) === own) open.delete(file);
    },
  };
}

/** Undefined: there is no file. */
function identityOf(path: string): string | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
  return facts && `${facts.dev}:${facts.ino}`;
}

/** Called once the tables are durable. From then on, a file without tables is a copy without its WAL. */
export function settleFile(path: string): void {
  rmSync(path + BEGUN_SUFFIX, { force: true });
}

/**
 * For a file without tables and without a mark. New data is first in the WAL, so a copy of the file alone may be empty and would pass for a
 * fresh installation.
 */
export function incomplete(path: string, lack = "it is empty"): AppError {
  return new AppError(
    "refused",
    `${path} is an incomplete copy: ${lack}; copy it together with ${basename(path)}-wal while the program is stopped, ` +
      "restore a backup, or delete it to start with an empty one",
  );
}

/** SQLite would truncate the WAL and lose its content. */
function withoutFile(path: string): AppError {
  return new AppError(
    "refused",
    `${path} is missing, and its log ${logOf(path)} remains: restore the file beside it, restore a backup, or move the log away to start with ` +
      "an empty one",
  );
}

function logOf(path: string): string {
  return `${path}-wal`;
}

/** Raises the system's EEXIST when it exists. */
export function createFile(path: string): void {
  closeSync(openSync(path, "wx", PRIVATE_FILE_MODE));
}

/** Returns the files that belong to a database, whether they are there or not. The WAL is before its file, because a WAL without it is refused. */
export function filesOfDatabase(path: string): string[] {
  return ["-wal", "-shm", "-journal", "", BEGUN_SUFFIX].map((suffix) => path + suffix);
}

export function removeFiles(path: string): void {
  for (const file of filesOfDatabase(path)) rmSync(file, { force: true });
}

export function openError(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = systemCode(error) ?? "";
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return inUse(path);
  if (isDamage(error))
    return new AppError(
      "invalid",
      `${path} is not a usable database (${messageOf(error)}); restore a backup or move it away`,
    );
  if (code === "EPERM" || (CLOSED.some((start) => code.startsWith(start)) && isOfAnotherUser(path)))
    return new AppError(
      "refused",
      `${path} belongs to another user; run the program as its owner, or change the owner`,
    );
  if (UNWRITABLE.some((start) => code.startsWith(start))) {
    return new AppError(
      "refused",
      `${path} cannot be written: permission denied, or the disk is read-only; run the program as the owner of the directory, or choose another one`,
    );
  }
  if (storageReasonOf(error) === "full") return fullDisk(path);
  return new AppError("unavailable", `open ${path}: ${messageOf(error)}`);
}

/** False also if that cannot be seen. Windows has no numbers of users. */
function isOfAnotherUser(path: string): boolean {
  try {
    return process.getuid !== undefined && statSync(path).uid !== process.getuid();
  } catch {
    return false;
  }
}

function inUse(path: string): AppError {
  return new AppError(
    "conflict",
    `${path} is in use by another process; stop it first, or choose another data directory`,
    { in_use: true },
  );
}
