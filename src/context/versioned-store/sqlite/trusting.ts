// Decides whether a file of the working tree can be trusted to match the log: finds manual edits, so that they become versions before anything
// replaces them. Changes nothing itself.

import { rfc3339, type Clock } from "../../../kit/clock.ts";
import { foldedPath, type DocumentPath } from "../../../kit/text/paths.ts";
import type { EditedCopy, Operation } from "../engine.ts";
import { fileError } from "../file-error.ts";
import type { FileRecord } from "../schema.ts";
import type { Following } from "./following.ts";
import { TREE_AUTHOR } from "./records.ts";
import type { Replacing } from "./replacing.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { Obstacle, TreeFile } from "./tree-file.ts";
import { notRegular, otherSpelling } from "./tree-errors.ts";

/**
 * How long readers trust a file that was found unedited, because many request the same one. No command runs in a shorter time. Saves 3 to 5 µs
 * of the 8 to 10 µs that the store spends on a read.
 */
const TRUSTED_MS = 5;
const TRUSTED_PATHS_MAX = 10_000;

interface TrustingDeps {
  readonly store: SpaceStore;
  readonly tree: Tree;
  readonly following: Following;
  readonly replacing: Replacing;
  readonly clock: Clock;
}

/** A place that a file needs. */
interface Room {
  readonly path: DocumentPath;
  /** The files that are deleted with the write. */
  readonly leaving: ReadonlySet<string>;
  readonly isNew: boolean;
}

export class Trusting {
  readonly #store: SpaceStore;
  readonly #tree: Tree;
  readonly #following: Following;
  readonly #replacing: Replacing;
  readonly #clock: Clock;
  /** When a file was last found unedited, on the monotonic clock. */
  readonly #unedited = new Map<DocumentPath, number>();

  constructor({ store, tree, following, replacing, clock }: TrustingDeps) {
    this.#store = store;
    this.#tree = tree;
    this.#following = following;
    this.#replacing = replacing;
    this.#clock = clock;
  }

  /**
   * Returns the manual edit to record before this path is written; `[]` if there is none. An edit of a pending path is noticed when the path is
   * written to the tree, and recorded before the write after that. `leaving`: the files that make room if the path becomes a file; undefined: it
   * does not. Raises `too_large`, or `conflict` for a new file in the place of something without a version, and for any file in the place of one
   * that its disk spells in another way.
   */
  handEdits(path: DocumentPath, leaving?: ReadonlySet<string>): Operation[] {
    const row = this.#store.file.get(path);
    const isNew = (row?.live ?? null) === null;
    const room = leaving && { path, leaving, isNew };
    const copy = this.#edited(path, row, room && ((by) => this.#requireRoom(room, by)));
    return copy ? [{ op: "put", path, content: copy.bytes, unlessSame: true }] : [];
  }

  /** Returns a manual edit of the file. Skips the check if the file was unedited a moment ago. Raises `too_large`, `unavailable`. */
  editedLately(path: DocumentPath, row: FileRow | null): EditedCopy | undefined {
    const now = this.#clock.elapsed();
    if (now - (this.#unedited.get(path) ?? -Infinity) < TRUSTED_MS) return undefined;
    const copy = this.#edited(path, row);
    if (copy || row === null) return copy;
    if (this.#unedited.size >= TRUSTED_PATHS_MAX) this.#unedited.clear();
    this.#unedited.set(path, now);
    return undefined;
  }

  /** Raises `conflict` for an obstacle without a version. Tracked files are judged later, against the whole batch. */
  #requireRoom(room: Room, { at, isDirectory }: Obstacle): void {
    const { path, leaving, isNew } = room;
    if (this.#following.freeName(path))
      return void this.#tree.look(path, (still) => this.#requireRoom(room, still));
    if (isDirectory && at !== path && foldedPath(path).startsWith(`${foldedPath(at)}/`)) {
      if (this.#becomesEmpty(at, leaving)) return;
      throw otherSpelling(path, at);
    }
    if (at !== path && this.#isLive(at)) return;
    if (at !== path && foldedPath(at) === foldedPath(path)) throw otherSpelling(path, at);
    if (!isNew) return;
    if (at !== path) {
      const problem = `"${at}" in the working tree is not a directory and has no version; adopt it or move it away`;
      throw fileError("conflict", path, problem, { blocked_by: [at] });
    }
    if (!isDirectory) throw notRegular(path);
    for (const { path: other } of this.#tree.found(path)) {
      if (!this.#isLive(other)) {
        const problem = `is a directory in the working tree and holds "${other}", which has no version; adopt it or move it away`;
        throw fileError("conflict", path, problem, { blocked_by: [other] });
      }
      if (!leaving.has(other)) return;
    }
  }

  /** Reports whether a directory has files, and all of them leave: then it leaves, too. */
  #becomesEmpty(directory: DocumentPath, leaving: ReadonlySet<string>): boolean {
    let hasFiles = false;
    for (const { path } of this.#tree.found(directory)) {
      if (!leaving.has(path)) return false;
      hasFiles = true;
    }
    return hasFiles;
  }

  #isLive(path: string): boolean {
    return (this.#store.file.get(path)?.live ?? null) !== null;
  }

  #edited(path: DocumentPath, row: FileRow | null, blocked?: (by: Obstacle) => void): EditedCopy | undefined {
    // The state of a pending path is unknown until its turn.
    if (this.#following.isWaiting(path)) return undefined;
    const live = row === null || row.live === null ? undefined : row.hash;
    // The common case: the file is the one that we wrote.
    const seen = this.#tree.unchanged(path);
    if (seen !== undefined && seen === live) return undefined;
    const copy = this.#tree.look(path, blocked);
    if (!copy || copy.hash === live || this.#isOld(copy, row)) return undefined;
    const read = this.#tree.read(path);
    return read && { ...read, state: live === undefined ? "untracked" : "modified" };
  }

  /** Combines log and tree. Undefined: neither has the file, or it is deleted and has no copy. */
  stateOf(row: FileRow | null, copy: TreeFile | undefined): StateOf | undefined {
    if (!row || row.live === null) return copy && !this.#isOld(copy, row) ? untracked(copy) : undefined;
    if (!copy) return "missing";
    return copy.hash === row.hash || this.#isOld(copy, row) ? "live" : "modified";
  }

  /** Reports whether the copy is an older version that we have not replaced or removed yet, and so not an edit. */
  #isOld(copy: TreeFile, row: FileRow | null): boolean {
    const waiting = this.#following.waitingFor(copy.path);
    if (waiting && waiting.shown === copy.hash) return true;
    return (
      (waiting !== undefined || this.#following.isBehind(copy.path)) && !this.#replacing.isForeign(copy, row)
    );
  }
}

/** The state of a live file, or the record of a file that is only in the tree. */
type StateOf = "live" | "modified" | "missing" | FileRecord;

function untracked({ path, size, hash, modified }: TreeFile): FileRecord {
  const updated_at = rfc3339(modified);
  return { path, version: null, size, hash, updated_at, author: TREE_AUTHOR, state: "untracked" };
}
