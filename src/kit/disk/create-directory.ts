// Creates a directory that a person named, with the ones above it.

import { mkdirSync } from "node:fs";
import { AppError } from "../error.ts";
import { accessProblem, isUnwritable } from "./disk.ts";
import { PRIVATE_DIRECTORY_MODE } from "./modes.ts";

/** It may exist. Raises `refused` with the place. */
export function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  } catch (error) {
    const remedy = isUnwritable(error) ? "; run the command as the owner, or choose another directory" : "";
    throw new AppError("refused", `cannot create ${directory}: ${accessProblem(error)}${remedy}`);
  }
}
