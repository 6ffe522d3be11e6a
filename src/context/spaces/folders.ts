// The folders of the spaces of a server.

import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { holdsSpace } from "./space-file.ts";

/** Prefixes the folder of a space that is being removed. */
const REMOVED_PREFIX = ".removed-";

/** Returns the names of the spaces, and deletes removed ones that a crash left behind. Creates the directory. */
export function namesIn(directory: string, engine: EngineKind): string[] {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const names: string[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name.startsWith(REMOVED_PREFIX))
      rmSync(join(directory, entry.name), { recursive: true, force: true });
    else if (entry.isDirectory() && holdsSpace(join(directory, entry.name), engine)) names.push(entry.name);
  }
  return names;
}

/** Renames the folder of a space that is being removed, and returns its new path. `now`: ms since the epoch. */
export function moveAside(directory: string, name: string, now: number): string {
  const gone = join(directory, `${REMOVED_PREFIX}${name}-${now}`);
  renameSync(join(directory, name), gone);
  return gone;
}
