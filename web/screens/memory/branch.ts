// The memory of a workspace as a tree: what all agents share first, then the folder of each agent. Paths are within the branch. Pure.

import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { compareNames } from "../../kit/names.ts";
import { pathInBranch } from "../../parts/memory/paths.ts";
import type { Levels, TreeEntry } from "../../parts/tree/tree-rows.ts";

export interface BranchEntry extends TreeEntry {
  /** Undefined for a directory. */
  readonly file: ContextFile | undefined;
}

/** Directories come before files, except that `shared` is always first. */
export function levelsOf(branch: string, files: readonly ContextFile[]): Levels<BranchEntry> {
  const levels = new Map<string, Map<string, BranchEntry>>([["", new Map()]]);
  const add = (directory: string, entry: BranchEntry) => {
    const level = levels.get(directory) ?? new Map<string, BranchEntry>();
    levels.set(directory, level);
    if (!level.has(entry.path)) level.set(entry.path, entry);
  };
  for (const file of files) {
    const segments = pathInBranch(branch, file.path).split("/");
    segments.forEach((name, index) => {
      const path = segments.slice(0, index + 1).join("/");
      const isFile = index === segments.length - 1;
      const entry = isFile
        ? ({ name, path, kind: "file", file } as const)
        : ({ name, path, kind: "directory", file: undefined } as const);
      add(segments.slice(0, index).join("/"), entry);
    });
  }
  return new Map([...levels].map(([directory, level]) => [directory, [...level.values()].sort(byKind)]));
}

const RANK: Readonly<Record<string, number>> = { shared: -1 };

function byKind(a: BranchEntry, b: BranchEntry): number {
  const rank = (entry: BranchEntry) => RANK[entry.path] ?? (entry.kind === "directory" ? 0 : 1);
  return rank(a) - rank(b) || compareNames(a.name, b.name);
}

/** Every directory: memory is small, and all of it is shown at first. */
export function directoriesOf(levels: Levels<BranchEntry>): ReadonlySet<string> {
  return new Set([...levels.keys()].filter((path) => path !== ""));
}
