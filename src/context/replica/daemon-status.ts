// Says whether a copy's daemon runs and how it is doing. A lock that the system takes away with the process says the first, a small file the second,
// so a process number that was used again means nothing.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { openDatabase } from "../../kit/storage/db.ts";
import { isInUse, openWhenFree } from "../../kit/disk/in-use.ts";
import { AppError } from "../../kit/error.ts";
import { migrate } from "../../kit/storage/migrate.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { replaceFileNow } from "../../kit/disk/replace-file.ts";
import { syncDirectory } from "./state.ts";

const LOCK = "daemon.lock";
const STATUS = "daemon.json";
/** The daemon watches for this file. */
const NUDGE = "daemon.nudge";

export interface DaemonStatus {
  readonly pid: number;
  readonly started_at: string;
  /** Events of the server arrive; otherwise the daemon asks every minute. */
  readonly connected: boolean;
  /** When a cycle last changed something or recovered; null: not yet. */
  readonly synced_at: string | null;
  /** In a row. */
  readonly failures: number;
  /** Why the last cycle failed; null: it did not. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** After a failure. */
  readonly next_try_at: string | null;
}

/**
 * Raises `conflict` while another daemon of this copy runs, or a command looks for one. The holder of the lock removes the status of a daemon that
 * ended, so that it is not taken for that of the next one.
 */
export function lockDaemon(directory: string): Disposable {
  mkdirSync(syncDirectory(directory), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  try {
    const db = openDatabase(lockPath(directory));
    removeStatus(directory);
    migrate(db, [], systemClock.now());
    return {
      [Symbol.dispose]() {
        removeStatus(directory);
        db.close();
      },
    };
  } catch (error) {
    if (!isInUse(error)) throw error;
    throw alreadyRunning(directory, { in_use: true });
  }
}

/** As `lockDaemon`, for a daemon: a command that looks for one, which has no status, is waited for. */
export function lockDaemonSoon(directory: string, clock: Clock): Promise<Disposable> {
  return openWhenFree(() => {
    try {
      return lockDaemon(directory);
    } catch (error) {
      throw isInUse(error) && existsSync(statusPath(directory)) ? alreadyRunning(directory) : error;
    }
  }, clock);
}

/** A folder that cannot be written has no daemon that runs, so it keeps its status. */
function removeStatus(directory: string): void {
  try {
    rmSync(statusPath(directory), { force: true });
  } catch {}
}

function alreadyRunning(directory: string, details?: { readonly in_use: true }): AppError {
  return new AppError("conflict", `the daemon of ${directory} is already running`, details);
}

export function isDaemonRunning(directory: string): boolean {
  if (!existsSync(lockPath(directory))) return false;
  try {
    lockDaemon(directory)[Symbol.dispose]();
    return false;
  } catch (error) {
    return isInUse(error);
  }
}

/** `directory`: where the daemon looks for the folder. */
type StoredStatus = DaemonStatus & { readonly directory?: string };

export function writeStatus(directory: string, status: DaemonStatus): void {
  const stored: StoredStatus = { ...status, directory };
  replaceFileNow(statusPath(directory), JSON.stringify(stored), { isDurable: false });
}

/** Returns the status of the daemon that runs; undefined: none does. The daemon of a folder that was moved cannot write there that it fails. */
export function daemonStatus(directory: string): DaemonStatus | undefined {
  const path = statusPath(directory);
  if (!existsSync(path) || !isDaemonRunning(directory)) return undefined;
  try {
    const { directory: started, ...status } = JSON.parse(readFileSync(path, "utf8")) as StoredStatus;
    if (started === undefined || isSameDirectory(started, directory)) return status;
    const message = `the folder was moved from ${started} while the daemon ran; stop the daemon and start it again`;
    return { ...status, problem: { code: "conflict", message } };
  } catch {
    return undefined;
  }
}

/** After a person synced by hand: what kept a daemon from syncing may be gone, so it tries again at once. Best effort. */
export function nudgeDaemon(directory: string): void {
  if (!daemonStatus(directory)?.problem) return;
  try {
    replaceFileNow(join(syncDirectory(directory), NUDGE), "", { isDurable: false });
  } catch {}
}

/** `path`: below the folder. */
export function isNudge(path: string): boolean {
  return path === `${syncDirectory("")}/${NUDGE}`;
}

function isSameDirectory(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

function statusPath(directory: string): string {
  return join(syncDirectory(directory), STATUS);
}

function lockPath(directory: string): string {
  return join(syncDirectory(directory), LOCK);
}
