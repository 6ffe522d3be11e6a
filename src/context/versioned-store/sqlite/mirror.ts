// The working tree as a follower of the log: brings each change into it, says in which state a file's copy is, and keeps a list of the paths
// where the tree could not be brought up to date. The database is the truth, but what somebody edited by hand is never overwritten: it is
// noticed here, and becomes a version first.

import { rfc3339, Stretch, turnOfOthers, type Clock } from "../../../kit/clock.ts";
import { messageOf } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import type { EditedCopy, Operation } from "../engine.ts";
import { fileError } from "../file-error.ts";
import type { FileRecord } from "../schema.ts";
import type { Step } from "./batch.ts";
import { changedPaths } from "./changes.ts";
import { decode } from "./coding.ts";
import type { RecentContents } from "./recent.ts";
import { TREE_AUTHOR } from "./records.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import { notRegular, type Obstacle, type Tree, type TreeFile } from "./tree.ts";
import type { RefusedEntry } from "./walk.ts";

/** Paths that are tried again after one write: a tree that is out of order for long must not make writes slow. */
const RETRIES_PER_WRITE_MAX = 8;
/** Files that are written between two turns of requests: a new file costs more than the commit that it follows. */
const BROUGHT_PER_TURN_MAX = 2;
/** With the commit that they follow: a few milliseconds. */
const BROUGHT_AT_ONCE_MAX = 16;
/** After so long without a change, what waits is written; the next change is in the tree before it is acknowledged. */
const CALM_MS = 20;
/** While changes keep coming, a file is at most about so far behind: in the meantime it is not written for each of its versions. */
const BEHIND_MAX_MS = 250;
/** A file that somebody writes faster than it is looked at. */
const LOOKS_MAX = 5;
/** Once more than these wait, a commit brings more than it adds: writers that are faster than the disk are slowed down to it. */
const WAITING_PATHS_MAX = 256;
const BROUGHT_FOR_ONE_ADDED = 2;
/** A file that was as recorded is taken for that so long by those who read it: many ask for the same one. No command is as fast. */
const TRUSTED_MS = 5;
const TRUSTED_PATHS_MAX = 10_000;
/** File systems write so much at once: what a power cut left of a file ends there. */
const BLOCK_BYTES = 4096;
const NOTHING = new Uint8Array();

/** A path whose copy is older than the log, since the commit that changed it was a moment ago. */
interface Waiting {
  /** The last change before the first that is not in the tree. */
  readonly since: number;
  /** What the tree showed then; undefined: nothing. */
  readonly shown: string | undefined;
  /** When the first such change was committed, by the monotonic clock. */
  readonly committed: number;
  /** The machine may have stopped before all of the file was on the disk. */
  readonly afterCrash?: boolean;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

export class Mirror {
  readonly #store: SpaceStore;
  readonly #tree: Tree;
  readonly #recent: RecentContents;
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order of their first change, which is also the order in which names become free for others. */
  readonly #waiting = new Map<DocumentPath, Waiting>();
  /** When a file was found as recorded, by the monotonic clock. */
  readonly #unedited = new Map<DocumentPath, number>();
  #isScheduled = false;
  #isHeld = false;
  /** Files that writers of many still have to bring, since more waited than may. */
  #owed = 0;
  #lastCommit = -Infinity;
  /** Where the tree is not what the log says, and not because of somebody's edit. The next to be tried first. */
  readonly #behind = new Set<DocumentPath>();
  /** Every change up to this one was brought into the tree, or its path is in `#waiting` or `#behind`. */
  #followed: number;
  /** The last change before all that are in `#behind`; undefined: it is empty. */
  #wholeUpTo: number | undefined;

  constructor(store: SpaceStore, tree: Tree, recent: RecentContents, { clock, log }: Surroundings) {
    this.#store = store;
    this.#tree = tree;
    this.#recent = recent;
    this.#clock = clock;
    this.#log = log;
    this.#followed = store.follower.get("tree")!.seq;
  }

  /** From here on the next open has to look at every change: stored with each commit. */
  get safeSeq(): number {
    const waiting = this.#waiting.values().next().value?.since ?? this.#followed;
    return Math.min(waiting, this.#wholeUpTo ?? waiting);
  }

  behind(): readonly DocumentPath[] {
    this.settle();
    return [...this.#behind].sort();
  }

  /** At the open, after a crash between a commit and the tree; `from`: after which change. */
  catchUp(from = this.#followed): void {
    this.#followed = from;
    this.#tree.clearTemporary();
    for (const { after, upTo, paths } of changedPaths(this.#store, from)) {
      for (const path of paths)
        this.#bring(path, { since: after, shown: undefined, committed: 0, afterCrash: true });
      this.#followed = upTo;
    }
    // One may have come before another that had to make room for it.
    const again = [...this.#behind];
    for (const path of again)
      this.#bring(path, { since: this.safeSeq, shown: undefined, committed: 0, afterCrash: true });
  }

  /** After a crash: files of the changes after `from` and up to `to`, which were in the tree, but maybe not all on the disk. */
  mend(from: number, to: number): void {
    for (const { after, paths } of changedPaths(this.#store, from, to))
      for (const path of paths) {
        const row = this.#store.file.get(path)!;
        if (row.live !== null && this.#mayBeCutOff(path, row.size))
          this.#bring(path, { since: after, shown: undefined, committed: 0, afterCrash: true });
      }
  }

  /**
   * After a commit. The write is durable already: a tree that can't be written refuses nothing, it is repaired later. Where little is
   * going on, the tree shows a write before it is acknowledged; else its files are written between requests, and one that changes again
   * before its turn only once. Who looks at the tree through us finds it done.
   */
  follow(steps: readonly Step[], seq: number): void {
    const retried = [...this.#behind.values().take(RETRIES_PER_WRITE_MAX)];
    const committed = this.#clock.elapsed();
    const isCrowded = this.#waiting.size > WAITING_PATHS_MAX;
    for (const { effect } of steps) {
      if (effect.op === "destroy" || this.#waiting.has(effect.path)) continue;
      this.#waiting.set(effect.path, { since: this.#followed, shown: effect.before?.hash, committed });
    }
    this.#followed = seq;
    for (const path of retried)
      if (this.#behind.has(path) && !this.#waiting.has(path))
        this.#bring(path, { since: this.safeSeq, shown: undefined, committed });
    if (committed - this.#lastCommit > CALM_MS) this.#bringFirst(BROUGHT_PER_TURN_MAX);
    if (isCrowded) {
      const share = steps.length * BROUGHT_FOR_ONE_ADDED;
      this.#bringFirst(Math.min(share, BROUGHT_AT_ONCE_MAX));
      this.#owed += Math.max(0, share - BROUGHT_AT_ONCE_MAX);
    }
    this.#lastCommit = committed;
    this.#schedule();
  }

  /** Brings what waits into the tree, all of it or up to this path. */
  settle(path?: DocumentPath): void {
    if (this.#isHeld) return;
    if (path === undefined) this.#bringFirst(this.#waiting.size);
    else while (this.#waiting.has(path)) this.#bringFirst(1);
  }

  /** As `settle`, with pauses. What is committed meanwhile may wait again. */
  async settled(path?: DocumentPath): Promise<void> {
    const stretch = new Stretch();
    for (let left = this.#waiting.size; left > 0; left -= 1) {
      if (path !== undefined && !this.#waiting.has(path)) return;
      this.#bringFirst(1);
      if (stretch.isOver()) await turnOfOthers();
    }
  }

  /** For a writer of many files, before its answer: brings what it owes, with pauses. Nothing while there is room. */
  async paid(): Promise<void> {
    const stretch = new Stretch();
    while (this.#owed > 0 && this.#waiting.size > 0) {
      this.#owed -= 1;
      this.#bringFirst(1);
      if (stretch.isOver()) await turnOfOthers();
    }
    this.#owed = 0;
  }

  /** While the log is changed in steps, the tree waits. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /** Once nothing more is brought. */
  close(): void {
    this.#tree.close();
  }

  /** For when the next of those that wait is due: at once, or when it is calm. */
  #schedule(): void {
    const next = this.#waiting.values().next().value;
    if (this.#isScheduled || this.#isHeld || !next) return;
    this.#isScheduled = true;
    const now = this.#clock.elapsed();
    const waits = Math.min(this.#lastCommit + CALM_MS, next.committed + BEHIND_MAX_MS) - now;
    if (waits <= 0) setImmediate(() => this.#turn());
    // Closing brings what waits: nobody has to wait for this.
    else setTimeout(() => this.#turn(), waits).unref?.();
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#isHeld) return;
    const now = this.#clock.elapsed();
    this.#bringFirst(BROUGHT_PER_TURN_MAX, now - this.#lastCommit < CALM_MS ? now - BEHIND_MAX_MS : now);
    this.#schedule();
  }

  /** `due`: only what was committed by then. */
  #bringFirst(count: number, due = Infinity): void {
    for (const [path, waiting] of this.#waiting.entries().take(count)) {
      if (waiting.committed > due) return;
      this.#waiting.delete(path);
      this.#bring(path, waiting);
    }
  }

  #bring(path: DocumentPath, waiting: Waiting): void {
    const { since } = waiting;
    this.#behind.delete(path);
    try {
      this.#match(path, waiting);
    } catch (error) {
      if (this.#freeName(path)) return this.#bring(path, waiting);
      this.#behind.add(path);
      this.#wholeUpTo = Math.min(since, this.#wholeUpTo ?? since);
      this.#log.error("the working tree is behind", { path, error: messageOf(error) });
    }
    if (this.#behind.size === 0) this.#wholeUpTo = undefined;
  }

  /**
   * A path that waits since an earlier change comes before one that had to make room for its last. Returns whether there was one: it is
   * brought now.
   */
  #freeName(path: DocumentPath): boolean {
    const inTheWay: DocumentPath[] = [];
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const above = path.slice(0, at) as DocumentPath;
      if (this.#waiting.has(above)) inTheWay.push(above);
    }
    if (this.#tree.isDirectory(path))
      inTheWay.push(...this.#waiting.keys().filter((other) => other.startsWith(`${path}/`)));
    for (const other of inTheWay) {
      const waiting = this.#waiting.get(other);
      if (waiting && this.#waiting.delete(other)) this.#bring(other, waiting);
    }
    return inTheWay.length > 0;
  }

  /** Makes the copy what is live in the log, unless somebody else wrote it. */
  #match(path: DocumentPath, { shown, afterCrash = false }: Waiting): void {
    const row = this.#store.file.get(path)!;
    const isLive = row.live !== null;
    const content = isLive ? this.contentOf(row) : undefined;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const copy = this.#tree.look(path);
      if (copy && isLive && copy.hash === row.hash) return;
      const isOurs = copy?.hash === shown || (afterCrash && copy && this.#isRestOf(copy, content));
      if (copy && !isOurs && this.#isForeign(copy, row)) {
        const note = "edited by hand while it was written: the copy in the working tree stays as it is";
        return this.#log.warn(note, { path });
      }
      const done = content ? this.#tree.put(path, content, row.hash, copy) : this.#tree.remove(path, copy);
      if (done) return;
    }
    throw fileError("conflict", path, "somebody keeps writing it in the working tree");
  }

  /** What can't be looked at is found when it is read. */
  #mayBeCutOff(path: DocumentPath, written: number): boolean {
    try {
      return isCutOff(this.#tree.sizeOf(path), written);
    } catch {
      return false;
    }
  }

  /** Empty, or the beginning of it. */
  #isRestOf({ path, size }: TreeFile, content: Uint8Array = NOTHING): boolean {
    if (size === 0) return true;
    if (!isCutOff(size, content.length)) return false;
    const { bytes } = this.#tree.read(path) ?? {};
    return bytes !== undefined && Buffer.compare(bytes, content.subarray(0, bytes.length)) === 0;
  }

  /** No version of the file: written by somebody else. */
  #isForeign({ hash }: TreeFile, row: FileRow | null): boolean {
    return !row || !this.#store.versionByHash.get(row.id, hash);
  }

  /** Of a file that is live. */
  contentOf({ id, live, hash }: FileRow): Uint8Array {
    return this.#recent.get(hash, () =>
      decode(this.#store.blob.get(this.#store.version.get(id, live!)!.blob_id!)!),
    );
  }

  /**
   * What would have to be recorded before this path may be written: `[]` when the tree is as we left it. Of a path that waits, an edit is
   * noticed when its turn comes, and recorded before the write after that. `leaving`: the files that make room for it, when it will be a
   * file; undefined: it will not. Raises `too_large`, and `conflict` for a new file when something that has no version is in the way.
   */
  handEdits(path: DocumentPath, leaving?: ReadonlySet<string>): Operation[] {
    const row = this.#store.file.get(path);
    const isNew = leaving && (row?.live ?? null) === null;
    const copy = this.#edited(path, row, isNew ? (by) => this.#requireRoom(path, by, leaving) : undefined);
    return copy ? [{ op: "put", path, content: copy.bytes, unlessSame: true }] : [];
  }

  /** What lies there and is no version of the file. Where it was a moment ago, it is not looked for again. Raises `too_large`, `unavailable`. */
  editedLately(path: DocumentPath, row: FileRow | null): EditedCopy | undefined {
    const now = this.#clock.elapsed();
    if (now - (this.#unedited.get(path) ?? -Infinity) < TRUSTED_MS) return undefined;
    const copy = this.#edited(path, row);
    if (copy || row === null) return copy;
    if (this.#unedited.size >= TRUSTED_PATHS_MAX) this.#unedited.clear();
    this.#unedited.set(path, now);
    return undefined;
  }

  /** A file that the log has is judged there, against what the whole batch does. */
  #requireRoom(path: DocumentPath, { at, isDirectory }: Obstacle, leaving: ReadonlySet<string>): void {
    if (this.#freeName(path))
      return void this.#tree.look(path, (still) => this.#requireRoom(path, still, leaving));
    if (at !== path) {
      if (this.#isLive(at)) return;
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

  #isLive(path: string): boolean {
    return (this.#store.file.get(path)?.live ?? null) !== null;
  }

  #edited(path: DocumentPath, row: FileRow | null, blocked?: (by: Obstacle) => void): EditedCopy | undefined {
    // Of a path that waits nothing is known before its turn.
    if (this.#waiting.has(path)) return undefined;
    const live = row === null || row.live === null ? undefined : row.hash;
    // Nearly always it is the file that we put there.
    const seen = this.#tree.unchanged(path);
    if (seen !== undefined && seen === live) return undefined;
    const copy = this.#tree.look(path, blocked);
    if (!copy || copy.hash === live || this.#isOld(copy, row)) return undefined;
    const read = this.#tree.read(path);
    return read && { ...read, state: live === undefined ? "untracked" : "modified" };
  }

  /** The union of log and tree. Undefined: neither has it, or it is a deleted file without a copy. */
  stateOf(row: FileRow | null, copy: TreeFile | undefined): StateOf | undefined {
    if (!row || row.live === null) return copy && !this.#isOld(copy, row) ? untracked(copy) : undefined;
    if (!copy) return "missing";
    return copy.hash === row.hash ? "live" : "modified";
  }

  look(path: DocumentPath): TreeFile | undefined {
    this.settle(path);
    return this.#tree.look(path);
  }

  entries(prefix?: DocumentPath): Iterable<TreeFile | RefusedEntry> {
    this.settle();
    return this.#tree.entries(prefix);
  }

  read(path: DocumentPath): (TreeFile & { readonly bytes: Uint8Array }) | undefined {
    this.settle(path);
    return this.#tree.read(path);
  }

  /** An older version that we did not replace or remove yet: nobody's edit. */
  #isOld(copy: TreeFile, row: FileRow | null): boolean {
    const waiting = this.#waiting.get(copy.path);
    if (waiting && waiting.shown === copy.hash) return true;
    return (waiting !== undefined || this.#behind.has(copy.path)) && !this.#isForeign(copy, row);
  }
}

/** Of a file that is live in the log, or the record of one that is only in the tree. */
type StateOf = "live" | "modified" | "missing" | FileRecord;

function untracked({ path, size, hash, modified }: TreeFile): FileRecord {
  const updated_at = rfc3339(modified);
  return { path, version: null, size, hash, updated_at, author: TREE_AUTHOR, state: "untracked" };
}

/** Of sizes in bytes: what is there is less than what was written, and ends where a power cut can end it. */
function isCutOff(there: number | undefined, written: number): boolean {
  return there !== undefined && there < written && there % BLOCK_BYTES === 0;
}
