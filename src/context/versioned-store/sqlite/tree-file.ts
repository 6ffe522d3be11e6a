// A file of the working tree, and the facts by which it is known again.

import type { DocumentPath } from "../../../kit/text/paths.ts";
import type { FileFacts } from "./look-job.ts";

/** Enough to notice that someone else wrote a file. */
export interface Facts {
  readonly size: number;
  /** In ms: the file system's mtime and ctime. */
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
}

export type KnownFile = Facts & { readonly hash: string };

/** A file of the tree. */
export interface TreeFile {
  readonly path: DocumentPath;
  readonly size: number;
  /** SHA-256, hex; empty: too large to be a document. */
  readonly hash: string;
  /** In ms since the epoch. */
  readonly modified: number;
}

export type ReadFile = TreeFile & { readonly bytes: Uint8Array };

/** Something in the place of a file or of a directory above it. */
export interface Obstacle {
  readonly at: DocumentPath;
  readonly isDirectory: boolean;
}

export function factsOf(stats: FileFacts): Facts {
  return { size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs, inode: stats.ino };
}

export function isSame(a: Facts, b: Facts): boolean {
  return a.size === b.size && a.modified === b.modified && a.changed === b.changed && a.inode === b.inode;
}
