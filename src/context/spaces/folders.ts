// The folders of the spaces of a server.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { clearRemoved } from "./removal.ts";
import { holdsSpace } from "./space-file.ts";

/** Returns the names of the spaces, and deletes removed ones that a crash left behind. Creates the directory. */
export function namesIn(directory: string, engine: EngineKind): string[] {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  clearRemoved(directory);
  const names: string[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory() && holdsSpace(join(directory, entry.name), engine)) names.push(entry.name);
  }
  return names;
}
