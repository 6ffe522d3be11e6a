// Runs backups in the background, one at a time. The state of the last one can be queried.

import type { Background } from "../concurrency/background.ts";
import { AppError, messageOf, notFound } from "../error.ts";
import type { Log } from "../log.ts";

/** As `backupWith` in schema.ts. Changes while the backup runs. */
interface BackupState<R> {
  readonly id: number;
  state: "running" | "done" | "failed" | "cancelled";
  readonly file: string;
  bytes_done: number;
  bytes_total: number;
  result: R | null;
  error: { code: string; message: string } | null;
}

interface Job<R> {
  readonly shown: BackupState<R>;
  readonly stop: AbortController;
}

export interface Begun<R> {
  readonly shown: BackupState<R>;
  /** Resolves when the backup has ended, also in failure. */
  readonly ended: Promise<void>;
}

export class BackupJobs<R> {
  readonly #background: Background;
  readonly #log: Log;
  #last: Job<R> | undefined;
  #count = 0;

  constructor(background: Background, log: Log) {
    this.#background = background;
    this.#log = log;
  }

  /** The backup that was started last, since the program started. */
  get last(): BackupState<R> | undefined {
    return this.#last?.shown;
  }

  /** Only the last one can be asked for. Raises `not_found`. */
  get(id: number): BackupState<R> {
    const { last } = this;
    if (last?.id !== id) throw notFound("backup", id);
    return last;
  }

  /** Raises `conflict` while a backup is running. */
  requireIdle(): void {
    if (this.#last?.shown.state === "running")
      throw new AppError("conflict", `a backup is already running: ${this.#last.shown.file}`);
  }

  /** Starts `make` now. Raises as `requireIdle`. */
  start(file: string, make: (shown: BackupState<R>, signal: AbortSignal) => Promise<R>): Begun<R> {
    this.requireIdle();
    this.#count += 1;
    const shown: BackupState<R> = {
      id: this.#count,
      state: "running",
      file,
      bytes_done: 0,
      bytes_total: 0,
      result: null,
      error: null,
    };
    const job = { shown, stop: new AbortController() };
    this.#last = job;
    const ended = this.#run(job, make);
    this.#background.run("backup", () => ended);
    return { shown, ended };
  }

  /** Cancels a running backup, whose file is removed. */
  abort(reason: string): void {
    this.#last?.stop.abort(
      new AppError("unavailable", `the backup was cancelled: ${reason}; no file was kept`),
    );
  }

  async #run(
    { shown, stop }: Job<R>,
    make: (shown: BackupState<R>, signal: AbortSignal) => Promise<R>,
  ): Promise<void> {
    try {
      shown.result = await make(shown, stop.signal);
      shown.state = "done";
    } catch (error) {
      shown.error = errorOf(error);
      shown.state = stop.signal.aborted ? "cancelled" : "failed";
      // The caller and the audit record get an AppError; only other errors need the log.
      if (!(error instanceof AppError))
        this.#log.error("the backup failed", { file: shown.file, error: messageOf(error) });
    }
  }
}

function errorOf(error: unknown): { code: string; message: string } {
  return error instanceof AppError
    ? { code: error.code, message: error.message }
    : { code: "internal", message: "internal error; see the log of the server" };
}
