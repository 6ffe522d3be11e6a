// The synchronous part of proving paths, for a tree of files that is written between a commit and its acknowledgement: a directory is opened
// first and then proven, by asking the system for its location. Later operations use the open directory, even if a name on the path is swapped.
//
// This needs /proc/self/fd; other systems repeat the proof before each operation. Links are never followed.

import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { AppError, systemCode } from "../error.ts";

/** Windows has none of these flags. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
export const OPEN_DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
/** Opening a FIFO that replaced the file must not block. */
export const OPEN_FILE =
  constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
export const CREATE_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

export const DESCRIPTORS = "/proc/self/fd";
export type Through = "descriptors" | "paths";
/** Not everywhere where the path exists: on Windows everybody may create it. */
export const THROUGH: Through =
  process.platform === "linux" && existsSync(DESCRIPTORS) ? "descriptors" : "paths";

/** Platforms where resolving a path also returns its spelling on disk. */
export const TELLS_SPELLING = process.platform === "darwin" || process.platform === "win32";

/** Linux adds this to the path of an open file that was deleted or replaced. proc_pid_fd(5). */
const REPLACED = " (deleted)";

/** The directory or file does not exist or cannot be opened. */
const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "ENXIO"];

export function sameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** The directories below a root, which is trusted itself. */
export class HeldRoot {
  readonly #path: string;
  readonly #through: Through;
  #real: string | undefined;

  /** `through` lets tests use the method of systems without /proc. */
  constructor(path: string, through: Through = THROUGH) {
    this.#path = path;
    this.#through = through;
  }

  /** Returns undefined if it does not exist, is not a directory, or has a link on its path. `path` is relative, with `/`; empty for the root. */
  hold(path: string): Held | undefined {
    // No name on the path could be swapped.
    if (path === "") return new Held(this.#path, undefined, () => true);
    if (this.#through === "paths") return this.#holdPath(path);
    const descriptor = opened(`${this.#path}/${path}`, OPEN_DIRECTORY | NO_FOLLOW);
    if (descriptor === undefined) return undefined;
    const held = new Held(`${DESCRIPTORS}/${descriptor}`, descriptor, () => true);
    if (this.#lies(descriptor, path)) return held;
    held[Symbol.dispose]();
    return undefined;
  }

  /** Opens for reading; the caller closes it and checks that it is a regular file. Undefined as for `hold`. */
  open(path: string): number | undefined {
    const descriptor = opened(`${this.#path}/${path}`, OPEN_FILE);
    if (descriptor === undefined || this.#lies(descriptor, path)) return descriptor;
    // A file that was replaced since was there. Nothing else can have this place, because the last name was opened as it is written.
    if (this.#lies(descriptor, `${path}${REPLACED}`)) return descriptor;
    closeSync(descriptor);
    return undefined;
  }

  /** Reports whether the open file or directory is the one at that path, without links. */
  #lies(descriptor: number, path: string): boolean {
    // The last name was opened without following links, and some disks store it in another case.
    if (this.#through === "paths") return this.#isReal(dirname(path));
    const place = readlinkSync(`${DESCRIPTORS}/${descriptor}`);
    if (place === `${(this.#real ??= realpathSync(this.#path))}/${path}`) return true;
    // The root itself may have been moved.
    return place === `${(this.#real = realpathSync(this.#path))}/${path}`;
  }

  #holdPath(path: string): Held | undefined {
    const at = join(this.#path, path);
    const facts = lstatOf(at);
    if (!facts?.isDirectory() || !this.#isReal(path)) return undefined;
    return new Held(at, undefined, () => {
      const now = lstatOf(at);
      return now !== undefined && sameFile(now, facts) && this.#isReal(path);
    });
  }

  #isReal(path: string): boolean {
    try {
      return realpathSync(join(this.#path, path)) === join(realpathSync(this.#path), ...path.split("/"));
    } catch {
      return false;
    }
  }
}

/** A proven directory. With a descriptor it stays the same directory even if its name changes. */
export class Held implements Disposable {
  readonly #base: string;
  readonly #descriptor: number | undefined;
  readonly #isStill: () => boolean;

  constructor(base: string, descriptor: number | undefined, isStill: () => boolean) {
    this.#base = base;
    this.#descriptor = descriptor;
    this.#isStill = isStill;
  }

  /** Returns the path of a name in it, for immediate use. Without descriptors, raises `conflict` if the directory was replaced. */
  entry(name: string): string {
    if (!this.#isStill())
      throw new AppError("conflict", "the directory was replaced in the meantime; try again");
    return `${this.#base}${sep}${name}`;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function opened(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (ABSENT.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Returns undefined if it does not exist or an ancestor is not a directory. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
