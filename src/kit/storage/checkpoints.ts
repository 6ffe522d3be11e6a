// Checkpoints of a database in a worker thread, because copying thousands of pages from the WAL into the file would block the serving thread. The
// worker has a connection of its own. Writes continue during the first passes, and wait during the last, short one: only a WAL that is copied
// completely is reused from its start, so that it does not grow.

import { constants, Database } from "bun:sqlite";
import { messageOf } from "../error.ts";
import type { Job } from "../workers/job.ts";
import type { WorkerPool } from "../workers/pool.ts";

/** Checkpoint the WAL after this many pages (16 MiB): at SQLite's 1,000, a write of a document writes 13 % more bytes. */
const CHECKPOINT_PAGES = 4_000;
/** Once a checkpoint in the worker has failed, and until one succeeds, the serving thread does them at this size (64 MiB). */
const OWN_CHECKPOINT_PAGES = 16_384;
/** The serving thread copies this many (1 MiB) in 2 ms. */
const FEW_PAGES = 256;
/** While writes continue. Each leaves the pages that were written during it. */
const PASSES_MAX = 4;
/** A WAL that has grown beyond this (32 MiB) is truncated in the worker, because that takes a millisecond per 5 MiB. */
const KEPT_PAGES = 8_000;
const DEADLINE_MS = 60_000;

interface Pass {
  readonly path: string;
  readonly mode: "PASSIVE" | "TRUNCATE";
}

export const CHECKPOINT_JOB: Job<Pass, undefined> = {
  name: "checkpoint",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: 64 * 1024,
  sizeOf: ({ path }) => path.length,
};

/** Only this VFS lets the connections of one process share a database that no other process can open. Windows does not have it. */
export const SHARES_FILE = process.platform === "linux";

/** The name under which every connection of this process opens the database. */
export function sharedName(path: string): string {
  return `${Bun.pathToFileURL(path).href}?vfs=unix-excl`;
}

/** Runs in the worker. */
export function checkpoint({ path, mode }: Pass): undefined {
  const sqlite = new Database(sharedName(path), constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_URI);
  try {
    sqlite.run(`PRAGMA wal_checkpoint(${mode})`);
  } finally {
    sqlite.close(false);
  }
}

interface CheckpointsDeps {
  readonly path: string;
  readonly sqlite: Database;
  /** Runs work while all writes wait. */
  readonly held: (work: () => Promise<void>) => Promise<void>;
  /** Called before the WAL is truncated. */
  readonly truncating: () => void;
  readonly onDefect: (error: unknown) => void;
}

export class Checkpoints {
  readonly #deps: CheckpointsDeps;
  #workers: WorkerPool | undefined;
  #isOn = true;
  #hasFailed = false;
  #isClosed = false;
  #running: Promise<void> | undefined;
  /** In pages. After a checkpoint that failed, the WAL must grow before the next try, or each commit would begin one. */
  #triesAt = 0;

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

  /** Turned off, the WAL grows and the file stays unchanged. Not while one is running. Turned on, a checkpoint begins if the WAL has grown. */
  turn(on: boolean): void {
    this.#isOn = on;
    this.#setOwn();
    this.#beginAt(CHECKPOINT_PAGES);
  }

  /** Undefined if no checkpoint is running; otherwise resolves at its end. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Called after each commit. Looks at the size of the WAL each time, because one commit may change thousands of pages. */
  committed(): void {
    this.#beginAt(CHECKPOINT_PAGES);
  }

  /** Before the serving thread empties the WAL: as `running`, of a checkpoint that begins now if the WAL has too many pages for that thread. */
  begin(): Promise<void> | undefined {
    this.#beginAt(FEW_PAGES);
    return this.#running;
  }

  /** Called before the database is closed, which checkpoints it: the failure of one that is still running is no defect. */
  close(): void {
    this.#isClosed = true;
  }

  #beginAt(pages: number): void {
    if (!this.#workers || !this.#isOn || this.#running) return;
    const { left } = this.#pages();
    if (left < CHECKPOINT_PAGES) this.#triesAt = 0;
    if (left >= Math.max(pages, this.#triesAt)) this.#run(this.#workers, left);
  }

  #run(workers: WorkerPool, left: number): void {
    const { path, held, truncating } = this.#deps;
    const pass = (mode: Pass["mode"]) => workers.run(CHECKPOINT_JOB, { path, mode }, { by: "checkpoint" });
    const work = async () => {
      for (let passes = 0; passes < PASSES_MAX; passes += 1) {
        await pass("PASSIVE");
        if (this.#pages().left < CHECKPOINT_PAGES) break;
      }
      await held(async () => {
        if (this.#pages().all <= KEPT_PAGES) return pass("PASSIVE");
        truncating();
        return pass("TRUNCATE");
      });
    };
    this.#running = work()
      .then(
        () => this.#ended({ hasFailed: false }),
        (error: unknown) => {
          this.#triesAt = left + CHECKPOINT_PAGES;
          this.#ended({ hasFailed: true });
          if (!this.#isClosed) this.#deps.onDefect(new Error(`checkpoint: ${messageOf(error)}`));
        },
      )
      .finally(() => (this.#running = undefined));
  }

  #ended({ hasFailed }: { readonly hasFailed: boolean }): void {
    if (hasFailed === this.#hasFailed) return;
    this.#hasFailed = hasFailed;
    this.#setOwn();
  }

  /** The pages in the WAL, and those of them that are not in the file yet. SQLite does not tell inside a transaction, whose commit asks again. */
  #pages(): { all: number; left: number } {
    if (this.#isClosed || this.#deps.sqlite.inTransaction) return { all: 0, left: 0 };
    using statement = this.#deps.sqlite.prepare<{ log: number; checkpointed: number }, []>(
      "PRAGMA wal_checkpoint(NOOP)",
    );
    const { log, checkpointed } = statement.get()!;
    return { all: log, left: log - checkpointed };
  }

  /** The serving thread does checkpoints only without a worker. */
  #setOwn(): void {
    if (this.#isClosed) return;
    this.#deps.sqlite.run(`PRAGMA wal_autocheckpoint = ${this.#ownPages()}`);
  }

  #ownPages(): number {
    if (!this.#isOn) return 0;
    if (!this.#workers) return CHECKPOINT_PAGES;
    return this.#hasFailed ? OWN_CHECKPOINT_PAGES : 0;
  }
}
