// Takes and frees names in a working tree.

import { renameSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isUnwritable } from "../../../kit/disk/disk.ts";
import { systemCode } from "../../../kit/error.ts";
import { entriesOf } from "./walk.ts";

/** The errors of a rename onto a directory. */
const DIRECTORY_IN_THE_WAY = ["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"];

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
