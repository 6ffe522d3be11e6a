// The working tree of a space on the disk: plain files, and what is known of them. It knows no versions (mirror.ts does).
//
// Synchronous, since it is written between a commit and its acknowledgement. No link is followed: every directory on the way is looked at,
// files are opened without following, and a rename replaces a name, not what it points to.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
  type Dirent,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../kit/crypto.ts";
import { AppError, systemCode } from "../../../kit/error.ts";
import { pathProblem, type DocumentPath } from "../../../kit/paths.ts";
import { fileError } from "../file-error.ts";
import { FILE_BYTES_CEILING } from "../schema.ts";
import { isReserved } from "./reserved.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const READ = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
/** Temporary files lie here, on the same disk and out of sight. */
const OWN_DIRECTORY = ".cairn";
const TEMPORARY_PREFIX = "write-";
const DEPTH_MAX = 100;
const ASCII = /^[\0-\x7f]*$/;
/** There is no regular file of that name that could be read. */
const NOT_A_FILE = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "ENXIO"];

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

interface Found {
  readonly path: DocumentPath;
  readonly facts: Facts;
}

export class Tree {
  readonly #root: string;
  /** Of files that were read or written here: their hash, as long as they look the same. */
  readonly #known = new Map<DocumentPath, Facts & { readonly hash: string }>();
  #temporary = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Takes away what a crash left half written. Only for who holds the space's lock. */
  clearTemporary(): void {
    for (const entry of this.#entries(OWN_DIRECTORY)) {
      if (entry.isFile() && entry.name.startsWith(TEMPORARY_PREFIX))
        unlinkIfThere(join(this.#root, OWN_DIRECTORY, entry.name));
    }
  }

  /**
   * Replaces the file, if it still is as it was `seen` (by `look`) when it takes its name: making one can take as long as somebody's edit.
   * Returns whether it was. Raises `unavailable` when the disk refuses, `conflict` when something else than a directory is on the way.
   */
  put(path: DocumentPath, content: Uint8Array, hash: string, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = this.#onDisk(path);
      this.#directories(name);
      this.#temporary += 1;
      const temporary = join(
        this.#root,
        OWN_DIRECTORY,
        `${TEMPORARY_PREFIX}${process.pid}-${this.#temporary}`,
      );
      const descriptor = openSync(temporary, CREATE, FILE_MODE);
      try {
        let at = 0;
        while (at < content.length) at += writeSync(descriptor, content, at);
        const written = fstatSync(descriptor);
        if (!this.#isAsSeen(path, name, seen)) {
          unlinkIfThere(temporary);
          return false;
        }
        renameSync(temporary, join(this.#root, name));
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

  /** Removes the file, as `put` replaces one, and directories that are empty then. Raises `unavailable`. */
  remove(path: DocumentPath, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = this.#onDisk(path);
      if (!this.#leadsInside(name)) return true;
      if (!this.#isAsSeen(path, name, seen)) return false;
      this.#known.delete(path);
      const facts = lstatSync(join(this.#root, name), { throwIfNoEntry: false });
      if (facts && !facts.isDirectory()) unlinkIfThere(join(this.#root, name));
      this.#removeEmpty(name);
      return true;
    });
  }

  /** What was taken away meanwhile is nobody's loss. */
  #isAsSeen(path: DocumentPath, name: string, seen: TreeFile | undefined): boolean {
    const stats = lstatSync(join(this.#root, name), { throwIfNoEntry: false });
    if (!stats?.isFile()) return true;
    const known = seen && this.#known.get(path);
    return known !== undefined && isSame(known, factsOf(stats));
  }

  /**
   * The hash of what was read or written here last, if this very file still has the name; undefined: look. Says nothing about the
   * directories on the way.
   */
  unchanged(path: DocumentPath): string | undefined {
    const known = this.#known.get(path);
    if (!known) return undefined;
    return guarded(path, () => {
      const stats = lstatSync(join(this.#root, this.#onDisk(path)), { throwIfNoEntry: false });
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

  /** Undefined: no regular file there, or a name that is no document's. Reads it only when it looks different from the last time. Raises `unavailable`. */
  look(path: DocumentPath): TreeFile | undefined {
    if (isReserved(path)) return undefined;
    return guarded(path, () => {
      const name = this.#onDisk(path);
      if (!this.#leadsInside(name)) return undefined;
      const stats = lstatSync(join(this.#root, name), { throwIfNoEntry: false });
      return stats?.isFile() ? this.#fileOf(path, factsOf(stats)) : undefined;
    });
  }

  /** As `look`, with its content. Raises `too_large`, `unavailable`. */
  read(path: DocumentPath): (TreeFile & { readonly bytes: Uint8Array }) | undefined {
    if (isReserved(path)) return undefined;
    return guarded(path, () => {
      const name = this.#onDisk(path);
      const descriptor = this.#leadsInside(name) ? openToRead(join(this.#root, name)) : undefined;
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

  /**
   * Every regular file below `prefix`, unsorted, one after the other, so that the caller can pause. Names that can't be documents and
   * directories that can't be read are left out; links are not followed.
   */
  *files(prefix?: DocumentPath): Generator<TreeFile> {
    for (const { path, facts } of this.#walk(prefix)) {
      const file = guarded(path, () => this.#fileOf(path, facts));
      if (file) yield file;
    }
  }

  *#walk(prefix: DocumentPath | undefined): Generator<Found> {
    const start = prefix === undefined ? "" : this.#onDisk(prefix);
    if (prefix !== undefined) {
      if (isReserved(prefix) || !this.#leadsInside(start)) return;
      const stats = lstatSync(join(this.#root, start), { throwIfNoEntry: false });
      if (stats?.isFile()) yield { path: prefix, facts: factsOf(stats) };
      if (!stats?.isDirectory()) return;
    }
    yield* this.#below(start, 0);
  }

  *#below(directory: string, depth: number): Generator<Found> {
    if (depth > DEPTH_MAX) return;
    for (const entry of this.#entries(directory)) {
      const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (isReserved(entry.name)) continue;
      if (entry.isDirectory()) yield* this.#below(name, depth + 1);
      else if (entry.isFile() && pathProblem(name) === undefined) {
        const stats = lstatSync(join(this.#root, name), { throwIfNoEntry: false });
        if (stats?.isFile()) yield { path: name.normalize("NFC") as DocumentPath, facts: factsOf(stats) };
      }
    }
  }

  #entries(directory: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, directory), { withFileTypes: true });
    } catch {
      return [];
    }
  }

  #fileOf(path: DocumentPath, facts: Facts): TreeFile | undefined {
    const { size, modified } = facts;
    const known = this.#known.get(path);
    if (known && isSame(known, facts)) return { path, size, hash: known.hash, modified };
    return size > FILE_BYTES_CEILING ? { path, size, hash: "", modified } : this.read(path);
  }

  /** Makes the directories on the way; each that is there must be a real one. */
  #directories(path: string): void {
    let at = path.indexOf("/");
    while (at >= 0) {
      const directory = join(this.#root, path.slice(0, at));
      const stats = lstatSync(directory, { throwIfNoEntry: false });
      if (!stats) mkdirSync(directory, { mode: DIRECTORY_MODE });
      else if (!stats.isDirectory())
        throw fileError("conflict", path, `"${path.slice(0, at)}" in the working tree is not a directory`, {
          blocked_by: [path.slice(0, at)],
        });
      at = path.indexOf("/", at + 1);
    }
  }

  #leadsInside(path: string): boolean {
    let at = path.indexOf("/");
    while (at >= 0) {
      if (!lstatSync(join(this.#root, path.slice(0, at)), { throwIfNoEntry: false })?.isDirectory())
        return false;
      at = path.indexOf("/", at + 1);
    }
    return true;
  }

  #removeEmpty(path: string): void {
    const segments = path.split("/").slice(0, -1);
    while (segments.length > 0) {
      try {
        rmdirSync(join(this.#root, ...segments));
      } catch {
        return;
      }
      segments.pop();
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
        mayHold && this.#entries(found).find(({ name }) => name.normalize("NFC") === segment)?.name;
      found = other ? (found === "" ? other : `${found}/${other}`) : exact;
    }
    return found;
  }

  #isDirectory(path: string): boolean {
    return lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }
}

function factsOf(stats: Stats): Facts {
  return { size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs, inode: stats.ino };
}

function isSame(a: Facts, b: Facts): boolean {
  return a.size === b.size && a.modified === b.modified && a.changed === b.changed && a.inode === b.inode;
}

function openToRead(path: string): number | undefined {
  try {
    return openSync(path, READ);
  } catch (error) {
    if (NOT_A_FILE.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
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
