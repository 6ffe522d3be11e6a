// The folders of the spaces of a server.

import { accessSync, constants, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { systemCode } from "../../kit/error.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { clearRemoved } from "./removal.ts";
import { spaceNameProblem } from "./schema.ts";
import { holdsSpace, spaceFilePath } from "./space-file.ts";

/**
 * Returns the names of the spaces, and deletes removed ones that a crash left behind. Creates the directory. A folder that this user may not enter
 * counts as a space: a list and a backup that leave it out say so.
 */
export function namesIn(directory: string, engine: EngineKind): string[] {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  clearRemoved(directory);
  const names: string[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const isSpace = holdsSpace(join(directory, entry.name), engine);
    if (isSpace || shutFolder(directory, entry.name) !== undefined) names.push(entry.name);
  }
  return names;
}

/** The folder that hides from this user whether there is a space of that name. Undefined: nothing hides it, or no space can have the name. */
export function shutFolder(directory: string, name: string): string | undefined {
  if (spaceNameProblem(name) !== undefined) return undefined;
  const folder = join(directory, name);
  return [folder, dirname(spaceFilePath(folder))].find(isShut);
}

function isShut(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return false;
  } catch (error) {
    return systemCode(error) === "EACCES";
  }
}
