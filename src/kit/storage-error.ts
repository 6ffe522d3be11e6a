// A storage failure is neither the caller's mistake nor a defect. Turns errors of SQLite and the file system into messages that a person can act
// on and reasons that a program can distinguish.

import { AppError, systemCode } from "./error.ts";

export const storageReasons = ["full", "read_only", "open_files", "failed"] as const;
/** `open_files`: the process may open no more of them. `failed`: none of the others; the log has the system's code. */
type StorageReason = (typeof storageReasons)[number];

/** The state that a failure leaves, by the work that it stopped: one change, or several in a row. */
const STATES = { change: "nothing was changed", steps: "finished steps are kept" } as const;
type Work = keyof typeof STATES;

function storageMessage(reason: StorageReason, code: string, work: Work): string {
  if (reason === "open_files")
    return "too many open files; try again later, or raise the limit of the process (ulimit -n)";
  const state = STATES[work];
  return reason === "full"
    ? `the disk is full; ${state}; free some space and try again`
    : `storage failed (${code}); ${state}`;
}

/** Code `unavailable`. The reason is for callers in the program; clients receive the message. */
export class StorageError extends AppError {
  readonly reason: StorageReason;
  readonly #code: string;

  constructor(reason: StorageReason, code: string, work: Work = "change") {
    super("unavailable", storageMessage(reason, code, work));
    this.reason = reason;
    this.#code = code;
  }

  /** Returns the same failure for work of which some changes may be recorded. */
  ofSteps(): StorageError {
    return new StorageError(this.reason, this.#code, "steps");
  }
}

/** Runs work that records several changes one after the other, so that a failure of storage does not claim that nothing was changed. */
export async function inSteps<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageError ? error.ofSteps() : error;
  }
}

/** `SHMSIZE`: there was no room for the file that connections share. */
const FULL = ["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];
const READ_ONLY = ["EROFS", "SQLITE_READONLY"];
/** Of the process, and of the whole machine. */
const OPEN_FILES = ["EMFILE", "ENFILE"];

/** Accepts anything thrown. */
export function storageReasonOf(error: unknown): StorageReason {
  if (error instanceof StorageError) return error.reason;
  const code = systemCode(error) ?? "";
  if (OPEN_FILES.includes(code)) return "open_files";
  if (FULL.some((known) => code.startsWith(known))) return "full";
  return READ_ONLY.some((known) => code.startsWith(known)) ? "read_only" : "failed";
}

/** For work outside a database, which may have changed something before. `place`: what could not be written, if it is known. */
export function fullDisk(place?: string): AppError {
  const problem = "the disk is full; free some space and try again";
  return new AppError("unavailable", place === undefined ? problem : `${place}: ${problem}`);
}

/** Reports whether SQLite found the content of a file damaged, or no database in it. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? "");
}

/** Returns errors that are not failures of storage unchanged. */
export function fromSqlite(error: unknown): unknown {
  const code = systemCode(error) ?? "";
  return /^SQLITE_(FULL|IOERR|READONLY)/.test(code) ? new StorageError(storageReasonOf(error), code) : error;
}
