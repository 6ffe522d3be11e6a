// One SQLite database with one writer.
//
// Durability: `synchronous=FULL`, so an acknowledged write survives a power cut; writes share its cost (group-commit.ts). The lock is exclusive: a
// second process on the same data is refused instead of corrupting our counters and caches.

import { constants, Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { rmSync } from "node:fs";
import { Checkpoints, SHARES_FILE, sharedName } from "./checkpoints.ts";
import { PageCapture, type PageSink } from "./changed-pages.ts";
import { GroupCommit, type OnDefect, type WriteOptions } from "./group-commit.ts";
import {
  claimFile,
  createFile,
  incomplete,
  openError,
  removeFiles,
  reserveFile,
  settleFile,
  type Reserved,
} from "./db-file.ts";
import { Freezer, type FrozenFile } from "./frozen-copy.ts";
import { AppError } from "../error.ts";
import { queryOf, type Parameters, type Query } from "./statement.ts";
import { fromSqlite } from "../storage-error.ts";
import type { WorkerPool } from "../workers/pool.ts";

const BUSY_TIMEOUT_MS = 200;

const READS = /^\s*SELECT\b/i;

interface DbOptions {
  readonly path: string;
  readonly sqlite: Database;
  /** This process created the file. */
  readonly created?: boolean;
  /** Its creation is not finished: see `claimFile`. */
  readonly begun?: boolean;
  /** Released when the database is closed. */
  readonly reserved?: Reserved | undefined;
  readonly onDefect: OnDefect;
}

export class Db {
  readonly path: string;
  /** This process created the file. */
  readonly created: boolean;
  /** This process created the file, or one that ended before `settle`. A file that was settled has its first rows. */
  readonly begun: boolean;
  readonly #sqlite: Database;
  readonly #statements: { finalize(): void }[] = [];
  readonly #proof = this.query<never, []>(
    "INSERT INTO proof (id, side) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET side = 1 - side",
  );
  readonly #commits: GroupCommit;
  readonly #checkpoints: Checkpoints;
  readonly #freezer: Freezer;
  readonly #reserved: Reserved | undefined;
  #capture: PageCapture | undefined;
  #closed = false;

  constructor({ path, sqlite, created = false, begun = false, reserved, onDefect }: DbOptions) {
    this.path = path;
    this.created = created;
    this.begun = begun;
    this.#sqlite = sqlite;
    this.#reserved = reserved;
    this.#commits = new GroupCommit(sqlite, onDefect, () => this.#checkpoints.committed());
    this.#checkpoints = new Checkpoints({
      path,
      sqlite,
      held: (work) => this.#commits.held(work),
      truncating: () => this.#capture?.capture(),
      onDefect,
    });
    this.#freezer = new Freezer(path, {
      empty: () => this.#emptyLog(),
      setCheckpoints: (on) => this.#checkpoints.turn(on),
      running: () => this.#checkpoints.running,
      begin: () => this.#checkpoints.begin(),
      stepping: () => this.#commits.stepping,
      onDefect,
    });
  }

  /** From now on, a worker does the checkpoints. Its program must implement `CHECKPOINT_JOB`. */
  checkpointIn(workers: WorkerPool): void {
    this.#checkpoints.use(workers);
  }

  /** From now on, `sink` gets the pages that each commit changes. Before the first write, or else a copy lacks pages. */
  copyPagesTo(sink: PageSink): void {
    const capture = (this.#capture = new PageCapture(this.path, () => this.#framesInLog(), sink));
    this.#commits.captureWith(capture);
  }

  /** Undefined if no checkpoint is running; otherwise resolves at its end. Wait for it before `close`. */
  get checkpointing(): Promise<void> | undefined {
    return this.#checkpoints.running;
  }

  /** Resolves when no checkpoint is running and little is left for `freeze` to copy on this thread. Wait for it before `freeze`. */
  async checkpointed(): Promise<void> {
    for (let running = this.#checkpoints.begin(); running; running = this.#checkpoints.running) await running;
  }

  /** SQL belongs to `store.ts` files. `P` says what is bound: statement.ts. */
  query<Row, P extends Parameters<P> = []>(sql: string): Query<Row, P> {
    let compiled: Statement<Row> | undefined;
    const isRead = READS.test(sql);
    return queryOf(sql, () => {
      if (!isRead) this.#commits.touch();
      return (compiled ??= this.#keep(this.#sqlite.prepare<Row, SQLQueryBindings[]>(sql)));
    });
  }

  /** Runs `run` in the next group commit and resolves when it is durable. A throw rolls back only its own changes. */
  write<T>(run: () => T, options: WriteOptions = {}): Promise<T> {
    return this.#commits.write(run, options);
  }

  /**
   * As `write`, for a change of too many rows to run without pauses: one transaction, durable when it resolves. Both generators yield
   * where they may pause. `committed` runs after the commit and before any other write. Other writes wait. Reads do not wait and would see
   * uncommitted data, so the caller must block them.
   */
  writeInSteps<T>(run: () => Generator<void, T>, committed: (value: T) => Generator<void>): Promise<T> {
    return this.#commits.writeInSteps(run, committed);
  }

  /** Runs one transaction synchronously. For start-up only. */
  writeNow<T>(run: () => T): T {
    return this.#commits.writeNow(run);
  }

  /** Reports whether the caller runs inside a write. Data read then may be rolled back, so it must not be cached. */
  get isWriting(): boolean {
    return this.#commits.isWriting;
  }

  /** Called inside a write. Runs `callback` once the write is durable, in order, and never if it is rolled back. */
  afterCommit(callback: () => void): void {
    this.#commits.afterCommit(callback);
  }

  /** Calls `told` after each commit with its duration, measured by `elapsed`. `told` must not throw. */
  watchCommits(elapsed: () => number, told: (took: number) => void): void {
    this.#commits.watchCommits(elapsed, told);
  }

  /** Commits one bit, to prove that the disk accepts writes. The file does not grow. Needs the tables of `migrate`. */
  prove(): Promise<void> {
    // A transaction in steps proves it too, and the caller should not wait for its end.
    return this.#commits.isInSteps
      ? Promise.resolve()
      : this.write(() => void this.#proof.run(), { quiet: true });
  }

  /** Returns the problems of the file, one per line; empty if it is intact. Reads the whole file, but does not compare indexes with tables. */
  problems(): string[] {
    const found = this.query<{ quick_check: string }, []>("PRAGMA quick_check(20)").all();
    return found.map((row) => row.quick_check).filter((line) => line !== "ok");
  }

  /** Writes a consistent copy of all committed data. */
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
   * Checkpoints all committed data into the file, which then stays unchanged until `thaw`. Takes milliseconds after `checkpointed`. Raises
   * `conflict` if it is already frozen, being changed in steps or being checkpointed, `unavailable` when storage refuses.
   */
  freeze(): FrozenFile {
    if (this.#commits.isInSteps) throw new AppError("conflict", "a large change is being written; try again");
    return this.#freezer.freeze();
  }

  /** Undefined if the file is not frozen; otherwise resolves when it is released. */
  get frozen(): Promise<void> | undefined {
    return this.#freezer.frozen;
  }

  /** Truncates the WAL, which still contains deleted data after a commit. While frozen or during a checkpoint, it is truncated afterwards. */
  clearLog(): void {
    this.#freezer.clearLog();
  }

  /**
   * Rewrites the file, so that no deleted or replaced data remains in it or in the WAL. For start-up only: it takes as much time and memory as
   * copying the database.
   */
  rewrite(): void {
    try {
      this.#capture?.capture();
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

  /** `refusal`: raised by later writes; `unavailable` by default. */
  close(refusal?: AppError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#commits.close(refusal);
    this.#checkpoints.close();
    // Finalized now, because the lock lasts until the last statement is finalized.
    for (const statement of this.#statements) statement.finalize();
    // A transaction in steps may be open, which SQLite would roll back.
    if (this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
    this.#capture?.capture();
    // The file at this path lacks all that was written here.
    if (this.#reserved?.isReplaced())
      this.#capture?.failed(new Error("the file was replaced while it was open"));
    this.#sqlite.close(false);
    this.#capture?.close();
    this.#freezer.close();
    this.#reserved?.release();
  }

  /** Called after all migrations, and after the first rows where a database must have some. */
  settle(): void {
    settleFile(this.path);
  }

  /** Closes, and deletes the files if this process created them: for a refused start. */
  discard(): void {
    this.close();
    if (this.created) removeFiles(this.path);
  }

  /** Truncates the WAL. Returns false if it still holds pages that are not in the file. */
  #emptyLog(): boolean {
    this.#capture?.capture();
    using statement = this.#sqlite.prepare<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
    return statement.get()?.busy === 0;
  }

  #framesInLog(): number {
    using statement = this.#sqlite.prepare<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)");
    return statement.get()!.log;
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
  let reserved: Reserved | undefined;
  try {
    claim = claimFile(path);
    reserved = reserveFile(path);
    sqlite = connect(path);
    sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (claim === "kept" && isEmpty(sqlite)) throw incomplete(path);
    sqlite.run("PRAGMA journal_mode = WAL");
    sqlite.run("PRAGMA synchronous = FULL");
    sqlite.run("PRAGMA foreign_keys = ON");
    // Otherwise SQLite would write rollback data to the system's temporary directory.
    sqlite.run("PRAGMA temp_store = MEMORY");
    // The lock is taken by the first access, so access the file now: better refused here than at the first request.
    sqlite.run("BEGIN EXCLUSIVE");
    sqlite.run("COMMIT");
    const created = claim === "made" && path !== ":memory:";
    return new Db({ path, sqlite, created, begun: claim !== "kept", reserved, onDefect });
  } catch (error) {
    sqlite?.close(false);
    reserved?.release();
    const shown = openError(path, error);
    // In use: another process opened the file that we created, and owns it now.
    if (claim === "made" && shown.code !== "conflict") removeFiles(path);
    throw shown;
  }
}

/** The VFS takes the exclusive lock if connections can share the file; otherwise the connection does. */
function connect(path: string): Database {
  if (SHARES_FILE && path !== ":memory:") {
    const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_URI } = constants;
    return new Database(sharedName(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
  }
  const sqlite = new Database(path, { create: true, strict: true });
  sqlite.run("PRAGMA locking_mode = EXCLUSIVE");
  return sqlite;
}

function isEmpty(sqlite: Database): boolean {
  return (
    sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM sqlite_schema").get()!.count === 0
  );
}

function rethrow(error: unknown): never {
  throw error;
}
