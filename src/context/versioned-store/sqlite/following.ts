// The working tree follows the log: decides when each changed path is brought into the tree, and keeps the paths where that failed. The
// database is the truth; a tree that cannot be written refuses nothing and is repaired later.

import { Stretch, turnOfOthers, type Clock } from "../../../kit/clock.ts";
import { messageOf } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import type { Step } from "./batch.ts";
import { changedPaths } from "./changes.ts";
import type { Replacing, Shown } from "./replacing.ts";
import type { SpaceStore } from "./store.ts";
import type { Tree } from "./tree.ts";

/** Paths that are tried again after one write: a tree that is out of order for long must not make writes slow. */
const RETRIES_PER_WRITE_MAX = 8;
/** Files that are written between two turns of requests: a new file costs more than the commit that it follows. */
const BROUGHT_PER_TURN_MAX = 2;
/** With the commit that they follow: a few milliseconds. */
const BROUGHT_AT_ONCE_MAX = 16;
/**
 * After this time without a change, pending files are written; the next change is in the tree before it is acknowledged. Together with
 * `BEHIND_MAX_MS` it saves 30 % of the processor time of a write while 64 writers rewrite the same files.
 */
const CALM_MS = 20;
/** While changes keep coming, a file is behind by at most about this time, and skips the versions in between. */
const BEHIND_MAX_MS = 250;
/** Once more than these wait, a commit brings more than it adds: writers that are faster than the disk are slowed down to it. */
const WAITING_PATHS_MAX = 256;
const BROUGHT_FOR_ONE_ADDED = 2;

/** A path whose copy is older than the log, since the commit that changed it was a moment ago. */
interface Waiting extends Shown {
  /** The last change before the first that is not in the tree. */
  readonly since: number;
  /** When the first such change was committed, by the monotonic clock. */
  readonly committed: number;
}

interface FollowingDeps {
  readonly store: SpaceStore;
  readonly tree: Tree;
  readonly replacing: Replacing;
  readonly clock: Clock;
  readonly log: Log;
}

export class Following {
  readonly #store: SpaceStore;
  readonly #tree: Tree;
  readonly #replacing: Replacing;
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order of their first change, which is also the order in which names become free for others. */
  readonly #waiting = new Map<DocumentPath, Waiting>();
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

  constructor({ store, tree, replacing, clock, log }: FollowingDeps) {
    this.#store = store;
    this.#tree = tree;
    this.#replacing = replacing;
    this.#clock = clock;
    this.#log = log;
    this.#followed = store.follower.get("tree")!.seq;
  }

  isWaiting(path: DocumentPath): boolean {
    return this.#waiting.has(path);
  }

  /** Undefined: the copy is as new as the log, or the path is behind. */
  waitingFor(path: DocumentPath): Shown | undefined {
    return this.#waiting.get(path);
  }

  isBehind(path: DocumentPath): boolean {
    return this.#behind.has(path);
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
        if (row.live !== null && this.#replacing.mayBeCutOff(path, row.size))
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
      this.#replacing.match(path, waiting);
    } catch (error) {
      if (this.freeName(path)) return this.#bring(path, waiting);
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
  freeName(path: DocumentPath): boolean {
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
}
