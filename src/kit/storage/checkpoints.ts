// Checkpoints of a database in a worker thread, because copying thousands of pages from the WAL into the file would block the serving thread. The
// worker has a connection of its own. Writes continue during the first pass, and wait during a second, short one: only a WAL that is copied
// completely is reused from its start, so that it does not grow.

import { constants, Database } from "bun:sqlite";
import { messageOf } from "../error.ts";
import type { Job } from "../workers/job.ts";
import type { WorkerPool } from "../workers/pool.ts";

/** Checkpoint the WAL after this many pages (16 MiB): at SQLite's 1,000, a write of a document writes 13 % more bytes. */
const CHECKPOINT_PAGES = 4_000;
/** If checkpoints in the worker fail, the serving thread does them at this size (64 MiB). */
const OWN_CHECKPOINT_PAGES = 16_384;
const DEADLINE_MS = 60_000;

export const CHECKPOINT_JOB: Job<string, undefined> = {
  name: "checkpoint",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: 64 * 1024,
  sizeOf: (path) => path.length,
};

/** Only this VFS lets the connections of one process share a database that no other process can open. Windows does not have it. */
export const SHARES_FILE = process.platform === "linux";

/** The name under which every connection of this process opens the database. */
export function sharedName(path: string): string {
  return `${Bun.pathToFileURL(path).href}?vfs=unix-excl`;
}

/** Runs in the worker. */
export function checkpoint(path: string): undefined {
  const sqlite = new Database(sharedName(path), constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_URI);
  try {
    sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    sqlite.close(false);
  }
}

interface CheckpointsDeps {
  readonly path: string;
  readonly sqlite: Database;
  /** Runs work while all writes wait. */
  readonly held: (work: () => Promise<void>) => Promise<void>;
  readonly onDefect: (error: unknown) => void;
}

export class Checkpoints {
  readonly #deps: CheckpointsDeps;
  #workers: WorkerPool | undefined;
  #isOn = true;
  #running: Promise<void> | undefined;
  /** In pages. After a checkpoint that failed, the WAL must grow before the next try, or each commit would begin one. */
  #beginsAt = CHECKPOINT_PAGES;

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps;
    this.#setOwn();
  }

  /** From now on, a worker does the checkpoints. No effect where the VFS is missing. */
  use(workers: WorkerPool): void {
    if (!SHARES_FILE || this.#deps.path === ":memory:") return;
    this.#workers = workers;
    this.#setOwn();
  }

  /** Turned off, the WAL grows and the file stays unchanged. Not while one is running. */
  turn(on: boolean): void {
    this.#isOn = on;
    this.#setOwn();
  }

  /** Undefined if no checkpoint is running; otherwise resolves at its end. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Called after each commit. Looks at the size of the WAL each time, because one commit may change thousands of pages. */
  committed(): void {
    if (!this.#workers || !this.#isOn || this.#running) return;
    const pages = this.#pages();
    if (pages < CHECKPOINT_PAGES) this.#beginsAt = CHECKPOINT_PAGES;
    else if (pages >= this.#beginsAt) this.#begin(this.#workers, pages);
  }

  #begin(workers: WorkerPool, pages: number): void {
    const pass = () => workers.run(CHECKPOINT_JOB, this.#deps.path, { by: "checkpoint" });
    const work = async () => {
      await pass();
      await this.#deps.held(pass);
    };
    this.#running = work()
      .catch((error: unknown) => {
        this.#beginsAt = pages + CHECKPOINT_PAGES;
        this.#deps.onDefect(new Error(`checkpoint: ${messageOf(error)}`));
      })
      .finally(() => (this.#running = undefined));
  }

  /** The pages in the WAL that are not in the file yet. */
  #pages(): number {
    using statement = this.#deps.sqlite.prepare<{ log: number; checkpointed: number }, []>(
      "PRAGMA wal_checkpoint(NOOP)",
    );
    const { log, checkpointed } = statement.get()!;
    return log - checkpointed;
  }

  #setOwn(): void {
    const pages = !this.#isOn ? 0 : this.#workers ? OWN_CHECKPOINT_PAGES : CHECKPOINT_PAGES;
    this.#deps.sqlite.run(`PRAGMA wal_autocheckpoint = ${pages}`);
  }
}
