// Makes the working tree follow the log: decides when each changed path is written to the tree, and keeps the paths where that failed. The database
// is the truth, so a tree that cannot be written refuses nothing and is repaired later.

import { Stretch, turnOfOthers, type Clock } from "../../../kit/clock.ts";
import { AppError, messageOf } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import { ancestorsOf, type DocumentPath } from "../../../kit/text/paths.ts";
import { problemOf } from "../file-error.ts";
import type { Step } from "./batch.ts";
import { changedPaths } from "./changes.ts";
import type { Replacing, Shown } from "./replacing.ts";
import type { SpaceStore } from "./store.ts";
import type { Tree } from "./tree.ts";

/** The paths retried after a write: a tree that stays broken must not slow down writes. */
const RETRIES_PER_WRITE_MAX = 8;
/** Readers of the tree retry as many at most this often, and all the others if these succeed. */
const READERS_RETRY_MS = 5_000;
/** The files written between two turns of requests: creating a file costs more than its commit. */
const BROUGHT_PER_TURN_MAX = 2;
/** The files written together with a commit: a few milliseconds. */
const BROUGHT_AT_ONCE_MAX = 16;
/**
 * After this long without a change, pending files are written, and the next change reaches the tree before it is acknowledged. Together with
 * `BEHIND_MAX_MS` it saves 30 % of the processor time of a write while 64 writers rewrite the same files.
 */
const CALM_MS = 20;
/** Under constant changes, a file lags at most about this long, and is not written for every version. */
const BEHIND_MAX_MS = 250;
/** With more pending paths than this, a commit writes more files than it adds, which slows writers down to the speed of the disk. */
const WAITING_PATHS_MAX = 256;
const BROUGHT_FOR_ONE_ADDED = 2;

/** A path changed so recently that its copy is still older than the log. */
interface Waiting extends Shown {
  /** The change before the first one that is not in the tree. */
  readonly since: number;
  /** When that first change was committed, on the monotonic clock. */
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
  /** In order of their first change, which is also the order in which names become free for other files. */
  readonly #waiting = new Map<DocumentPath, Waiting>();
  #isScheduled = false;
  #isHeld = false;
  /** Files that writers of large batches must still write, because too many were pending. */
  #owed = 0;
  #lastCommit = -Infinity;
  /** Paths where the tree differs from the log, but not because of an edit, with the reason. The next to retry comes first. */
  readonly #behind = new Map<DocumentPath, string>();
  /** When readers retried last, on the monotonic clock. */
  #retried = -Infinity;
  /** Every change up to this one is in the tree, or its path is in `#waiting` or `#behind`. */
  #followed: number;
  /** The change before all those in `#behind`; undefined: it is empty. */
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

  /** Undefined: the copy is up to date, or the path is behind. */
  waitingFor(path: DocumentPath): Shown | undefined {
    return this.#waiting.get(path);
  }

  isBehind(path: DocumentPath): boolean {
    return this.#behind.has(path);
  }

  /** The change after which the next open must check all changes. */
  get safeSeq(): number {
    const waiting = this.#waiting.values().next().value?.since ?? this.#followed;
    return Math.min(waiting, this.#wholeUpTo ?? waiting);
  }

  behind(): readonly DocumentPath[] {
    this.settle();
    return [...this.#behind.keys()].sort();
  }

  whyBehind(path: DocumentPath): string | undefined {
    return this.#behind.get(path);
  }

  /** On open, writes the changes after `from` that a crash kept from the tree. */
  catchUp(from = this.#followed): void {
    for (const _ of this.catchingUp(from));
  }

  /** The same with pauses: yields after each file. */
  *catchingUp(from: number): Generator<void> {
    this.#followed = from;
    this.#tree.clearTemporary();
    for (const { after, upTo, paths } of changedPaths(this.#store, from)) {
      for (const path of paths) {
        this.#bring(path, { since: after, shown: undefined, committed: 0, afterCrash: true });
        yield;
      }
      this.#followed = upTo;
    }
    // A path may have come before another that had to make room for it.
    const again = [...this.#behind.keys()];
    for (const path of again)
      this.#bring(path, { since: this.safeSeq, shown: undefined, committed: 0, afterCrash: true });
  }

  /** After a crash, repairs files of the changes after `from`, up to `to`: they were in the tree, but maybe not on disk. */
  mend(from: number, to: number): void {
    for (const { after, paths } of changedPaths(this.#store, from, to))
      for (const path of paths) {
        const row = this.#store.file.get(path)!;
        if (row.live !== null && this.#replacing.mayBeCutOff(path, row.size))
          this.#bring(path, { since: after, shown: undefined, committed: 0, afterCrash: true });
      }
  }

  /**
   * Called after a commit. The write is durable, so a tree that cannot be written is repaired later. When idle, the tree shows a write before it is
   * acknowledged. Otherwise files are written between requests, and a file that changes again before its turn only once. Reads through the mirror
   * settle the tree first. Pauses only while held.
   */
  *follow(steps: readonly Step[], seq: number): Generator<void> {
    const retried = [...this.#behind.keys().take(RETRIES_PER_WRITE_MAX)];
    const committed = this.#clock.elapsed();
    const isCrowded = this.#waiting.size > WAITING_PATHS_MAX;
    for (const { effect } of steps) {
      if (effect.op === "destroy" || this.#waiting.has(effect.path)) continue;
      this.#waiting.set(effect.path, { since: this.#followed, shown: effect.before?.hash, committed });
      yield;
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

  /** Writes pending files to the tree, all or up to this path. */
  settle(path?: DocumentPath): void {
    if (this.#isHeld) return;
    if (path === undefined) this.#bringFirst(this.#waiting.size);
    else while (this.#waiting.has(path)) this.#bringFirst(1);
  }

  /** As `settle`, with pauses. Files committed meanwhile may be pending again. Retries what the disk refused before, such as a full one. */
  async settled(path?: DocumentPath): Promise<void> {
    const stretch = new Stretch();
    if (this.#behind.size > 0) await this.#retryBehind(stretch);
    for (let left = this.#waiting.size; left > 0; left -= 1) {
      if (path !== undefined && !this.#waiting.has(path)) return;
      this.#bringFirst(1);
      if (stretch.isOver()) await turnOfOthers();
    }
  }

  async #retryBehind(stretch: Stretch): Promise<void> {
    const now = this.#clock.elapsed();
    if (this.#isHeld || now - this.#retried < READERS_RETRY_MS) return;
    this.#retried = now;
    let failures = 0;
    // A path that fails again goes to the end.
    const once = [...this.#behind.keys()];
    for (const path of once) {
      if (this.#isHeld || failures === RETRIES_PER_WRITE_MAX) return;
      if (!this.#behind.has(path) || this.#waiting.has(path)) continue;
      this.#bring(path, { since: this.safeSeq, shown: undefined, committed: now });
      if (this.#behind.has(path)) failures += 1;
      if (stretch.isOver()) await turnOfOthers();
    }
  }

  /** Called by the writer of a large batch before it returns: writes the files that it owes, with pauses. Does nothing while there is room. */
  async paid(): Promise<void> {
    const stretch = new Stretch();
    while (this.#owed > 0 && this.#waiting.size > 0) {
      this.#owed -= 1;
      this.#bringFirst(1);
      if (stretch.isOver()) await turnOfOthers();
    }
    this.#owed = 0;
  }

  /** Stops following while the log is changed in steps. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /** Schedules the next pending file: immediately, or when calm. */
  #schedule(): void {
    const next = this.#waiting.values().next().value;
    if (this.#isScheduled || this.#isHeld || !next) return;
    this.#isScheduled = true;
    const now = this.#clock.elapsed();
    const waits = Math.min(this.#lastCommit + CALM_MS, next.committed + BEHIND_MAX_MS) - now;
    if (waits <= 0) setImmediate(() => this.#turn());
    // Closing settles the tree, so the process need not stay alive for this.
    else setTimeout(() => this.#turn(), waits).unref?.();
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#isHeld) return;
    const now = this.#clock.elapsed();
    this.#bringFirst(BROUGHT_PER_TURN_MAX, now - this.#lastCommit < CALM_MS ? now - BEHIND_MAX_MS : now);
    this.#schedule();
  }

  /** `due`: writes only files committed by then. */
  #bringFirst(count: number, due = Infinity): void {
    this.#tree.together(() => {
      for (const [path, waiting] of this.#waiting.entries().take(count)) {
        if (waiting.committed > due) return;
        this.#waiting.delete(path);
        this.#bring(path, waiting);
      }
    });
  }

  #bring(path: DocumentPath, waiting: Waiting): void {
    const { since } = waiting;
    const before = this.#behind.get(path);
    this.#behind.delete(path);
    try {
      this.#replacing.match(path, waiting);
    } catch (error) {
      if (this.freeName(path)) return this.#bring(path, waiting);
      const why = error instanceof AppError ? problemOf(error) : messageOf(error);
      this.#behind.set(path, why);
      this.#wholeUpTo = Math.min(since, this.#wholeUpTo ?? since);
      // Readers retry it every few seconds.
      if (why !== before) this.#log.error("the working tree is behind", { path, error: messageOf(error) });
    }
    if (this.#behind.size === 0) this.#wholeUpTo = undefined;
  }

  /** Writes the pending changes of the paths that block this name. Returns whether there were any. */
  freeName(path: DocumentPath): boolean {
    const inTheWay: DocumentPath[] = [];
    for (const above of ancestorsOf(path) as Iterable<DocumentPath>) {
      if (this.#waiting.has(above)) inTheWay.push(above);
      const spelled = this.#tree.otherSpelling(above);
      if (spelled !== undefined) inTheWay.push(...this.#waitingBelow(spelled));
    }
    if (this.#tree.isDirectory(path)) inTheWay.push(...this.#waitingBelow(path));
    const spelled = this.#tree.otherSpelling(path);
    if (spelled !== undefined && this.#waiting.has(spelled)) inTheWay.push(spelled);
    for (const other of inTheWay) {
      const waiting = this.#waiting.get(other);
      if (waiting && this.#waiting.delete(other)) this.#bring(other, waiting);
    }
    return inTheWay.length > 0;
  }

  #waitingBelow(directory: DocumentPath): Iterable<DocumentPath> {
    return this.#waiting.keys().filter((path) => path.startsWith(`${directory}/`));
  }
}
