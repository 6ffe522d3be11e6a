// A database's file, kept as it is while it is copied: writes gather in the log beside it. Also empties that log, which has to stay meanwhile.

import { closeSync, fstatSync, openSync, read } from "node:fs";
import { AppError } from "./error.ts";
import { fromSqlite } from "./storage-error.ts";

/** The file of a database as it was at one moment. Writes go on meanwhile: they gather in the log beside it. */
export interface FrozenFile {
  /** Bytes. */
  readonly size: number;
  /** Returns how many bytes there were; fewer than fit only at the end. Raises `unavailable` once it is thawed. */
  read(into: Uint8Array, at: number): Promise<number>;
  thaw(): void;
}

/** What SQLite does with the log. */
interface LogControl {
  /** Returns whether all of the log is in the file now. */
  readonly empty: () => boolean;
  /** Whether it is brought into the file by itself. */
  readonly setCheckpoints: (on: boolean) => void;
  /** As of the database. */
  readonly onDefect: (error: unknown) => void;
}

export class Freezer {
  readonly #path: string;
  readonly #log: LogControl;
  /** For copies. Kept open as long as the database: closing any descriptor of the file gives up SQLite's lock on it (POSIX). */
  #descriptor: number | undefined;
  #frozen = false;
  #isLogToClear = false;

  constructor(path: string, log: LogControl) {
    this.#path = path;
    this.#log = log;
  }

  /** As `Db.freeze`. */
  freeze(): FrozenFile {
    if (this.#frozen) throw new AppError("conflict", "another backup is already running");
    try {
      this.#descriptor ??= openSync(this.#path, "r");
      this.#frozen = true;
      this.#log.setCheckpoints(false);
      if (!this.#log.empty()) throw new AppError("unavailable", "the database is busy; try again");
      return {
        size: fstatSync(this.#descriptor).size,
        read: (into, at) => this.#read(into, at),
        thaw: () => this.#thaw(),
      };
    } catch (error) {
      this.#thaw();
      throw fromSqlite(error);
    }
  }

  /** As `Db.clearLog`. */
  clearLog(): void {
    if (this.#frozen) this.#isLogToClear = true;
    else this.#log.empty();
  }

  /** Once the database is closed. */
  close(): void {
    this.#frozen = false;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    this.#log.setCheckpoints(true);
    if (!this.#isLogToClear) return;
    try {
      this.#isLogToClear = !this.#log.empty();
    } catch (error) {
      this.#log.onDefect(error);
    }
  }

  /** The descriptor outlives every read: it is closed with the database, which is not closed before its copies have ended. */
  #read(into: Uint8Array, at: number): Promise<number> {
    const ended = new AppError("unavailable", "the backup was aborted: the database was closed or released");
    if (!this.#frozen) return Promise.reject(ended);
    const done = Promise.withResolvers<number>();
    read(this.#descriptor!, into, 0, into.length, at, (error, count) => {
      if (error) done.reject(error);
      else if (!this.#frozen) done.reject(ended);
      else done.resolve(count);
    });
    return done.promise;
  }
}
