// Finds what is in the way of a page that a template creates.

import { existsSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { foldedPath } from "../../kit/text/paths.ts";

/** The path itself and the directories above it, from the top. */
export function levelsOf(path: string): string[] {
  const segments = path.split("/");
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** Returns what is where the file, or a directory above it, has to be, in any spelling that some disk takes for the same. */
export function obstacleTo(directory: string, path: string): string | undefined {
  for (const level of levelsOf(path)) {
    const above = join(directory, level, "..");
    const own = level.slice(level.lastIndexOf("/") + 1);
    const found = entriesOf(above).find(({ name }) => foldedPath(name) === foldedPath(own));
    if (found === undefined) return undefined;
    if (level === path || found.name !== own || !found.isDirectory())
      return level.slice(0, level.length - own.length) + found.name;
  }
  return undefined;
}

function entriesOf(directory: string): readonly Dirent[] {
  return existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
}
