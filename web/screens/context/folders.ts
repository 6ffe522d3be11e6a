// The folders of a space, from the flat list of its documents. Pure.

import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { compareNames } from "../../kit/names.ts";
import type { Levels, TreeEntry } from "../../parts/tree/tree-rows.ts";

export interface DocumentEntry extends TreeEntry {
  /** Undefined for a folder. */
  readonly file: ContextFile | undefined;
  /** Of a folder: the documents in it and below, without deleted ones. */
  readonly documents: number;
}

/** Folders come first, then documents, each by name. Deleted documents, and folders of nothing else, are left out unless wanted. */
export function foldersOf(files: readonly ContextFile[], withDeleted: boolean): Levels<DocumentEntry> {
  const folders = new Map<string, Map<string, number>>([["", new Map()]]);
  const documents = new Map<string, DocumentEntry[]>();
  for (const file of files) {
    const isDeleted = file.state === "deleted";
    if (isDeleted && !withDeleted) continue;
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
    addFolder(folders, folder, isDeleted ? 0 : 1);
    const kind = file.state === "refused" ? "other" : "file";
    const entry = { name: nameOf(file.path), path: file.path, kind, file, documents: 0 } as const;
    const beside = documents.get(folder);
    if (beside) beside.push(entry);
    else documents.set(folder, [entry]);
  }
  const levels = new Map<string, DocumentEntry[]>();
  for (const [folder, inner] of folders)
    levels.set(folder, [
      ...[...inner].map(([path, count]) => folderEntry(path, count)).sort(byName),
      ...(documents.get(folder) ?? []).sort(byName),
    ]);
  return levels;
}

/** Adds the folder to its parent, and so on up to the root. */
function addFolder(folders: Map<string, Map<string, number>>, path: string, count: number): void {
  for (let folder = path; folder !== "";) {
    if (!folders.has(folder)) folders.set(folder, new Map());
    const parent = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    if (!folders.has(parent)) folders.set(parent, new Map());
    const inner = folders.get(parent)!;
    inner.set(folder, (inner.get(folder) ?? 0) + count);
    folder = parent;
  }
}

function folderEntry(path: string, documents: number): DocumentEntry {
  return { name: nameOf(path), path, kind: "directory", file: undefined, documents };
}

function byName(a: DocumentEntry, b: DocumentEntry): number {
  return compareNames(a.name, b.name) || (a.path < b.path ? -1 : 1);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Documents whose path has every word of the query, the shortest path first. */
export function foundByName(
  files: readonly ContextFile[],
  query: string,
  limit: number,
): readonly ContextFile[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return [];
  return files
    .filter(({ path, state }) => {
      if (state === "deleted") return false;
      const haystack = path.toLowerCase();
      return words.every((word) => haystack.includes(word));
    })
    .toSorted((a, b) => a.path.length - b.path.length || compareNames(a.path, b.path))
    .slice(0, limit);
}
