// Sorted lists of outlines, and changes to them.

import type { DocumentPath } from "../../kit/text/paths.ts";
import type { Outline } from "./engine.ts";

/** How long a server trusts that nobody has edited a file by hand since it looked, because looking touches every file. */
export const EDITS_TRUSTED_MS = 2_000;

/** Replaces, adds and removes outlines. A null removes. `files` and the result are sorted by path. */
export function merged(
  files: readonly Outline[],
  changed: ReadonlyMap<DocumentPath, Outline | null>,
): readonly Outline[] {
  if (changed.size === 0) return files;
  const added = [...changed.values()]
    .filter((outline) => outline !== null)
    .sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const result: Outline[] = [];
  let next = 0;
  for (const file of files) {
    while (next < added.length && added[next]!.path < file.path) result.push(added[next++]!);
    if (!changed.has(file.path)) result.push(file);
  }
  while (next < added.length) result.push(added[next++]!);
  return result;
}

/** By UTF-16 units. SQLite sorts by bytes, which differs for rare characters. */
export function isBefore(one: { readonly path: string }, other: { readonly path: string }): boolean {
  return one.path < other.path;
}

export function found(files: readonly Outline[], path: string): Outline | undefined {
  return files[placeAmong(files.length, (place) => files[place]!.path, path)];
}

/** Searches a list of paths that is sorted by UTF-16 units. -1: it is not there. */
export function placeAmong(count: number, pathAt: (place: number) => string, path: string): number {
  let [low, high] = [0, count - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const there = pathAt(middle);
    if (there === path) return middle;
    if (there < path) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
