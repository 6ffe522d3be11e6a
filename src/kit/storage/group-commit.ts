// Group commit: all writes of one turn of the event loop share one transaction, and so one sync of the disk. Each write has its own savepoint
// unless it is repeatable, so that a failed write does not affect the others.

import type { Database } from "bun:sqlite";
import { Stretch, turnOfOthers } from "../clock.ts";
import { stopping, type AppError } from "../error.ts";
import { fromSqlite } from "../storage-error.ts";

/** Of one commit, in writes of ordinary size; a single write may be larger. */
const BATCH_WEIGHT_MAX = 256;

export interface WriteOptions {
  /**
   * `run` may be called a second time after a rollback, so a batch that succeeds needs no savepoint per write. With 64 writers of documents,
   * savepoints cost 10 to 17 % more processor time per write.
   */
  readonly repeatable?: boolean;
  /**
   * A power cut may undo it and later relaxed writes; a crash of the process does not. Saves the sync of the disk: a commit takes 0.1 ms instead of
   * 2 to 4 ms.
   */
  readonly relaxed?: boolean;
  /** Of no use to a copy of the database by itself: it is copied with the next change. */
  readonly quiet?: boolean;
  /** How many writes of ordinary size it takes as long as, so that a commit of many large ones does not block everything else. Default: 1. */
  readonly weight?: number | undefined;
}

interface Work extends WriteOptions {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { ok: true; value: unknown; after: (() => void)[] } | { ok: false; error: unknown };

/** Receives the error of a callback that failed after the commit. The write is durable, so no caller sees this error. */
export type OnDefect = (error: unknown) => void;

/** Reads what each commit changed. No function may throw. */
interface Capture {
  readonly capture: (commit: { readonly isQuiet: boolean }) => void;
  readonly captureInSteps: () => Generator<void>;
  readonly finish: () => void;
}

export class GroupCommit {
  readonly #sqlite: Database;
  readonly #onDefect: OnDefect;
  #queue: Work[] = [];
  #scheduled = false;
  #after: (() => void)[] | undefined;
  /** The current work has made a change that a failure must roll back. */
  #touched = false;
  #isRelaxed = false;
  /** Raised once it is closed. */
  #refusal: AppError | undefined;
  /** A transaction in steps is open, and writes wait for its end. */
  #isInSteps = false;
  /** Writes wait for other work. */
  #isHeld = false;
  #steps: Promise<unknown> = Promise.resolve();
  /** Called after each commit. */
  readonly #committed: () => void;
  #capture: Capture | undefined;
  /** A statement ran outside a transaction, which is a commit of its own. The next one may overwrite its pages in the WAL. */
  #isLoose = false;
  #watch: { readonly elapsed: () => number; readonly told: (took: number) => void } | undefined;

  constructor(sqlite: Database, onDefect: OnDefect, committed: () => void) {
    this.#sqlite = sqlite;
    this.#onDefect = onDefect;
    this.#committed = committed;
  }

  /** Called before each statement that may change data. */
  touch(): void {
    this.#touched = true;
    if (!this.#capture || this.#sqlite.inTransaction) return;
    this.#capture.finish();
    this.#captureLoose();
    this.#isLoose = true;
  }

  get isInSteps(): boolean {
    return this.#isInSteps;
  }

  /** Undefined if no transaction in steps is open; otherwise resolves when it is over. */
  get stepping(): Promise<unknown> | undefined {
    return this.#isInSteps ? this.#steps : undefined;
  }

  /** As `Db.write`. */
  write<T>(run: () => T, options: WriteOptions = {}): Promise<T> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...options, run, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** As `Db.writeInSteps`. */
  writeInSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    const done = this.#steps.then(() => this.#inSteps(run, committed));
    this.#steps = done.catch(() => undefined);
    return done;
  }

  /** Runs `work` while all writes wait. */
  held(work: () => Promise<void>): Promise<void> {
    const done = this.#steps.then(async () => {
      this.#isHeld = true;
      try {
        await work();
      } finally {
        this.#isHeld = false;
        this.#flushSome();
      }
    });
    this.#steps = done.catch(() => undefined);
    return done;
  }

  /** As `Db.writeNow`. */
  writeNow<T>(run: () => T): T {
    const outcome = this.#commit([{ run }])[0]!;
    if (!outcome.ok) throw outcome.error;
    this.#callBack(outcome.after);
    return outcome.value as T;
  }

  get isWriting(): boolean {
    return this.#after !== undefined;
  }

  /** As `Db.afterCommit`. */
  afterCommit(callback: () => void): void {
    if (!this.#after) throw new Error("afterCommit outside a write");
    this.#after.push(callback);
  }

  /** As `Db.watchCommits`. */
  watchCommits(elapsed: () => number, told: (took: number) => void): void {
    this.#watch = { elapsed, told };
  }

  /** Calls `capture` in the step of each commit, before its writers hear of it. A commit in steps is read in steps, while writes wait. */
  captureWith(capture: Capture): void {
    this.#capture = capture;
  }

  /** Commits the pending writes, and refuses later ones. */
  close(refusal = stopping("service")): void {
    this.#isHeld = false;
    this.#flush();
    this.#refusal = refusal;
  }

  /** Commits what is queued, up to the end of a stretch; the rest follows after other work. */
  #flushSome(): void {
    this.#scheduled = false;
    const stretch = new Stretch();
    while (this.#isReady()) {
      this.#commitBatch();
      if (!stretch.isOver() || this.#queue.length === 0) continue;
      this.#schedule();
      return;
    }
  }

  #flush(): void {
    while (this.#isReady()) this.#commitBatch();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flushSome());
  }

  #isReady(): boolean {
    return this.#queue.length > 0 && !this.#isInSteps && !this.#isHeld;
  }

  /** Returns the number of its writes. */
  #commitBatch(): number {
    const batch = this.#nextBatch();
    const outcomes = this.#commit(batch);
    for (const [index, outcome] of outcomes.entries()) {
      const work = batch[index]!;
      if (!outcome.ok) {
        work.reject(outcome.error);
        continue;
      }
      this.#callBack(outcome.after);
      work.resolve(outcome.value);
    }
    return batch.length;
  }

  #nextBatch(): Work[] {
    let count = 0;
    for (let weight = 0; count < this.#queue.length; count += 1) {
      weight += this.#queue[count]!.weight ?? 1;
      if (count > 0 && weight > BATCH_WEIGHT_MAX) break;
    }
    return this.#queue.splice(0, count);
  }

  async #inSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    // Earlier requests are served first.
    const stretch = new Stretch();
    for (let earlier = this.#queue.length; earlier > 0 && this.#isReady();) {
      earlier -= this.#commitBatch();
      if (stretch.isOver()) await this.#pause();
    }
    this.#isInSteps = true;
    const after: (() => void)[] = [];
    let value: T;
    try {
      this.#setRelaxed(false);
      this.#begin();
      value = await this.#stepped(run(), after);
      await this.#pause();
      const start = this.#watch?.elapsed() ?? 0;
      this.#sqlite.run("COMMIT");
      this.#watch?.told(this.#watch.elapsed() - start);
      const captured = this.#capture?.captureInSteps();
      captured?.next();
      // After a large transaction, COMMIT is a stretch of its own.
      await turnOfOthers();
      if (captured) await toEnd(captured);
      this.#callBack(after);
      await this.#stepped(committed(value)).catch(this.#onDefect);
      this.#committed();
    } catch (error) {
      if (!this.#refusal && this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
      throw fromSqlite(error);
    } finally {
      this.#isInSteps = false;
      this.#flushSome();
    }
    return value;
  }

  /** `after` collects callbacks inside the transaction, as for `afterCommit`. */
  async #stepped<T>(work: Generator<void, T>, after?: (() => void)[]): Promise<T> {
    const stretch = new Stretch();
    for (;;) {
      this.#after = after;
      try {
        const step = work.next();
        if (step.done) return step.value;
      } finally {
        this.#after = undefined;
      }
      if (!stretch.isOver()) continue;
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await turnOfOthers();
    if (this.#refusal) throw this.#refusal;
  }

  #callBack(callbacks: (() => void)[]): void {
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.#onDefect(error);
      }
    }
  }

  #commit(works: readonly Pick<Work, "run" | keyof WriteOptions>[]): Outcome[] {
    const start = this.#watch?.elapsed() ?? 0;
    try {
      this.#setRelaxed(works.every(({ relaxed }) => relaxed));
      const outcomes = this.#runAll(works);
      if (works.length === 1 && !outcomes[0]!.ok) this.#sqlite.run("ROLLBACK");
      else {
        this.#sqlite.run("COMMIT");
        this.#watch?.told(this.#watch.elapsed() - start);
        this.#capture?.capture({ isQuiet: works.every(({ quiet }) => quiet) });
        this.#committed();
      }
      return outcomes;
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
      const failure = { ok: false as const, error: fromSqlite(error) };
      return works.map(() => failure);
    }
  }

  /** Begins the transaction. A savepoint copies each page that changes after it, so repeatable works run without one as long as all succeed. */
  #runAll(works: readonly Pick<Work, "run" | "repeatable">[]): Outcome[] {
    this.#begin();
    if (works.length === 1) return [this.#runIn("transaction", works[0]!.run)];
    if (works.every(({ repeatable }) => repeatable)) {
      const outcomes = this.#runWithoutSavepoints(works);
      if (outcomes) return outcomes;
      this.#sqlite.run("ROLLBACK");
      this.#sqlite.run("BEGIN IMMEDIATE");
    }
    return works.map(({ run }) => this.#runIn("savepoint", run));
  }

  #begin(): void {
    this.#capture?.finish();
    this.#captureLoose();
    this.#sqlite.run("BEGIN IMMEDIATE");
  }

  #captureLoose(): void {
    if (this.#isLoose) this.#capture?.capture({ isQuiet: false });
    this.#isLoose = false;
  }

  /** Returns undefined if one failed after a change. */
  #runWithoutSavepoints(works: readonly Pick<Work, "run">[]): Outcome[] | undefined {
    const outcomes: Outcome[] = [];
    for (const { run } of works) {
      this.#touched = false;
      const outcome = this.#runIn("transaction", run);
      if (!outcome.ok && this.#touched) return undefined;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Only between transactions. A later commit that is not relaxed also syncs earlier ones, because they share one WAL. */
  #setRelaxed(relaxed: boolean): void {
    if (relaxed === this.#isRelaxed) return;
    this.#sqlite.run(`PRAGMA synchronous = ${relaxed ? "NORMAL" : "FULL"}`);
    this.#isRelaxed = relaxed;
  }

  /** A failure that makes SQLite roll back the whole transaction (disk full, I/O error) fails the whole batch. */
  #runIn(place: "savepoint" | "transaction", run: () => unknown): Outcome {
    const needsSavepoint = place === "savepoint";
    if (needsSavepoint) this.#sqlite.run("SAVEPOINT work");
    this.#after = [];
    try {
      const value = run();
      if (value instanceof Promise)
        throw new Error("a write must be synchronous: what follows an await is outside it");
      if (needsSavepoint) this.#sqlite.run("RELEASE work");
      return { ok: true, value, after: this.#after };
    } catch (error) {
      if (!this.#sqlite.inTransaction) throw error;
      if (needsSavepoint) {
        this.#sqlite.run("ROLLBACK TO work");
        this.#sqlite.run("RELEASE work");
      }
      return { ok: false, error: fromSqlite(error) };
    } finally {
      this.#after = undefined;
    }
  }
}

async function toEnd(steps: Generator<void>): Promise<void> {
  const stretch = new Stretch();
  while (!steps.next().done) if (stretch.isOver()) await turnOfOthers();
}
