// The regular files below a directory, and their texts, for jobs in a worker: lists and reads synchronously, follows no links.

import { closeSync, fstatSync, lstatSync, readdirSync, type Dirent } from "node:fs";
import type { HeldRoot } from "../../kit/disk/held-directory.ts";
import { pathProblem } from "../../kit/text/paths.ts";
import { readAll } from "../../kit/disk/read-all.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { isTemporary } from "./schema.ts";

const DEPTH_MAX = 64;
/** Directories of other programs, with files that nobody wrote. */
const LEFT_OUT: readonly string[] = [".git", "node_modules"];
const BINARY_LOOK_BYTES = 8_000;
const NUL = 0;
/** One object for all calls. */
const IF_THERE = { throwIfNoEntry: false } as const;

export interface TreeFile {
  readonly path: string;
  readonly size: number;
  /** ms since the epoch. */
  readonly modified: number;
}

/** In the order of their names, the files of a directory first. Skips what cannot be read or opened. */
export function* filesBelow(root: HeldRoot): Generator<TreeFile> {
  const left = [{ directory: "", depth: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { directory, depth } = next;
    const below: string[] = [];
    for (const { entry, path, file } of entriesOf(root, directory)) {
      if (entry.isDirectory()) {
        if (depth < DEPTH_MAX && !LEFT_OUT.includes(entry.name)) below.push(path);
        continue;
      }
      if (file) yield { path, ...file };
    }
    for (const path of below.toReversed()) left.push({ directory: path, depth: depth + 1 });
  }
}

/** Undefined: not there, or not a regular file. `text`: undefined if it is larger than `bytesMax`, or not text. */
export function readTreeFile(
  root: HeldRoot,
  path: string,
  bytesMax: number,
): (Omit<TreeFile, "path"> & { readonly text: string | undefined }) | undefined {
  const descriptor = openedIn(root, path);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const facts = { size: stats.size, modified: stats.mtimeMs };
    if (stats.size > bytesMax) return { ...facts, text: undefined };
    const bytes = readAll(descriptor, stats.size);
    const isText = bytes.length <= bytesMax && !bytes.subarray(0, BINARY_LOOK_BYTES).includes(NUL);
    return { ...facts, text: isText ? decodeUtf8(bytes) : undefined };
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function openedIn(root: HeldRoot, path: string): number | undefined {
  try {
    return root.open(path);
  } catch {
    return undefined;
  }
}

interface Listed {
  readonly entry: Dirent;
  readonly path: string;
  /** Undefined: not a regular file. */
  readonly file: Omit<TreeFile, "path"> | undefined;
}

function entriesOf(root: HeldRoot, directory: string): Listed[] {
  try {
    using held = root.hold(directory);
    if (!held) return [];
    const entries = readdirSync(held.entry("."), { withFileTypes: true });
    const prefix = directory === "" ? "" : `${directory}/`;
    return entries
      .filter((entry) => (entry.isFile() || entry.isDirectory()) && !isTemporary(entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = prefix + entry.name;
        if (pathProblem(path) !== undefined || path !== path.normalize("NFC")) return [];
        const stats = entry.isFile() ? lstatSync(held.entry(entry.name), IF_THERE) : undefined;
        const file = stats?.isFile() ? { size: stats.size, modified: stats.mtimeMs } : undefined;
        return [{ entry, path, file }];
      });
  } catch {
    return [];
  }
}
