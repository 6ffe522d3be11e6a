// Finds the space of this machine: the folder that a command means when it names none.

import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { accessProblem } from "../../kit/disk/disk.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import {
  homeDirectory,
  requireWholePath,
  workingDirectory,
  type Environment,
} from "../../kit/environment.ts";

/** Reports whether the folder holds a space. Reads nothing of it. */
export function holdsLocalSpace(directory: string): boolean {
  return ["space.yaml", "space.db"].some((name) => existsSync(join(directory, ".cairn", name)));
}

/** Says in a few words why nobody can tell whether the folder holds a space. Undefined: it can be told. */
export function spaceAccessProblem(directory: string): string | undefined {
  try {
    statSync(join(directory, ".cairn"), { throwIfNoEntry: false });
  } catch (error) {
    return accessProblem(error);
  }
  return shutProblem(directory);
}

/** The same of a `.cairn` that is there and may not be looked into. */
function shutProblem(directory: string): string | undefined {
  try {
    statSync(join(directory, ".cairn", "space.yaml"), { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "EACCES") return accessProblem(error);
  }
  return undefined;
}

/** Reports whether the creation of the space may have been interrupted: creating it again finishes it, or refuses a space that only lost its file. */
export function holdsUnfinishedSpace(directory: string): boolean {
  return holdsLocalSpace(directory) && !holdsFinishedSpace(directory);
}

export function holdsFinishedSpace(directory: string): boolean {
  return existsSync(join(directory, ".cairn", "space.yaml"));
}

/** Returns the folder that `--dir` or `$SERVICE_DIR` names, absolute, whatever is in it. Undefined: neither is given. */
export function namedSpaceDirectory(flag: string | undefined, environment: Environment): string | undefined {
  if (flag !== undefined) return resolve(flag);
  const given = environment["SERVICE_DIR"] || undefined;
  if (given === undefined) return undefined;
  requireWholePath("SERVICE_DIR", given);
  return resolve(given);
}

/**
 * Returns the space that the working directory is in, as a repository is found from inside. Raises `refused` for one that cannot be read, because
 * a command must not act on another space instead.
 */
export function enclosingSpaceDirectory(): string | undefined {
  let at = workingDirectory();
  while (at !== undefined) {
    if (holdsLocalSpace(at)) return at;
    const problem = shutProblem(at);
    if (problem !== undefined)
      throw new AppError(
        "refused",
        `${join(at, ".cairn")} cannot be read: ${problem}; make it readable, or name another space with --dir`,
      );
    const above = dirname(at);
    at = above === at ? undefined : above;
  }
  return undefined;
}

/** Returns the place of a person's own space, whether there is one or not. */
export function ownSpaceDirectory(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "space");
}
