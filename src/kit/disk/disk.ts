// Turns errors of the disk into messages that a person can act on. They name the requested relative path, never an absolute one.

import { accessSync, constants, existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf, systemCode } from "../error.ts";
import { StorageError, storageReasonOf } from "../storage-error.ts";

/** Undefined instead of ENOENT. */
export async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Ignores EEXIST, for creating a directory that may already exist. */
export async function existingAsDone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/** Describes in a few words why a named file cannot be read or created. */
export function accessProblem(error: unknown): string {
  return PROBLEMS[systemCode(error) ?? ""] ?? messageOf(error);
}

/** As `accessProblem`, for people who need not know where the files are: the system's own message names the place. */
export function problemWithoutPlace(error: unknown): string {
  const code = systemCode(error) ?? "unknown";
  return PROBLEMS[code] ?? code;
}

/** As `accessProblem`, after the place that the system names, or the last directory on the way there that this user may see. */
export function problemAtPlace(error: unknown): string {
  const { path } = error as { readonly path?: unknown };
  if (typeof path !== "string") return accessProblem(error);
  let place = path;
  while (isUnwritable(error) && !existsSync(place)) place = dirname(place);
  return `${place}: ${problemWithoutPlace(error)}`;
}

/** As `problemWithoutPlace`, for a directory in which something cannot be created. */
export function directoryProblem(error: unknown): string {
  return NO_DIRECTORY[systemCode(error) ?? ""] ?? problemWithoutPlace(error);
}

const NO_DIRECTORY: Readonly<Record<string, string>> = {
  ENOENT: "no such directory",
  ENOTDIR: "not a directory",
};

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "a directory, not a file",
  EFTYPE: "not a regular file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EXDEV: "the directory is on another disk than the rest",
  ELOOP: "symbolic links in the path lead in a circle",
  ENAMETOOLONG: "the name is too long for this disk",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
};

/** Says so of a symbolic link without a file or directory behind it. Undefined for anything else, and for what may not be seen. */
export function brokenLinkProblem(path: string): string | undefined {
  try {
    if (existsSync(path) || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  } catch {
    return undefined;
  }
  return "a symbolic link that leads nowhere";
}

/** The codes of what may not be written. */
const UNWRITABLE = ["EACCES", "EPERM", "EROFS"];

/** Reports whether the disk refuses to change what the error is about. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.includes(systemCode(error) ?? "");
}

/** Says in a few words why one of the files or directories cannot be written. Undefined: all can be, or are missing. */
export function unwritableProblem(...paths: readonly string[]): string | undefined {
  for (const path of paths)
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      if (isUnwritable(error)) return problemWithoutPlace(error);
    }
  return undefined;
}

/** Runs `work` and raises disk errors as AppError. `path` is the name to show; empty for a root. */
export async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskError(error, path);
  }
}

/** Turns a failure of the disk into an error that a person can act on. Returns any other error unchanged. */
function diskError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (error instanceof AppError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  const shown = path === "" ? "the directory" : path;
  const reason = storageReasonOf(error);
  if (reason !== "failed") return new StorageError(reason, code);
  if (code === "ENOENT") return new AppError("conflict", `${shown}: removed in the meantime; try again`);
  if (code === "EEXIST" || code === "ENOTEMPTY")
    return new AppError("conflict", `${shown}: changed in the meantime; try again`);
  if (code === "ENOTDIR") return new AppError("invalid", `${shown}: a part of the path is not a directory`);
  if (code === "EISDIR") return new AppError("invalid", `${shown}: a directory, not a file`);
  if (code === "ELOOP")
    return new AppError("invalid", `${shown}: a link in the path is circular or was created in the meantime`);
  if (code === "ENAMETOOLONG") return new AppError("invalid", `${shown}: too long for this disk`);
  return new StorageError("failed", code);
}
