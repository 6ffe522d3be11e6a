// Proves on disk that a canonical path leads to the intended file inside its root.
//
// Links are resolved and the result is proven. Then the path is walked again from the root, one directory at a time, without following
// links. Each directory stays open while the next is opened in it, so a swapped name is refused and never followed. This needs /proc/self/fd;
// other systems repeat the proof after opening. Raises AppError; messages name only the relative path.

import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { absentAsUndefined, existingAsDone, guarded } from "./disk.ts";
import { AppError, notFound } from "../error.ts";
import {
  CREATE_FILE,
  DESCRIPTORS,
  TELLS_SPELLING,
  NO_FOLLOW,
  OPEN_DIRECTORY,
  OPEN_FILE,
  sameFile,
  THROUGH,
  type Through,
} from "./held-directory.ts";
import { PRIVATE_DIRECTORY_MODE } from "./modes.ts";
import { placeBelow } from "./place-below.ts";
import { createDurably } from "./replace-file.ts";
import { foldedPath, type DocumentPath } from "../text/paths.ts";

const LIST_ENTRIES_MAX = 10_000;
const LOOKED_AT_ONCE = 64;
/** Of a file that someone replaces again and again. */
const RESOLUTIONS_MAX = 100;
const BROKEN = Symbol("a link to nothing");

export interface Listed {
  readonly name: string;
  /** `other`: a device, pipe, socket, or a link that is broken or leaves the root: listed, never opened. */
  readonly kind: "directory" | "file" | "other";
  /** Bytes of a file; null for any other kind. */
  readonly size: number | null;
  /** ms since the epoch. */
  readonly modified: number;
  /** Kind, size and time are those of what it leads to. */
  readonly isLink: boolean;
}

export interface OpenedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly size: number;
  readonly modified: number;
}

export class RootDirectory {
  readonly #path: string;
  readonly #throughDescriptors: boolean;

  /** `path` need not exist. `through` lets tests use the method of systems without /proc. */
  constructor(path: string, through: Through = THROUGH) {
    this.#path = path;
    this.#throughDescriptors = through === "descriptors";
  }

  /** Creates the root if it does not exist. */
  async create(): Promise<void> {
    await guarded("", () => mkdir(this.#path, { recursive: true, mode: PRIVATE_DIRECTORY_MODE }));
  }

  /** Lists one level, unsorted. Undefined if the root does not exist. Raises `not_found`, `invalid` (not a directory), `refused` (too many). */
  async list(path: DocumentPath | ""): Promise<Listed[] | undefined> {
    const root = await this.#root();
    if (root === undefined) return undefined;
    const real = path === "" ? root : await this.#resolve(root, path, "directory");
    await using directory = await this.#walk(root, real, path);
    const names = await guarded(path, () => readdir(directory.entry(".")));
    if (names.length > LIST_ENTRIES_MAX) {
      throw new AppError(
        "refused",
        `${path === "" ? "the directory" : path} has more than ${LIST_ENTRIES_MAX} entries; that is too many to list`,
      );
    }
    const listed: Listed[] = [];
    for (let start = 0; start < names.length; start += LOOKED_AT_ONCE) {
      const some = names
        .slice(start, start + LOOKED_AT_ONCE)
        .map((name) => look(root, real, directory, name));
      listed.push(...(await Promise.all(some)).filter((entry) => entry !== undefined));
    }
    return listed;
  }

  /** Opens a regular file for reading. Raises `not_found`, `invalid` (outside the root, directory, device, …). */
  async open(path: DocumentPath): Promise<OpenedFile> {
    await using place = await this.place(path);
    const file = await place?.open();
    if (!file) throw notFound("file", path);
    return file;
  }

  /**
   * Returns the place of a file, existing or not, with its directory held open. Undefined if the directory does not exist; `create` creates it.
   * Raises `invalid`, `conflict` (another spelling of an existing name, on disks that do not distinguish them).
   */
  async place(path: DocumentPath, missing: "leave" | "create" = "leave"): Promise<Place | undefined> {
    if (missing === "create") await this.create();
    const root = await this.#root();
    if (root === undefined) return undefined;
    const found = await this.#deepest(root, path);
    if (found.missing.length > 1 && missing === "leave") return undefined;
    const exists = found.missing.length === 0;
    if (exists) refuseResolvedSpelling(root, found.real, path);
    const inner = relative(root, found.real).split(sep).filter(Boolean);
    const name = exists ? inner.pop() : found.missing.pop();
    if (name === undefined) throw new AppError("invalid", `${path}: a directory, not a file`);
    let directory = await this.#walk(root, join(root, ...inner), path);
    try {
      for (const segment of found.missing) directory = await this.#descendInto(directory, segment, path);
      if (exists) await refuseOtherSpelling(directory, name, path);
      return new Place(path, directory, name);
    } catch (error) {
      await directory[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #root(): Promise<string | undefined> {
    return guarded("", () => absentAsUndefined(realpath(this.#path)));
  }

  async #resolve(root: string, path: DocumentPath, noun: string): Promise<string> {
    const real = await guarded(path, () => realPathOf(join(root, path)));
    if (real === undefined || real === BROKEN) throw notFound(noun, path);
    proveInside(root, real, path);
    refuseResolvedSpelling(root, real, path);
    return real;
  }

  /** Returns the deepest existing ancestor, resolved and proven, and the missing segments below it. */
  async #deepest(root: string, path: DocumentPath): Promise<{ real: string; missing: string[] }> {
    const segments = path.split("/");
    const missing: string[] = [];
    for (;;) {
      const candidate = join(root, ...segments);
      const real = await guarded(path, () => realPathOf(candidate));
      if (real === BROKEN) throw new AppError("invalid", `${path}: a link in the path is broken`);
      if (real !== undefined) return { real: proveInside(root, real, path), missing };
      if (segments.length === 0)
        throw new AppError("conflict", `${path}: the directory was removed in the meantime`);
      missing.unshift(segments.pop()!);
    }
  }

  /** Walks from the root to `real` without following links. */
  async #walk(root: string, real: string, path: string): Promise<HeldDirectory> {
    let directory = await this.#hold(root, root, path);
    for (const segment of relative(root, real).split(sep).filter(Boolean)) {
      const next = await this.#step(directory, segment, path);
      await directory[Symbol.asyncDispose]();
      directory = next;
    }
    return directory;
  }

  async #step(directory: HeldDirectory, segment: string, path: string): Promise<HeldDirectory> {
    try {
      await refuseOtherSpelling(directory, segment, path);
      return await this.#hold(directory.entry(segment), join(directory.real, segment), path);
    } catch (error) {
      await directory[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #descendInto(directory: HeldDirectory, segment: string, path: string): Promise<HeldDirectory> {
    await guarded(path, async () => {
      await existingAsDone(mkdir(directory.entry(segment), { mode: PRIVATE_DIRECTORY_MODE }));
      await directory.sync();
    });
    const next = await this.#hold(directory.entry(segment), join(directory.real, segment), path);
    await directory[Symbol.asyncDispose]();
    return next;
  }

  async #hold(path: string, real: string, shown: string): Promise<HeldDirectory> {
    return guarded(shown, async () => {
      if (this.#throughDescriptors) {
        const handle = await open(path, OPEN_DIRECTORY | NO_FOLLOW);
        return new HeldDirectory(real, `${DESCRIPTORS}/${handle.fd}`, handle, undefined);
      }
      const facts = await lstat(path);
      if (!facts.isDirectory())
        throw new AppError("invalid", `${shown}: a part of the path is not a directory`);
      return new HeldDirectory(real, real, undefined, facts);
    });
  }
}

/** A proven directory. With a descriptor it stays the same directory even if its name changes. */
class HeldDirectory implements AsyncDisposable {
  readonly real: string;
  readonly #base: string;
  readonly #handle: FileHandle | undefined;
  readonly #facts: Stats | undefined;

  constructor(real: string, base: string, handle: FileHandle | undefined, facts: Stats | undefined) {
    this.real = real;
    this.#base = base;
    this.#handle = handle;
    this.#facts = facts;
  }

  entry(name: string): string {
    return name === "." ? this.#base : `${this.#base}/${name}`;
  }

  /** Without a descriptor, checks that it is still the proven directory. Raises `conflict`. */
  async recheck(): Promise<void> {
    if (!this.#facts) return;
    const real = await absentAsUndefined(realpath(this.real));
    const facts = real === this.real ? await absentAsUndefined(lstat(real)) : undefined;
    if (!facts || !sameFile(facts, this.#facts)) throw replaced("directory");
  }

  /** Without a descriptor, checks that an open file is the one of this name: the directory may have been another one when it was opened. */
  async recheckFile(name: string, opened: Stats): Promise<void> {
    if (!this.#facts) return;
    await this.recheck();
    const facts = await absentAsUndefined(lstat(this.entry(name)));
    if (!facts || !sameFile(facts, opened)) throw replaced("file");
    await this.recheck();
  }

  /** Makes new names in it durable. Windows cannot sync a directory. */
  async sync(): Promise<void> {
    if (this.#handle) return this.#handle.sync();
    if (OPEN_DIRECTORY === constants.O_RDONLY) return;
    const handle = await open(this.real, OPEN_DIRECTORY);
    await handle.sync().finally(() => handle.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close();
  }
}

function replaced(what: "directory" | "file"): AppError {
  return new AppError("conflict", `the ${what} was replaced in the meantime; try again`);
}

/** One name in a held directory. Links are not followed: it is a regular file, absent, or refused. */
export class Place implements AsyncDisposable {
  readonly path: DocumentPath;
  readonly #directory: HeldDirectory;
  readonly #name: string;

  constructor(path: DocumentPath, directory: HeldDirectory, name: string) {
    this.path = path;
    this.#directory = directory;
    this.#name = name;
  }

  /** Returns undefined if the file does not exist. */
  async open(): Promise<OpenedFile | undefined> {
    return guarded(this.path, async () => {
      const entry = this.#directory.entry(this.#name);
      const before = await absentAsUndefined(lstat(entry));
      if (!before) return undefined;
      requireRegular(before, this.path);
      const handle = await absentAsUndefined(open(entry, OPEN_FILE));
      if (!handle) return undefined;
      try {
        const facts = await handle.stat();
        requireRegular(facts, this.path);
        await this.#directory.recheckFile(this.#name, facts);
        return {
          handle,
          size: facts.size,
          modified: facts.mtimeMs,
          [Symbol.asyncDispose]: () => handle.close(),
        };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  /**
   * Replaces the file atomically: writes `temporaryName` beside it, syncs it and renames it. Overwrites a temporary file left by a crash, so the
   * caller must prevent concurrent saves of one file. `meanwhile` runs beside the writing. A failure of it, or a throw in `beforeRename`, leaves the
   * file unchanged.
   */
  async replace(
    content: Uint8Array,
    temporaryName: string,
    { meanwhile, beforeRename }: ReplaceSteps = {},
  ): Promise<void> {
    const temporary = this.#directory.entry(temporaryName);
    const target = this.#directory.entry(this.#name);
    await guarded(this.path, async () => {
      const before = await absentAsUndefined(lstat(target));
      if (before) requireRegular(before, this.path);
      await this.#directory.recheck();
      await rm(temporary, { force: true });
      try {
        await both(createDurably(temporary, content, { flags: CREATE_FILE }), meanwhile?.());
        await this.#directory.recheck();
        beforeRename?.();
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
      await this.#directory.sync();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#directory[Symbol.asyncDispose]();
  }
}

interface ReplaceSteps {
  readonly meanwhile?: () => Promise<void>;
  readonly beforeRename?: () => void;
}

/** Waits for both, also when one fails: the file must not be written after its removal. */
async function both(...works: (Promise<void> | undefined)[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works))
    if (outcome.status === "rejected") throw outcome.reason;
}

function proveInside(root: string, real: string, path: string): string {
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new AppError("invalid", `${path}: a link in the path leads out of the directory`);
}

/**
 * Undefined: nothing is there; `BROKEN`: a link to nothing. The runtime reports a file as absent if it is replaced while its path is resolved,
 * so only a link or nothing is taken at its word.
 */
async function realPathOf(path: string): Promise<string | typeof BROKEN | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const real = await absentAsUndefined(realpath(path));
    if (real !== undefined) return real;
    const entry = await absentAsUndefined(lstat(path));
    if (!entry) return undefined;
    if (entry.isSymbolicLink() || attempt === RESOLUTIONS_MAX) return BROKEN;
  }
}

function refuseResolvedSpelling(root: string, real: string, path: string): void {
  if (!TELLS_SPELLING) return;
  const there = placeBelow(root, real).normalize("NFC");
  if (there === path || foldedPath(there) !== foldedPath(path)) return;
  throw new AppError("conflict", `${path}: this disk treats it and the existing "${there}" as one name`);
}

function requireRegular(facts: Stats, path: string): void {
  if (facts.isFile()) return;
  if (facts.isDirectory()) throw new AppError("invalid", `${path}: a directory, not a file`);
  if (facts.isSymbolicLink()) throw new AppError("invalid", `${path}: replaced by a link in the meantime`);
  throw new AppError("invalid", `${path}: a device, pipe or socket, not a file`);
}

/** Returns undefined if it no longer exists. */
async function look(
  root: string,
  real: string,
  directory: HeldDirectory,
  name: string,
): Promise<Listed | undefined> {
  const facts = await absentAsUndefined(lstat(directory.entry(name)));
  if (!facts) return undefined;
  const isLink = facts.isSymbolicLink();
  const meant = isLink ? await linkTarget(root, join(real, name)) : facts;
  const kind = meant?.isDirectory() ? "directory" : meant?.isFile() ? "file" : "other";
  const size = kind === "file" ? meant!.size : null;
  return { name, kind, size, modified: (meant ?? facts).mtimeMs, isLink };
}

async function linkTarget(root: string, path: string): Promise<Stats | undefined> {
  try {
    return await stat(proveInside(root, await realpath(path), ""));
  } catch {
    return undefined;
  }
}

/**
 * On a case-insensitive disk, accepts only the existing spelling, because two paths must never be one file. A disk is case-insensitive if the
 * name is found and not listed. Its inode says nothing: some disks give each spelling another one.
 */
async function refuseOtherSpelling(directory: HeldDirectory, name: string, path: string): Promise<void> {
  const swapped = swapCase(name);
  if (swapped === name) return;
  const [here, there] = await Promise.all(
    [name, swapped].map((each) => lstat(directory.entry(each)).catch(() => undefined)),
  );
  if (!here || !there) return;
  const names = await guarded(path, () => readdir(directory.entry(".")));
  if (names.includes(name)) return;
  const spelling = names.find((each) => foldedPath(each) === foldedPath(name));
  throw new AppError(
    "conflict",
    `${path}: this disk treats "${name}" and the existing "${spelling ?? swapped}" as one name`,
  );
}

function swapCase(name: string): string {
  return [...name]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join("");
}
