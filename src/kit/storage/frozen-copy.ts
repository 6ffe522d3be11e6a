// Freezes a database file while it is copied: writes collect in the WAL. Also truncates the WAL, which must wait for the end of a copy.

import { closeSync, fstatSync, openSync, read } from "node:fs";
import { AppError } from "../error.ts";
import { fromSqlite } from "../storage-error.ts";

/** A database file frozen at one moment. Writes continue and collect in the WAL. */
export interface FrozenFile {
  /** Bytes. */
  readonly size: number;
  /** Returns the number of bytes read; less than requested only at the end. Raises `unavailable` after `thaw`. */
  read(into: Uint8Array, at: number): Promise<number>;
  thaw(): void;
  /** As `thaw`. Resolves when no read is under way, so that the database can be closed before the copy has noticed. */
  release(): Promise<void>;
}

/** Controls SQLite's WAL. */
interface LogControl {
  /** Truncates the WAL. Returns false if it still holds pages that are not in the file. */
  readonly empty: () => boolean;
  /** Turns automatic checkpoints on or off. */
  readonly setCheckpoints: (on: boolean) => void;
  /** The checkpoint in progress, if any. */
  readonly running: () => Promise<void> | undefined;
  /** As `running`, of a checkpoint that begins now if `empty` would take long. */
  readonly begin: () => Promise<void> | undefined;
  /** The transaction in steps in progress, if any. Never rejects. */
  readonly stepping: () => Promise<unknown> | undefined;
  /** As `openDatabase`. */
  readonly onDefect: (error: unknown) => void;
}

export class Freezer {
  readonly #path: string;
  readonly #log: LogControl;
  /** For copies. Stays open as long as the database: closing any descriptor of the file releases SQLite's lock (POSIX). */
  #descriptor: number | undefined;
  #frozen = false;
  #thawed = Promise.withResolvers<void>();
  #reading: Promise<unknown> | undefined;
  #isLogToClear = false;
  #isClosed = false;

  constructor(path: string, log: LogControl) {
    this.#path = path;
    this.#log = log;
  }

  /** As `Db.frozen`. */
  get frozen(): Promise<void> | undefined {
    return this.#frozen ? this.#thawed.promise : undefined;
  }

  /** As `Db.freeze`. */
  freeze(): FrozenFile {
    if (this.#frozen) throw new AppError("conflict", "another backup is already running");
    if (this.#log.running()) throw new AppError("conflict", "a checkpoint is running; try again");
    try {
      this.#descriptor ??= openSync(this.#path, "r");
      this.#frozen = true;
      this.#log.setCheckpoints(false);
      if (!this.#log.empty()) throw new AppError("unavailable", "the database is busy; try again");
      return {
        size: fstatSync(this.#descriptor).size,
        read: (into, at) => this.#read(into, at),
        thaw: () => this.#thaw(),
        release: async () => {
          this.#thaw();
          await this.#reading?.catch(() => {});
        },
      };
    } catch (error) {
      this.#thaw();
      throw fromSqlite(error);
    }
  }

  /** As `Db.clearLog`. */
  clearLog(): void {
    this.#clearLog({ isCopied: false });
  }

  /** Called after the database is closed. */
  close(): void {
    this.#isClosed = true;
    this.#frozen = false;
    this.#thawed.resolve();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    this.#thawed.resolve();
    this.#thawed = Promise.withResolvers();
    this.#log.setCheckpoints(true);
    if (!this.#isLogToClear) return;
    try {
      this.clearLog();
    } catch (error) {
      this.#log.onDefect(error);
    }
  }

  /** `isCopied`: a checkpoint has ended just now, so that little is left to copy. */
  #clearLog({ isCopied }: { readonly isCopied: boolean }): void {
    const running = this.#log.running();
    const stepping = running ? undefined : this.#log.stepping();
    if (running) this.#clearAfter(running, { isCopied: true });
    else if (stepping) this.#clearAfter(stepping, { isCopied: false });
    else if (this.#frozen) this.#isLogToClear = true;
    else if (!isCopied && this.#log.begin()) this.#clearLog({ isCopied });
    else this.#isLogToClear = !this.#log.empty();
  }

  #clearAfter(other: Promise<unknown>, options: { readonly isCopied: boolean }): void {
    void other.then(() => this.#isClosed || this.#clearLog(options)).catch(this.#log.onDefect);
  }

  /** The descriptor outlives every read: it is closed with the database, and the database is closed after its copies end. */
  #read(into: Uint8Array, at: number): Promise<number> {
    const ended = new AppError("unavailable", "the backup was aborted: the database was closed or released");
    if (!this.#frozen) return Promise.reject(ended);
    const done = Promise.withResolvers<number>();
    this.#reading = done.promise;
    read(this.#descriptor!, into, 0, into.length, at, (error, count) => {
      if (error) done.reject(error);
      else if (!this.#frozen) done.reject(ended);
      else done.resolve(count);
    });
    return done.promise;
  }
}
