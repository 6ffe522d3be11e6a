// Writes the file of a backup: under a temporary name next to it, synced to disk, then renamed. Never replaces an existing file, and leaves nothing
// behind on failure.

import { existsSync, realpathSync, statSync } from "node:fs";
import { link, open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { brokenLinkProblem, guarded, isUnwritable, problemWithoutPlace } from "../disk/disk.ts";
import { AppError, systemCode } from "../error.ts";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { randomHex } from "../random.ts";
import { syncDirectory } from "../disk/replace-file.ts";

const TEMPORARY_BITS = 48;
/** The name of a file that is being written, with the name that it will get. A killed program leaves it. */
export const TEMPORARY_NAME = /^\.(.+)\.part-[0-9a-f]{12}$/;
/** The errors of file systems without hard links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * `path`: the file, or a directory, in which `nameOf` gives a name that is not taken. Raises `invalid` for an unsuitable place, `conflict` if the file exists.
 */
export function targetPath(
  path: string,
  nameOf: (isTaken: (name: string) => boolean) => string,
  dataDirectory: string,
): string {
  if (!isAbsolute(path)) throw new AppError("invalid", "path: expected an absolute path");
  const isDirectory = isDirectoryAt(path);
  const target = isDirectory
    ? join(
        path,
        nameOf((name) => existsSync(join(path, name))),
      )
    : path;
  const directory = dirname(target);
  if (!isDirectoryAt(directory)) {
    const what = existsSync(directory)
      ? "not a directory; choose another directory"
      : "no such directory; create it first";
    throw new AppError("invalid", `${directory}: ${what}`);
  }
  if (isInside(directory, dataDirectory))
    throw new AppError(
      "invalid",
      `${target} is inside the data directory and would be lost with it; choose a place outside`,
    );
  refuseExisting(target);
  return target;
}

/** True also for `root` itself, and through symbolic links. Both exist. */
export function isInside(directory: string, root: string): boolean {
  return `${realpathSync(directory)}${sep}`.startsWith(`${realpathSync(root)}${sep}`);
}

/** Raises `invalid` if the server may not look. */
function isDirectoryAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // A file is in place of a directory above, or links lead in a circle.
    if (["ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) return false;
    throw isUnwritable(error) ? notWritable(dirname(path), problemWithoutPlace(error)) : error;
  }
}

/** Raises `invalid` if the server may not write there, `conflict` if the file exists by now, `unavailable` when the disk is full, and whatever `write` raises. */
export async function writeTarget<T>(path: string, write: (handle: FileHandle) => Promise<T>): Promise<T> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.part-${randomHex(TEMPORARY_BITS)}`);
  return guarded(directory, async () => {
    const handle = await create(temporary);
    try {
      const written = await filled(handle, write);
      await giveName(temporary, path);
      await syncDirectory(directory);
      return written;
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", PRIVATE_FILE_MODE);
  } catch (error) {
    const directory = dirname(path);
    // A file system of the kernel, such as /proc, says so of every new file.
    const takesNone = systemCode(error) === "ENOENT" && existsSync(directory);
    if (!takesNone && !isUnwritable(error)) throw error;
    const reason = takesNone ? "its file system takes no files" : problemWithoutPlace(error);
    throw notWritable(directory, reason);
  }
}

function notWritable(directory: string, reason: string): AppError {
  return new AppError(
    "invalid",
    `${directory} cannot be written by the server: ${reason}; choose another directory`,
  );
}

/** Synced and closed. */
async function filled<T>(handle: FileHandle, write: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    const written = await write(handle);
    await handle.sync();
    return written;
  } finally {
    await handle.close();
  }
}

/** Links instead of renaming, because a rename would replace a file created meanwhile. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "EEXIST") refuseExisting(path);
    if (!NO_LINKS.includes(code)) throw error;
    refuseExisting(path);
    await rename(temporary, path);
  }
}

function refuseExisting(path: string): void {
  const broken = brokenLinkProblem(path);
  if (broken !== undefined) throw new AppError("conflict", `${path}: ${broken}; choose another name`);
  if (existsSync(path))
    throw new AppError("conflict", `${path} already exists; choose another name, or move the file away`);
}
