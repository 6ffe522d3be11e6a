// One SQLite database with one writer.
//
// Durability: `synchronous=FULL`, so an acknowledged write survives a power cut; writes share the price of it (group-commit.ts). The lock is
// exclusive: a second process on the same data is refused instead of corrupting our counters and caches.

import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { rmSync } from "node:fs";
import { GroupCommit, type OnDefect, type WriteOptions } from "./group-commit.ts";
import { claimFile, createFile, incomplete, openError, removeFiles, settleFile } from "./db-file.ts";
import { Freezer, type FrozenFile } from "./frozen-copy.ts";
import { AppError } from "./error.ts";
import { queryOf, type Parameters, type Query } from "./statement.ts";
import { fromSqlite } from "./storage-error.ts";

const BUSY_TIMEOUT_MS = 200;
/** Checkpoint the WAL after this many pages (16 MiB): at SQLite's 1,000, a write of a document writes 13 % more bytes. */
const CHECKPOINT_PAGES = 4000;

const READS = /^\s*SELECT\b/i;

export class Db {
  readonly path: string;
  /** This process made the file. */
  readonly created: boolean;
  readonly #sqlite: Database;
  readonly #statements: { finalize(): void }[] = [];
  readonly #proof = this.query<never, []>(
    "INSERT INTO proof (id, side) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET side = 1 - side",
  );
  readonly #commits: GroupCommit;
  #closed = false;
  readonly #freezer: Freezer;

  constructor(path: string, sqlite: Database, created: boolean, onDefect: OnDefect) {
    this.path = path;
    this.created = created;
    this.#sqlite = sqlite;
    this.#commits = new GroupCommit(sqlite, onDefect);
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
      if (!isRead) this.#commits.touch();
      return (compiled ??= this.#keep(this.#sqlite.prepare<Row, SQLQueryBindings[]>(sql)));
    });
  }

  /** Runs `run` in the next group commit and resolves when it is on disk. A throw in it undoes only its own changes. */
  write<T>(run: () => T, options: WriteOptions = {}): Promise<T> {
    return this.#commits.write(run, options);
  }

  /**
   * Like `write`, for a change of so many rows that other work must run in between: one transaction, on disk when it resolves. Both generators yield
   * where they may pause; `committed` then tells what was done, before any other write. Other writes wait for the end of it. Reads do not, and
   * see what is not committed: the caller keeps them away.
   */
  writeInSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    return this.#commits.writeInSteps(run, committed);
  }

  /** For start-up only, where nothing runs beside it: one transaction, at once. */
  writeNow<T>(run: () => T): T {
    return this.#commits.writeNow(run);
  }

  /** Does the caller run inside a write? What it reads may still be undone, so it must not be cached. */
  get isWriting(): boolean {
    return this.#commits.isWriting;
  }

  /** Called inside a write: `callback` runs once the write is durable, in order, and never if it is undone. */
  afterCommit(callback: () => void): void {
    this.#commits.afterCommit(callback);
  }

  /** `told` hears after each commit how long it took, by `elapsed`. It must not throw. */
  watchCommits(elapsed: () => number, told: (took: number) => void): void {
    this.#commits.watchCommits(elapsed, told);
  }

  /** A commit of one bit: proves that the disk takes writes. The file does not grow. Needs the tables of `migrate`. */
  prove(): Promise<void> {
    // A transaction in steps proves it as well, and no caller should have to wait for its end.
    return this.#commits.isInSteps ? Promise.resolve() : this.write(() => void this.#proof.run());
  }

  /** Returns the problems of the file, a line each; empty if it is intact. Reads all of it, but does not compare indexes with tables. */
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
    if (this.#commits.isInSteps) throw new AppError("conflict", "a large change is being written; try again");
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
    this.#commits.touch();
    this.#sqlite.run(sql);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#commits.close();
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

  #keep<S extends { finalize(): void }>(statement: S): S {
    this.#statements.push(statement);
    return statement;
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
