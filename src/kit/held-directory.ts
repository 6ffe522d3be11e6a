// The synchronous part of proving paths, for a tree of files that is written between a commit and its acknowledgement: a directory is opened
// first and proven then, by asking the system where it lies. Whatever is done in it afterwards happens there, whoever swaps a name on the way.
//
// That needs /proc/self/fd; elsewhere the proof is repeated before each deed. Links are not followed at all.

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
import { AppError, systemCode } from "./error.ts";

/** Windows has none of these. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
export const OPEN_DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
/** A FIFO that took the file's place must not make us wait for its other end. */
export const OPEN_FILE =
  constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
export const CREATE_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

export const DESCRIPTORS = "/proc/self/fd";
export type Through = "descriptors" | "paths";
export const THROUGH: Through = existsSync(DESCRIPTORS) ? "descriptors" : "paths";

/** There is no such directory, or no such file that could be opened. */
const ABSENT = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "ENXIO"];

export function sameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** The directories below a root, which is trusted itself. */
export class HeldRoot {
  readonly #path: string;
  readonly #through: Through;
  #real: string | undefined;

  /** `through`: for tests of the way that systems without /proc go. */
  constructor(path: string, through: Through = THROUGH) {
    this.#path = path;
    this.#through = through;
  }

  /** Undefined: nothing there, no directory, or a link on the way. `path`: relative, `/` between segments; empty for the root. */
  hold(path: string): Held | undefined {
    // No name on the way could be swapped.
    if (path === "") return new Held(this.#path, undefined, () => true);
    if (this.#through === "paths") return this.#holdPath(path);
    const descriptor = opened(`${this.#path}/${path}`, OPEN_DIRECTORY | NO_FOLLOW);
    if (descriptor === undefined) return undefined;
    const held = new Held(`${DESCRIPTORS}/${descriptor}`, descriptor, () => true);
    if (this.#lies(descriptor, path)) return held;
    held[Symbol.dispose]();
    return undefined;
  }

  /** For reading, to be closed by the caller. Undefined as `hold`; whether it is a regular file is still to be asked. */
  open(path: string): number | undefined {
    const descriptor = opened(`${this.#path}/${path}`, OPEN_FILE);
    if (descriptor === undefined || this.#lies(descriptor, path)) return descriptor;
    closeSync(descriptor);
    return undefined;
  }

  /** Is what was opened the file or directory of that path, without a link on the way? */
  #lies(descriptor: number, path: string): boolean {
    // The name itself was opened without following it, and some disks know it in another case.
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

/** A directory that was proven. With a descriptor it stays the same directory whatever happens to its name. */
export class Held implements Disposable {
  readonly #base: string;
  readonly #descriptor: number | undefined;
  readonly #isStill: () => boolean;

  constructor(base: string, descriptor: number | undefined, isStill: () => boolean) {
    this.#base = base;
    this.#descriptor = descriptor;
    this.#isStill = isStill;
  }

  /** Returns the path of a name in it, to be used at once. Raises `conflict` for a directory that was replaced, where there are no descriptors. */
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

/** Undefined: nothing there, or below something that is not a directory. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
