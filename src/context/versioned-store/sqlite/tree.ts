// The working tree of a space on disk: plain files, and a cache of their hashes. It knows nothing of versions (replacing.ts does).
//
// Synchronous, because it is written between a commit and its acknowledgement. Follows no links: directories are held open while something in them
// is read, written or removed, and a rename replaces a name, not its target. A `look` is only a hint, which is verified before it is acted on.

import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  writeSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { readAll } from "../../../kit/disk/read-all.ts";
import { systemClock } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/crypto.ts";
import { CREATE_FILE, HeldRoot, lstatOf, type Held } from "../../../kit/disk/held-directory.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../../kit/disk/modes.ts";
import { ancestorsOf, type DocumentPath } from "../../../kit/text/paths.ts";
import { fileError } from "../file-error.ts";
import { FILE_BYTES_CEILING } from "../schema.ts";
import { nameOnDisk } from "./disk-name.ts";
import { glanceAt, type Glance } from "./glance.ts";
import { isReserved } from "./reserved.ts";
import { keepPermissions, takeName, unlinkIfPossible, unlinkIfThere } from "./names.ts";
import { backdated, mayChangeUnseen } from "./signature.ts";
import { otherDirectory, Spelling } from "./spelling.ts";
import { guarded, notRegular, orUnreadable, otherSpelling, tooLarge } from "./tree-errors.ts";
import {
  factsOf,
  isSame,
  type Facts,
  type KnownFile,
  type Obstacle,
  type ReadFile,
  type TreeFile,
} from "./tree-file.ts";
import { walkTogether, type Lookers } from "./walk-together.ts";
import { entriesOf, walk, type FoundFile, type RefusedEntry } from "./walk.ts";

/** Holds temporary files, on the same disk and hidden. */
const OWN_DIRECTORY = ".cairn";
const TEMPORARY_PREFIX = "write-";
/** The precision that a time may lose on its way to a file system. */
const TIME_PRECISION_MS = 1;

interface NewFile {
  readonly path: DocumentPath;
  /** The path as on disk. */
  readonly name: string;
  readonly content: Uint8Array;
  readonly hash: string;
}

interface TreeOptions {
  /** Replaced in tests that act between a check and its use. */
  readonly directories?: HeldRoot;
  /** Threads that help to look at a large tree. */
  readonly lookers?: Lookers | undefined;
  /** Replaced in tests, whose disk may not ignore case. */
  readonly spelling?: Pick<Spelling, "of" | "isExact">;
}

export class Tree {
  readonly #root: string;
  readonly #directories: HeldRoot;
  /** The hashes of files read or written here, valid as long as the facts match. */
  readonly #known = new Map<DocumentPath, KnownFile>();
  /** Paths whose facts were learned here, and that no later edit can repeat. */
  readonly #learned = new Set<DocumentPath>();
  readonly #lookers: Lookers | undefined;
  readonly #spelling: Pick<Spelling, "of" | "isExact">;
  #temporary = 0;
  /** The directory of the file that was written last. */
  #last: { readonly name: string; readonly held: Held } | undefined;
  #isTogether = false;
  /** The directory of temporary files, held open from the first write on, because every write needs it. */
  #own: Held | undefined;

  constructor(root: string, { directories = new HeldRoot(root), lookers, spelling }: TreeOptions = {}) {
    this.#root = root;
    this.#spelling = spelling ?? new Spelling(root);
    this.#directories = directories;
    this.#lookers = lookers;
  }

  /** Releases the held directory. */
  close(): void {
    this.#own?.[Symbol.dispose]();
    this.#own = undefined;
  }

  /** Removes temporary files left by a crash. Call only with the lock of the space. */
  clearTemporary(): void {
    using own = this.#directories.hold(OWN_DIRECTORY);
    for (const entry of own ? entriesOf(own.entry(".")) : []) {
      if (entry.isFile() && entry.name.startsWith(TEMPORARY_PREFIX)) unlinkIfPossible(own!.entry(entry.name));
    }
  }

  /**
   * Replaces the file if it is still as `seen` by `look` just before the rename, because someone may edit it during the write. Returns whether it
   * did. Raises `unavailable` when the disk fails, `conflict` if something other than a directory is on the way or something other than a file has
   * the name: only files have versions, so it would be lost.
   */
  put(path: DocumentPath, content: Uint8Array, hash: string, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = nameOnDisk(this.#root, path);
      const put = () => this.#putIn(this.#near(parentOf(name), path), { path, name, content, hash }, seen);
      const isProven = this.#last?.name === parentOf(name);
      try {
        return put();
      } catch (error) {
        this.#letGo();
        // The directory may be gone since the file before.
        if (!isProven) throw error;
        return put();
      } finally {
        if (!this.#isTogether) this.#letGo();
      }
    });
  }

  #putIn(directory: Held, { path, name, content, hash }: NewFile, seen: TreeFile | undefined): boolean {
    this.#temporary += 1;
    const temporary = (this.#own ??= this.#made(OWN_DIRECTORY, path)).entry(
      `${TEMPORARY_PREFIX}${process.pid}-${this.#temporary}`,
    );
    const descriptor = openSync(temporary, CREATE_FILE, PRIVATE_FILE_MODE);
    try {
      let at = 0;
      while (at < content.length) at += writeSync(descriptor, content, at);
      const modified = backdated(descriptor);
      const target = directory.entry(lastOf(name));
      const there = lstatOf(target);
      if (there) this.#requireSpelling(name, path);
      if (there && !there.isFile() && !there.isDirectory()) throw notRegular(path);
      if (!this.#isAsSeen(path, there, seen)) {
        unlinkIfThere(temporary);
        return false;
      }
      if (there?.isFile()) keepPermissions(descriptor, there);
      takeName(temporary, target);
      const facts = factsOf(fstatSync(descriptor));
      const isOurs = facts.size === content.length && Math.abs(facts.modified - modified) < TIME_PRECISION_MS;
      if (isOurs) this.#learn(path, { ...facts, hash });
      else this.#forget(path);
      return true;
    } catch (error) {
      unlinkIfThere(temporary);
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Proves and holds a directory once for the files that `work` writes to it one after another. `work` does not pause. */
  together(work: () => void): void {
    this.#isTogether = true;
    try {
      work();
    } finally {
      this.#isTogether = false;
      this.#letGo();
    }
  }

  #near(directory: string, path: DocumentPath): Held {
    if (this.#last?.name !== directory) {
      this.#letGo();
      this.#last = { name: directory, held: this.#made(directory, path) };
    }
    return this.#last.held;
  }

  #letGo(): void {
    this.#last?.held[Symbol.dispose]();
    this.#last = undefined;
  }

  /** Removes the file under the same condition as `put`, and directories that become empty. Keeps anything but a file. Raises `unavailable`. */
  remove(path: DocumentPath, seen: TreeFile | undefined): boolean {
    return guarded(path, () => {
      const name = nameOnDisk(this.#root, path);
      // It may be removed here.
      this.#letGo();
      using directory = this.#directories.hold(parentOf(name));
      if (!directory) return true;
      const target = directory.entry(lastOf(name));
      const there = lstatOf(target);
      if (there && !this.#spelling.isExact(name)) return true;
      if (!this.#isAsSeen(path, there, seen)) return false;
      this.#forget(path);
      if (there?.isFile()) unlinkIfThere(target);
      this.#removeEmpty(name);
      return true;
    });
  }

  /** Trusts a signature of an earlier process. Facts learned here win. */
  recall(path: DocumentPath, known: KnownFile): void {
    if (!this.#known.has(path)) this.#known.set(path, known);
  }

  /** Returns up to `count` of the files learned here since the last call. */
  learned(count: number): [DocumentPath, KnownFile][] {
    const some: [DocumentPath, KnownFile][] = [];
    for (const path of this.#learned) {
      if (some.length === count) break;
      some.push([path, this.#known.get(path)!]);
      this.#learned.delete(path);
    }
    return some;
  }

  #learn(path: DocumentPath, known: KnownFile): void {
    this.#known.set(path, known);
    this.#learned.add(path);
  }

  #forget(path: DocumentPath): void {
    this.#known.delete(path);
    this.#learned.delete(path);
  }

  /** Also true if the file is gone meanwhile, because then nothing can be lost. */
  #isAsSeen(path: DocumentPath, there: Stats | undefined, seen: TreeFile | undefined): boolean {
    if (!there?.isFile()) return true;
    const known = seen && this.#known.get(path);
    return known !== undefined && isSame(known, factsOf(there));
  }

  /**
   * Returns the hash of the last read or write, if the same file still has the name; undefined: call `look`. Does not check the directories on the
   * way.
   */
  unchanged(path: DocumentPath): string | undefined {
    const known = this.#known.get(path);
    if (!known) return undefined;
    return guarded(path, () => {
      const stats = lstatOf(join(this.#root, nameOnDisk(this.#root, path)));
      return stats?.isFile() && isSame(known, factsOf(stats)) ? known.hash : undefined;
    });
  }

  /** Returns the size in bytes; undefined: not a regular file. Raises `unavailable`. */
  sizeOf(path: DocumentPath): number | undefined {
    return guarded(path, () => {
      const name = nameOnDisk(this.#root, path);
      const stats = this.#leadsInside(name) ? this.#statsOf(name) : undefined;
      return stats?.isFile() && this.#spelling.isExact(name) ? stats.size : undefined;
    });
  }

  /** Best effort: false on errors. */
  isDirectory(path: DocumentPath): boolean {
    try {
      return this.#isDirectory(nameOnDisk(this.#root, path));
    } catch {
      return false;
    }
  }

  /** Returns the path that the disk takes for this one, as it spells it. Best effort: undefined on errors. */
  otherSpelling(path: DocumentPath): DocumentPath | undefined {
    try {
      const spelled = this.#spelling.of(nameOnDisk(this.#root, path)) as DocumentPath;
      return spelled === path ? undefined : spelled;
    } catch {
      return undefined;
    }
  }

  /**
   * Undefined: not a regular file, or a reserved name. Reads the file only if its facts have changed. Calls `blocked` with anything else found
   * there, and with a directory that the disk takes for one of the path. Raises `unavailable`.
   */
  look(path: DocumentPath, blocked?: (by: Obstacle) => void): TreeFile | undefined {
    if (isReserved(path)) return undefined;
    return guarded(path, () => {
      const name = nameOnDisk(this.#root, path);
      const above = this.#notInside(name);
      const stats = above ? above.stats : this.#statsOf(name);
      if (!stats) {
        const at = blocked && (otherDirectory(this.#spelling, name) as DocumentPath | undefined);
        return void (at === undefined || blocked!({ at, isDirectory: true }));
      }
      const at = this.#spelling.of(above?.at ?? name) as DocumentPath;
      if (stats.isFile() && at === path) return this.#fileOf(path, factsOf(stats));
      blocked?.({ at, isDirectory: stats.isDirectory() });
      return undefined;
    });
  }

  /** As `look`, with the content. Raises `too_large`, `unavailable`. */
  read(path: DocumentPath): ReadFile | undefined {
    return isReserved(path) ? undefined : guarded(path, () => this.#read(path));
  }

  #read(path: DocumentPath): ReadFile | undefined {
    const name = nameOnDisk(this.#root, path);
    const descriptor = this.#directories.open(name);
    if (descriptor === undefined) return undefined;
    try {
      const now = systemClock.now();
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || !this.#spelling.isExact(name)) return undefined;
      if (stats.size > FILE_BYTES_CEILING) throw tooLarge(path);
      const bytes = readAll(descriptor, stats.size);
      const hash = sha256Hex(bytes);
      this.#learn(path, { ...factsOf(stats), hash });
      // Good enough for this process, and not for the next one.
      if (mayChangeUnseen(stats, now)) this.#learned.delete(path);
      return { path, size: bytes.length, hash, modified: stats.mtimeMs, bytes };
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * Returns every regular file below `prefix`, and entries that cannot be documents, in the order of `walk`. Without `prefix`, several threads may
   * look at the files before it resolves.
   */
  async entries(prefix: DocumentPath | undefined): Promise<Iterable<TreeFile | RefusedEntry>> {
    return this.#hashed(prefix === undefined ? await this.all() : this.found(prefix));
  }

  /** As `entries` of the whole tree, without hashes. */
  all(): Promise<Iterable<FoundFile | RefusedEntry>> {
    return walkTogether(this.#root, this.#directories, "", this.#lookers);
  }

  /** See glance.ts. `first`: work that comes before it. */
  glance(first?: Promise<unknown>): Promise<Glance | undefined> {
    return glanceAt(this.#root, systemClock.now(), { lookers: this.#lookers, first });
  }

  *#hashed(entries: Iterable<FoundFile | RefusedEntry>): Generator<TreeFile | RefusedEntry> {
    for (const found of entries) {
      const entry = "stats" in found ? this.#entryOf(found) : found;
      if (entry) yield entry;
    }
  }

  /** As `entries`, without hashes. */
  *found(prefix?: DocumentPath): Generator<FoundFile | RefusedEntry> {
    const start = prefix === undefined ? "" : nameOnDisk(this.#root, prefix);
    if (prefix !== undefined) {
      const there = this.#foundAt(prefix, start);
      if (there && there !== "directory") yield there;
      if (there !== "directory") return;
    }
    yield* walk(this.#root, this.#directories, start);
  }

  #foundAt(path: DocumentPath, name: string): FoundFile | RefusedEntry | "directory" | undefined {
    return orUnreadable(path, undefined, () => {
      if (isReserved(path) || !this.#leadsInside(name)) return undefined;
      const stats = this.#statsOf(name);
      if (!stats || !this.#spelling.isExact(name)) return undefined;
      if (stats.isDirectory()) return "directory";
      return stats.isFile() ? { path, name, stats } : undefined;
    });
  }

  #entryOf({ path, stats }: FoundFile): TreeFile | RefusedEntry | undefined {
    return orUnreadable(path, stats, () => this.#fileOf(path, factsOf(stats)));
  }

  #fileOf(path: DocumentPath, facts: Facts): TreeFile | undefined {
    const { size, modified } = facts;
    const known = this.#known.get(path);
    if (known && isSame(known, facts)) return { path, size, hash: known.hash, modified };
    return size > FILE_BYTES_CEILING ? { path, size, hash: "", modified } : this.#read(path);
  }

  /** Holds the directory, and creates it if missing. Raises `conflict` if something else is on the way. */
  #made(directory: string, path: DocumentPath): Held {
    const there = this.#directories.hold(directory);
    if (there && (directory === "" || this.#spelling.isExact(directory))) return there;
    there?.[Symbol.dispose]();
    using above = this.#made(parentOf(directory), path);
    const entry = above.entry(lastOf(directory));
    if (!lstatOf(entry)) mkdirSync(entry, { mode: PRIVATE_DIRECTORY_MODE });
    this.#requireSpelling(directory, path);
    const made = this.#directories.hold(directory);
    if (made) return made;
    throw fileError("conflict", path, `"${directory}" in the working tree is not a directory`, {
      blocked_by: [directory],
    });
  }

  /** Raises `conflict` if this disk takes `name` for another one that exists. `path`: the file that needs it. */
  #requireSpelling(name: string, path: DocumentPath): void {
    const spelled = this.#spelling.of(name);
    if (spelled !== name.normalize("NFC")) throw otherSpelling(path, spelled);
  }

  #statsOf(name: string): Stats | undefined {
    return lstatSync(join(this.#root, name), { throwIfNoEntry: false });
  }

  #leadsInside(path: string): boolean {
    return this.#notInside(path) === undefined;
  }

  /** Returns the first ancestor that is not a directory; `stats` undefined: it does not exist. */
  #notInside(path: string): { at: string; stats: Stats | undefined } | undefined {
    for (const at of ancestorsOf(path)) {
      const stats = this.#statsOf(at);
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

  #isDirectory(path: string): boolean {
    return this.#statsOf(path)?.isDirectory() ?? false;
  }
}

/** Returns an empty text for the root. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
