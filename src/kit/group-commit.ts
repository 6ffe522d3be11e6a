// Group commit: everything that is to be written in one turn of the event loop becomes one transaction, so that one sync of the disk pays for
// all of it. Each write has its own savepoint, unless it can be repeated: one that fails changes nothing of the others.

import type { Database } from "bun:sqlite";
import { Stretch, turnOfOthers } from "./clock.ts";
import { AppError } from "./error.ts";
import { fromSqlite } from "./storage-error.ts";

const BATCH_WORKS_MAX = 512;

export interface WriteOptions {
  /**
   * `run` may be called a second time, after what it did was undone: a batch that succeeds then needs no savepoint per write. With 64 writers
   * of documents, savepoints cost 10 to 17 % more processor time per write.
   */
  readonly repeatable?: boolean;
  /**
   * A power cut may take it back, together with what came after it and is relaxed as well; the end of the process does not. Saves the sync of
   * the disk: 0.1 ms for a commit in place of 2 to 4 ms.
   */
  readonly relaxed?: boolean;
}

interface Work extends WriteOptions {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { ok: true; value: unknown; after: (() => void)[] } | { ok: false; error: unknown };

/** Receives the error of a callback that failed after the commit. The write is durable, so no caller sees this error. */
export type OnDefect = (error: unknown) => void;

export class GroupCommit {
  readonly #sqlite: Database;
  readonly #onDefect: OnDefect;
  #queue: Work[] = [];
  #scheduled = false;
  #after: (() => void)[] | undefined;
  /** The work that runs now did something that would have to be undone. */
  #touched = false;
  #isRelaxed = false;
  #closed = false;
  /** A transaction is open while others run: the writes wait for its end. */
  #isInSteps = false;
  #steps: Promise<unknown> = Promise.resolve();
  #watch: { readonly elapsed: () => number; readonly told: (took: number) => void } | undefined;

  constructor(sqlite: Database, onDefect: OnDefect) {
    this.#sqlite = sqlite;
    this.#onDefect = onDefect;
  }

  /** Called before each statement that changes something. */
  touch(): void {
    this.#touched = true;
  }

  get isInSteps(): boolean {
    return this.#isInSteps;
  }

  /** As `Db.write`. */
  write<T>(run: () => T, options: WriteOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new AppError("unavailable", "the service is stopping"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...options, run, resolve: resolve as (value: unknown) => void, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  /** As `Db.writeInSteps`. */
  writeInSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    if (this.#closed) return Promise.reject(new AppError("unavailable", "the service is stopping"));
    const done = this.#steps.then(() => this.#inSteps(run, committed));
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

  /** Writes what waits, and takes nothing more. */
  close(): void {
    this.#flush();
    this.#closed = true;
  }

  #flush(): void {
    this.#scheduled = false;
    while (this.#queue.length > 0 && !this.#isInSteps) {
      const batch = this.#queue.splice(0, BATCH_WORKS_MAX);
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
    }
  }

  async #inSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    // Earlier requests are served first.
    this.#flush();
    this.#isInSteps = true;
    const after: (() => void)[] = [];
    let value: T;
    try {
      this.#setRelaxed(false);
      this.#sqlite.run("BEGIN IMMEDIATE");
      value = await this.#stepped(run(), after);
      const start = this.#watch?.elapsed() ?? 0;
      this.#sqlite.run("COMMIT");
      this.#watch?.told(this.#watch.elapsed() - start);
      this.#callBack(after);
      await this.#stepped(committed(value)).catch(this.#onDefect);
    } catch (error) {
      if (!this.#closed && this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
      throw fromSqlite(error);
    } finally {
      this.#isInSteps = false;
      this.#flush();
    }
    return value;
  }

  /** `after`: inside the transaction, as for `afterCommit`. */
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
      await turnOfOthers();
      if (this.#closed) throw new AppError("unavailable", "the service is stopping");
    }
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
      }
      return outcomes;
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
      const failure = { ok: false as const, error: fromSqlite(error) };
      return works.map(() => failure);
    }
  }

  /** Begins the transaction. A savepoint copies each page that changes after it: works that can be repeated do without, as long as all goes well. */
  #runAll(works: readonly Pick<Work, "run" | "repeatable">[]): Outcome[] {
    this.#sqlite.run("BEGIN IMMEDIATE");
    if (works.length === 1) return [this.#runInSavepoint(works[0]!.run, false)];
    if (works.every(({ repeatable }) => repeatable)) {
      const outcomes = this.#runWithoutWayBack(works);
      if (outcomes) return outcomes;
      this.#sqlite.run("ROLLBACK");
      this.#sqlite.run("BEGIN IMMEDIATE");
    }
    return works.map(({ run }) => this.#runInSavepoint(run, true));
  }

  /** Undefined: one failed when it had changed something already. */
  #runWithoutWayBack(works: readonly Pick<Work, "run">[]): Outcome[] | undefined {
    const outcomes: Outcome[] = [];
    for (const { run } of works) {
      this.#touched = false;
      const outcome = this.#runInSavepoint(run, false);
      if (!outcome.ok && this.#touched) return undefined;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Set between transactions only. A later commit that is not relaxed brings all before it to the disk: they share one log. */
  #setRelaxed(relaxed: boolean): void {
    if (relaxed === this.#isRelaxed) return;
    this.#sqlite.run(`PRAGMA synchronous = ${relaxed ? "NORMAL" : "FULL"}`);
    this.#isRelaxed = relaxed;
  }

  /** A failure that made SQLite give up the whole transaction (disk full, I/O error) fails the whole batch: it is thrown on. */
  #runInSavepoint(run: () => unknown, needsSavepoint: boolean): Outcome {
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
