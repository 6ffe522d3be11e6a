// The working tree of a space on the disk: plain files, and what is known of them. It knows no versions (replacing.ts does).
//
// Synchronous, since it is written between a commit and its acknowledgement. No link is followed: directories are held while something is read,
// written or removed in them, and a rename replaces a name, not what it points to. A look only tells; what it tells is proven before it counts.

import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../kit/crypto.ts";
import { AppError, systemCode } from "../../../kit/error.ts";
import { CREATE_FILE, HeldRoot, lstatOf, type Held } from "../../../kit/held-directory.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../../kit/modes.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import { fileError } from "../file-error.ts";
import { FILE_BYTES_CEILING } from "../schema.ts";
import { isReserved } from "./reserved.ts";
import { entriesOf, walk, type FoundFile, type RefusedEntry } from "./walk.ts";

/** Temporary files lie here, on the same disk and out of sight. */
const OWN_DIRECTORY = ".cairn";
const TEMPORARY_PREFIX = "write-";
const ASCII = /^[\0-\x7f]*$/;
/** What systems say of a rename onto a directory. */
const DIRECTORY_IN_THE_WAY = ["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"];

/** Enough to notice that somebody else wrote a file. */
interface Facts {
  readonly size: number;
  /** ms, as `modified` and `changed` of the file system. */
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
}

/** What lies in the tree under one path. */
export interface TreeFile {
  readonly path: DocumentPath;
  readonly size: number;
  /** SHA-256, hex; empty: too large to be a document. */
  readonly hash: string;
  /** ms since the epoch. */
  readonly modified: number;
}

/** What is not a file of a path, where the file has to be or where a directory above it has to be. */
export interface Obstacle {
  readonly at: DocumentPath;
  readonly isDirectory: boolean;
}

export class Tree {
  readonly #root: string;
  readonly #directories: HeldRoot;
  /** Of files that were read or written here: their hash, as long as they look the same. */
  readonly #known = new Map<DocumentPath, Facts & { readonly hash: string }>();
  #temporary = 0;
  /** Of temporary files: held from the first write to the end, since every write makes one. */
  #own: Held | undefined;

  /** `directories`: for tests of what happens between a proof and its use. */
  constructor(root: string, directories = new HeldRoot(root)) {
    this.#root = root;
    this.#directories = directories;
  }

  /** Gives back what is held. */
  close(): void {
    this.#own?.[Symbol.dispose]();
    this.#own = undefined;
  }

  /** Takes away what a crash left half written. Only for who holds the space's lock. */
  clearTemporary(): void {
    using own = this.#directories.hold(OWN_DIRECTORY);
    for (const entry of own ? entriesOf(own.entry(".")) : []) {
      if (entry.isFile() && entry.name.startsWith(TEMPORARY_PREFIX)) unlinkIfThere(own!.entry(entry.name));
    }
  }

  /**
   * Replaces the file, if it still is as it was `seen` (by `look`) when it takes its name: making one can take as long as somebody's edit.
   * Returns whether it was. Raises `unavailable` when the disk refuses, `conflict` when something else than a directory is on the way, or
   * something else than a file has the name: nothing but a file has versions, so it would be lost.
   */
  put(path: DocumentPath, content: Uint8Array, hash: string, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = this.#onDisk(path);
      using directory = this.#made(parentOf(name), path);
      this.#temporary += 1;
      const temporary = (this.#own ??= this.#made(OWN_DIRECTORY, path)).entry(
        `${TEMPORARY_PREFIX}${process.pid}-${this.#temporary}`,
      );
      const descriptor = openSync(temporary, CREATE_FILE, PRIVATE_FILE_MODE);
      try {
        let at = 0;
        while (at < content.length) at += writeSync(descriptor, content, at);
        const written = fstatSync(descriptor);
        const target = directory.entry(lastOf(name));
        const there = lstatOf(target);
        if (there && !there.isFile() && !there.isDirectory()) throw notRegular(path);
        if (!this.#isAsSeen(path, there, seen)) {
          unlinkIfThere(temporary);
          return false;
        }
        takeName(temporary, target);
        const facts = factsOf(fstatSync(descriptor));
        const isOurs = facts.size === written.size && facts.modified === written.mtimeMs;
        if (isOurs) this.#known.set(path, { ...facts, hash });
        else this.#known.delete(path);
        return true;
      } catch (error) {
        unlinkIfThere(temporary);
        throw error;
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** Removes the file, as `put` replaces one, and directories that are empty then; what is no file stays. Raises `unavailable`. */
  remove(path: DocumentPath, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = this.#onDisk(path);
      using directory = this.#directories.hold(parentOf(name));
      if (!directory) return true;
      const target = directory.entry(lastOf(name));
      const there = lstatOf(target);
      if (!this.#isAsSeen(path, there, seen)) return false;
      this.#known.delete(path);
      if (there?.isFile()) unlinkIfThere(target);
      this.#removeEmpty(name);
      return true;
    });
  }

  /** What was taken away meanwhile is nobody's loss. */
  #isAsSeen(path: DocumentPath, there: Stats | undefined, seen: TreeFile | undefined): boolean {
    if (!there?.isFile()) return true;
    const known = seen && this.#known.get(path);
    return known !== undefined && isSame(known, factsOf(there));
  }

  /**
   * The hash of what was read or written here last, if this very file still has the name; undefined: look. Says nothing about the
   * directories on the way.
   */
  unchanged(path: DocumentPath): string | undefined {
    const known = this.#known.get(path);
    if (!known) return undefined;
    return guarded(path, () => {
      const stats = lstatOf(join(this.#root, this.#onDisk(path)));
      return stats?.isFile() && isSame(known, factsOf(stats)) ? known.hash : undefined;
    });
  }

  /** In bytes; undefined: no regular file there. Raises `unavailable`. */
  sizeOf(path: DocumentPath): number | undefined {
    return guarded(path, () => {
      const name = this.#onDisk(path);
      const isInside = this.#leadsInside(name);
      const stats = isInside ? lstatSync(join(this.#root, name), { throwIfNoEntry: false }) : undefined;
      return stats?.isFile() ? stats.size : undefined;
    });
  }

  /** As far as can be seen. */
  isDirectory(path: DocumentPath): boolean {
    try {
      return this.#isDirectory(this.#onDisk(path));
    } catch {
      return false;
    }
  }

  /**
   * Undefined: no regular file there, or a name that no document has. Reads it only when it looks different from the last time. `blocked`
   * is told what else is there. Raises `unavailable`.
   */
  look(path: DocumentPath, blocked: (by: Obstacle) => void = () => {}): TreeFile | undefined {
    if (isReserved(path)) return undefined;
    return guarded(path, () => {
      const name = this.#onDisk(path);
      const above = this.#notInside(name);
      const at = above?.at ?? name;
      const stats = above ? above.stats : lstatSync(join(this.#root, name), { throwIfNoEntry: false });
      if (!above && stats?.isFile()) return this.#fileOf(path, factsOf(stats));
      if (stats) blocked({ at: at.normalize("NFC") as DocumentPath, isDirectory: stats.isDirectory() });
      return undefined;
    });
  }

  /** As `look`, with its content. Raises `too_large`, `unavailable`. */
  read(path: DocumentPath): (TreeFile & { readonly bytes: Uint8Array }) | undefined {
    if (isReserved(path)) return undefined;
    return guarded(path, () => {
      const name = this.#onDisk(path);
      const descriptor = this.#directories.open(name);
      if (descriptor === undefined) return undefined;
      try {
        const stats = fstatSync(descriptor);
        if (!stats.isFile()) return undefined;
        if (stats.size > FILE_BYTES_CEILING)
          throw fileError(
            "too_large",
            path,
            `the file in the working tree is larger than ${FILE_BYTES_CEILING} bytes; move it away`,
            { limit_bytes: FILE_BYTES_CEILING },
          );
        const bytes = readAll(descriptor, stats.size);
        const hash = sha256Hex(bytes);
        this.#known.set(path, { ...factsOf(stats), hash });
        return { path, size: bytes.length, hash, modified: stats.mtimeMs, bytes };
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** Every regular file below `prefix`, and what cannot be a document, as `walk` yields them. */
  *entries(prefix?: DocumentPath): Generator<TreeFile | RefusedEntry> {
    for (const found of this.found(prefix)) {
      const entry = "stats" in found ? this.#entryOf(found) : found;
      if (entry) yield entry;
    }
  }

  /** As `entries`, without a look at the contents. */
  *found(prefix?: DocumentPath): Generator<FoundFile | RefusedEntry> {
    const start = prefix === undefined ? "" : this.#onDisk(prefix);
    if (prefix !== undefined) {
      if (isReserved(prefix) || !this.#leadsInside(start)) return;
      const stats = lstatSync(join(this.#root, start), { throwIfNoEntry: false });
      if (stats?.isFile()) yield { path: prefix, stats };
      if (!stats?.isDirectory()) return;
    }
    yield* walk(this.#root, this.#directories, start);
  }

  #entryOf({ path, stats }: FoundFile): TreeFile | undefined {
    return guarded(path, () => this.#fileOf(path, factsOf(stats)));
  }

  #fileOf(path: DocumentPath, facts: Facts): TreeFile | undefined {
    const { size, modified } = facts;
    const known = this.#known.get(path);
    if (known && isSame(known, facts)) return { path, size, hash: known.hash, modified };
    return size > FILE_BYTES_CEILING ? { path, size, hash: "", modified } : this.read(path);
  }

  /** Held, and made where it is missing. Raises `conflict` when something else is on the way. */
  #made(directory: string, path: DocumentPath): Held {
    const there = this.#directories.hold(directory);
    if (there) return there;
    using above = this.#made(parentOf(directory), path);
    const entry = above.entry(lastOf(directory));
    if (!lstatOf(entry)) mkdirSync(entry, { mode: PRIVATE_DIRECTORY_MODE });
    const made = this.#directories.hold(directory);
    if (made) return made;
    throw fileError("conflict", path, `"${directory}" in the working tree is not a directory`, {
      blocked_by: [directory],
    });
  }

  #leadsInside(path: string): boolean {
    return this.#notInside(path) === undefined;
  }

  /** The first on the way that is not a directory; `stats` undefined: there is nothing. */
  #notInside(path: string): { at: string; stats: Stats | undefined } | undefined {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const at = path.slice(0, end);
      const stats = lstatSync(join(this.#root, at), { throwIfNoEntry: false });
      if (!stats?.isDirectory()) return { at, stats };
    }
    return undefined;
  }

  #removeEmpty(path: string): void {
    for (let directory = parentOf(path); directory !== ""; directory = parentOf(directory)) {
      try {
        using above = this.#directories.hold(parentOf(directory));
        if (!above) return;
        rmdirSync(above.entry(lastOf(directory)));
      } catch {
        return;
      }
    }
  }

  /** How the path is spelled on this disk: what was copied here from another system may have another Unicode form. */
  #onDisk(path: string): string {
    if (ASCII.test(path)) return path;
    let found = "";
    for (const segment of path.split("/")) {
      const exact = found === "" ? segment : `${found}/${segment}`;
      const isThere = lstatSync(join(this.#root, exact), { throwIfNoEntry: false }) !== undefined;
      const mayHold = !isThere && !ASCII.test(segment) && this.#isDirectory(found);
      const other =
        mayHold &&
        entriesOf(join(this.#root, found)).find(({ name }) => name.normalize("NFC") === segment)?.name;
      found = other ? (found === "" ? other : `${found}/${other}`) : exact;
    }
    return found;
  }

  #isDirectory(path: string): boolean {
    return lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }
}

/** A link, pipe, socket or device that somebody put there. */
export function notRegular(path: DocumentPath): AppError {
  const problem = "is not a regular file in the working tree; move it away";
  return fileError("conflict", path, problem, { blocked_by: [path] });
}

function factsOf(stats: Stats): Facts {
  return { size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs, inode: stats.ino };
}

function isSame(a: Facts, b: Facts): boolean {
  return a.size === b.size && a.modified === b.modified && a.changed === b.changed && a.inode === b.inode;
}

/** Empty: the root. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = readSync(descriptor, bytes, at, size - at, at);
    if (count === 0) break;
    at += count;
  }
  return at === size ? bytes : bytes.subarray(0, at);
}

/** Directories without a file in them are no obstacle: nothing is lost with them. */
function takeName(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    if (!DIRECTORY_IN_THE_WAY.includes(systemCode(error) ?? "")) throw error;
    removeEmptyTree(path);
    renameSync(temporary, path);
  }
}

function removeEmptyTree(directory: string): void {
  for (const entry of entriesOf(directory))
    if (entry.isDirectory()) removeEmptyTree(join(directory, entry.name));
  rmdirSync(directory);
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw fileError(
      "unavailable",
      path,
      `the working tree cannot be used (${systemCode(error) ?? "unknown"})`,
    );
  }
}
