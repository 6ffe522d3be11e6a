// Creates a directory that a person named, with the ones above it.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../error.ts";
import { accessProblem, brokenLinkProblem, isUnwritable } from "./disk.ts";
import { PRIVATE_DIRECTORY_MODE } from "./modes.ts";

/** It may exist. Raises `refused` with the place. */
export function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  } catch (error) {
    const place = above(directory);
    const reason = isUnwritable(error)
      ? `${place} cannot be written: ${accessProblem(error)}`
      : (brokenLinkProblem(directory) ?? accessProblem(error));
    throw new AppError("refused", `cannot create ${directory}: ${reason}; choose another directory`);
  }
}

/** Returns the directory of the path that exists. */
function above(directory: string): string {
  const parent = dirname(directory);
  return existsSync(directory) || parent === directory ? directory : above(parent);
}
