// Takes and frees names in a working tree.

import { fchmodSync, fstatSync, renameSync, rmdirSync, unlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isUnwritable } from "../../../kit/disk/disk.ts";
import { OWNER_MAY_READ, PERMISSIONS } from "../../../kit/disk/modes.ts";
import { systemCode } from "../../../kit/error.ts";
import { entriesOf } from "./walk.ts";

/** The errors of a rename onto a directory. */
const DIRECTORY_IN_THE_WAY = ["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"];

/** Gives an open file the permissions of the one that it replaces, such as those of a script. This program must be able to read it. */
export function keepPermissions(descriptor: number, replaced: Pick<Stats, "mode">): void {
  const mode = (replaced.mode & PERMISSIONS) | OWNER_MAY_READ;
  // Some disks have no permissions: every file has the same mode, and no other can be set.
  if ((fstatSync(descriptor).mode & PERMISSIONS) !== mode) fchmodSync(descriptor, mode);
}

/** Renames, and first removes a target directory without files, because nothing is lost with it. */
export function takeName(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    if (!DIRECTORY_IN_THE_WAY.includes(systemCode(error) ?? "")) throw error;
    removeEmptyTree(path);
    renameSync(temporary, path);
  }
}

function removeEmptyTree(directory: string): void {
  for (const entry of entriesOf(directory))
    if (entry.isDirectory()) removeEmptyTree(join(directory, entry.name));
  rmdirSync(directory);
}

/** For what only takes room: a folder that cannot be written keeps it. */
export function unlinkIfPossible(path: string): void {
  try {
    unlinkIfThere(path);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
  }
}
