// Walks a working tree: yields the files that can be documents, and one entry for whatever cannot be one, with the reason. Follows no link
// and reads no content.

import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join } from "node:path";
import type { HeldRoot } from "../../../kit/held-directory.ts";
import { pathProblem, type DocumentPath } from "../../../kit/paths.ts";
import type { Refusal } from "../schema.ts";
import { isReserved } from "./reserved.ts";

/** Every path of at most 1,024 bytes has fewer directories. */
const DEPTH_MAX = 512;
/** What a decoder puts in place of bytes that are not UTF-8. */
const NOT_DECODED = "\ufffd";
/** At the top of a space they are ours, and nobody put them there by hand. */
const OWN: readonly string[] = [".cairn", ".sync"];

export interface FoundFile {
  readonly path: DocumentPath;
  readonly stats: Stats;
}

/** Something in the tree that cannot be a document. */
export interface RefusedEntry {
  /** As the disk has it; ends with a slash when it is a directory, which stands for everything below it. */
  readonly path: string;
  readonly refused: Refusal;
  /** Bytes; 0: it is a directory, or cannot be looked at. */
  readonly size: number;
  /** ms since the epoch; 0: it cannot be looked at. */
  readonly modified: number;
}

/** Everything below a directory, unsorted, one after the other, so that the caller can pause. A directory that cannot be read is left out. */
export function* walk(
  root: string,
  directories: HeldRoot,
  directory: string,
  depth = 0,
): Generator<FoundFile | RefusedEntry> {
  for (const entry of heldEntries(directories, directory)) {
    if (directory === "" && OWN.includes(entry.name)) continue;
    const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
    const refused = refusalOf(entry, name, depth);
    if (!refused && entry.isDirectory()) yield* walk(root, directories, name, depth + 1);
    else {
      const stats = lstatSync(join(root, name), { throwIfNoEntry: false });
      if (refused) yield refusedEntry(name, entry, refused, stats);
      else if (stats?.isFile()) yield { path: name.normalize("NFC") as DocumentPath, stats };
    }
  }
}

function heldEntries(directories: HeldRoot, directory: string): Dirent[] {
  try {
    using held = directories.hold(directory);
    return held ? entriesOf(held.entry(".")) : [];
  } catch {
    return [];
  }
}

export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function refusalOf(entry: Dirent, name: string, depth: number): Refusal | undefined {
  if (isReserved(entry.name)) return { code: "reserved_name", reason: `"${entry.name}" is a reserved name` };
  if (entry.name.includes(NOT_DECODED)) return { code: "bad_encoding", reason: "the name is not UTF-8" };
  const problem = pathProblem(name) ?? (depth > DEPTH_MAX ? "too many directories" : undefined);
  if (problem !== undefined) return { code: "bad_name", reason: problem };
  if (entry.isSymbolicLink()) return { code: "symlink", reason: "symbolic links are not followed" };
  if (!entry.isFile() && !entry.isDirectory()) return { code: "not_a_file", reason: "not a regular file" };
  return undefined;
}

function refusedEntry(name: string, entry: Dirent, refused: Refusal, stats: Stats | undefined): RefusedEntry {
  const isDirectory = entry.isDirectory();
  return {
    path: isDirectory ? `${name}/` : name,
    refused,
    size: isDirectory ? 0 : (stats?.size ?? 0),
    modified: stats?.mtimeMs ?? 0,
  };
}
