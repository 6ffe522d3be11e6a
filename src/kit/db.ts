// One SQLite database, one writer, one commit for everything that waits together.
//
// Durability: `synchronous=FULL`, so an acknowledged write survives a power cut. To pay for that once, `write` gathers all work
// of one event-loop turn into one transaction ("group commit"); each piece has its own savepoint, so one failing changes nothing
// of the others. The lock is exclusive: a second process on the same data is refused instead of corrupting our counters and caches.

import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { rmSync } from "node:fs";
import { Stretch, turnOfOthers } from "./clock.ts";
import { claimFile, createFile, incomplete, openError, removeFiles, settleFile } from "./db-file.ts";
import { Freezer, type FrozenFile } from "./db-frozen.ts";
import { AppError } from "./error.ts";
import { queryOf, type Parameters, type Query } from "./statement.ts";
import { fromSqlite } from "./storage-error.ts";

const BUSY_TIMEOUT_MS = 200;
const CACHE_KIB = 8 * 1024;
const BATCH_WORKS_MAX = 512;
/** The log is brought into the file when it has so many pages (16 MiB): a page that changes often is brought once for many commits. */
const CHECKPOINT_PAGES = 4000;

const READS = /^\s*SELECT\b/i;

export interface WriteOptions {
  /** `run` may be called a second time, after what it did was undone: then works that succeed together need no way back each. */
  readonly repeatable?: boolean;
  /** A power cut may take it back, together with what came after it and is relaxed as well. The end of the process does not. */
  readonly relaxed?: boolean;
}

interface Work extends WriteOptions {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { ok: true; value: unknown; after: (() => void)[] } | { ok: false; error: unknown };

/** Told of a callback that failed after its write had become durable: the write stands, so this is nobody's refusal. */
export type OnDefect = (error: unknown) => void;

export class Db {
  readonly path: string;
  /** This process made the file. */
  readonly created: boolean;
  readonly #sqlite: Database;
  readonly #onDefect: OnDefect;
  readonly #statements: Statement[] = [];
  readonly #proof = this.query<never, []>(
    "INSERT INTO proof (id, side) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET side = 1 - side",
  );
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
  readonly #freezer: Freezer;

  constructor(path: string, sqlite: Database, created: boolean, onDefect: OnDefect) {
    this.path = path;
    this.created = created;
    this.#sqlite = sqlite;
    this.#onDefect = onDefect;
    this.#freezer = new Freezer(path, {
      empty: () => this.#emptyLog(),
      setCheckpoints: (on) => sqlite.run(`PRAGMA wal_autocheckpoint = ${on ? CHECKPOINT_PAGES : 0}`),
      onDefect,
    });
  }

  /** SQL belongs to `store.ts` files. `P` says what is bound: statement.ts. */
  query<Row, P extends Parameters<P> = []>(sql: string): Query<Row, P> {
    let compiled: Statement<Row> | undefined;
    const isRead = READS.test(sql);
    return queryOf(() => {
      if (!isRead) this.#touched = true;
      return (compiled ??= this.#keep(this.#sqlite.prepare<Row, SQLQueryBindings[]>(sql)));
    });
  }

  /** Runs `run` in the next group commit and resolves when it is on disk. A throw in it undoes only its own changes. */
  write<T>(run: () => T, options: WriteOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new AppError("unavailable", "the service is stopping"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...options, run, resolve: resolve as (value: unknown) => void, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  /**
   * As `write`, for a change of so many rows that others have to run in between: one transaction, on disk when it resolves. Both works yield
   * where they may pause; `committed` then tells what was done, before any other write. Other writes wait for the end of it. Reads do not, and
   * see what is not committed: the caller keeps them away.
   */
  writeInSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    if (this.#closed) return Promise.reject(new AppError("unavailable", "the service is stopping"));
    const done = this.#steps.then(() => this.#inSteps(run, committed));
    this.#steps = done.catch(() => undefined);
    return done;
  }

  /** For start-up only, where nothing runs beside it: one transaction, at once. */
  writeNow<T>(run: () => T): T {
    const outcome = this.#commit([{ run }])[0]!;
    if (!outcome.ok) throw outcome.error;
    this.#callBack(outcome.after);
    return outcome.value as T;
  }

  /** Does the caller run inside a write? What it reads may still be undone, so it must not be cached. */
  get isWriting(): boolean {
    return this.#after !== undefined;
  }

  /** Called inside a write: `callback` runs once the write is durable, in order, and never if it is undone. */
  afterCommit(callback: () => void): void {
    if (!this.#after) throw new Error("afterCommit outside a write");
    this.#after.push(callback);
  }

  /** `told` hears after each commit how long it took, by `elapsed`. It must not throw. */
  watchCommits(elapsed: () => number, told: (took: number) => void): void {
    this.#watch = { elapsed, told };
  }

  /** A commit of one bit: proves that the disk takes writes. The file does not grow. Needs the tables of `migrate`. */
  prove(): Promise<void> {
    // A transaction in steps proves it as well, and nobody should have to wait for its end.
    return this.#isInSteps ? Promise.resolve() : this.write(() => void this.#proof.run());
  }

  /** What is wrong with the file, a line each; empty when it holds. Reads all of it, though not each index against its table. */
  problems(): string[] {
    const found = this.query<{ quick_check: string }, []>("PRAGMA quick_check(20)").all();
    return found.map((row) => row.quick_check).filter((line) => line !== "ok");
  }

  /** Consistent copy of everything committed so far. */
  backupTo(path: string): void {
    createFile(path);
    try {
      this.#sqlite.run("VACUUM INTO ?", [path]);
    } catch (error) {
      rmSync(path, { force: true });
      throw fromSqlite(error);
    }
  }

  /**
   * Everything that is committed, in the database's one file, which stays as it is until `thaw`. Takes as long as bringing the log into it:
   * milliseconds. Raises `conflict` when it is frozen already or being changed in steps, `unavailable` when storage refuses.
   */
  freeze(): FrozenFile {
    if (this.#isInSteps) throw new AppError("conflict", "much is being changed at once; try again");
    return this.#freezer.freeze();
  }

  /** After a commit, what it deleted still stands in the log. While it is frozen the log has to stay: then the thaw does it. */
  clearLog(): void {
    this.#freezer.clearLog();
  }

  /**
   * Rewrites the file, so that nothing that was deleted or replaced is left in it or in its log. At start only: it takes as long as
   * copying the database, and as much memory.
   */
  rewrite(): void {
    try {
      this.#sqlite.run("VACUUM");
      if (!this.#emptyLog()) throw new AppError("unavailable", "the database is busy; try again");
    } catch (error) {
      throw fromSqlite(error);
    }
  }

  exec(sql: string): void {
    this.#touched = true;
    this.#sqlite.run(sql);
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    // The lock lasts until the last statement is gone, so they go now and not when memory is swept.
    for (const statement of this.#statements) statement.finalize();
    this.#sqlite.close(false);
    this.#freezer.close();
  }

  /** Its tables are made: called once all migrations are done. */
  settle(): void {
    settleFile(this.path);
  }

  /** Closes, and takes the files away if this process made them: for a start that is refused. */
  discard(): void {
    this.close();
    if (this.created) removeFiles(this.path);
  }

  /** Returns whether all of the log is in the file now. */
  #emptyLog(): boolean {
    using statement = this.#sqlite.prepare<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
    return statement.get()?.busy === 0;
  }

  #keep<S extends object>(statement: S): S {
    this.#statements.push(statement as unknown as Statement);
    return statement;
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
    // What was asked for before is done before.
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

/**
 * Raises `conflict` with `details.in_use` while another process has it open, `invalid` when it is no database, `refused` for an incomplete copy, `unavailable` when
 * storage refuses.
 */
export function openDatabase(path: string, onDefect: OnDefect = rethrow): Db {
  let claim: ReturnType<typeof claimFile> | undefined;
  let sqlite: Database | undefined;
  try {
    claim = claimFile(path);
    sqlite = new Database(path, { create: true, strict: true });
    sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sqlite.run("PRAGMA locking_mode = EXCLUSIVE");
    if (claim === "kept" && isEmpty(sqlite)) throw incomplete(path);
    sqlite.run("PRAGMA journal_mode = WAL");
    sqlite.run("PRAGMA synchronous = FULL");
    sqlite.run("PRAGMA foreign_keys = ON");
    // Nothing of it is written elsewhere: what SQLite keeps for an undo would go to the system's temporary directory.
    sqlite.run("PRAGMA temp_store = MEMORY");
    sqlite.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    sqlite.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    // An exclusive lock is taken by the first write, so make one now: better refused here than at the first request.
    sqlite.run("BEGIN EXCLUSIVE");
    sqlite.run("COMMIT");
    return new Db(path, sqlite, claim === "made" && path !== ":memory:", onDefect);
  } catch (error) {
    sqlite?.close(false);
    const shown = openError(path, error);
    // In use: another process was quicker with the file that we made, and it is theirs now.
    if (claim === "made" && shown.code !== "conflict") removeFiles(path);
    throw shown;
  }
}

function isEmpty(sqlite: Database): boolean {
  return (
    sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM sqlite_schema").get()!.count === 0
  );
}

function rethrow(error: unknown): never {
  throw error;
}
