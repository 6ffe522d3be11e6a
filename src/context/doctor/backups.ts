// The check of `cairn doctor` on the directory for backups, and on the age of the newest scheduled one.

import { accessSync, constants } from "node:fs";
import type { BackupConfig } from "../../kit/backup/config.ts";
import { Shelf } from "../../kit/backup/shelf.ts";
import { HOUR_MS, rfc3339 } from "../../kit/clock.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { AppError } from "../../kit/error.ts";
import { fail, ok, quoted, warn, type Verdict } from "./finding.ts";

/** Of the interval: one that is running or was tried again is not late yet. */
const LATE_INTERVALS = 2;

/** `dataDirectory`: of the server. `config.directory` is set. */
export async function backupsVerdict(
  { directory, everyHours }: BackupConfig,
  dataDirectory: string,
  now: number,
): Promise<Verdict> {
  const shelf = new Shelf(directory, "cairn");
  const problem = problemOf(shelf, dataDirectory, now);
  if (problem !== undefined)
    return fail(
      problem,
      `create ${quoted(directory)} for the user of the server, or change backup.directory`,
    );
  if (everyHours === 0) return ok(`${directory} can be written; no backup is scheduled`);
  const newest = await shelf.newestScheduled();
  const due = "start the server, and see why in its log or in the console (Backups)";
  if (newest === undefined) return warn("no scheduled backup has been made yet", due);
  const day = rfc3339(newest);
  if (now - newest > LATE_INTERVALS * everyHours * HOUR_MS)
    return warn(`the newest scheduled backup is of ${day}; one is due every ${everyHours} h`, due);
  return ok(`the newest scheduled backup is of ${day}`);
}

function problemOf(shelf: Shelf, dataDirectory: string, now: number): string | undefined {
  try {
    shelf.newFile(now, "schedule", dataDirectory);
    accessSync(shelf.directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.message : `${shelf.directory}: ${accessProblem(error)}`;
  }
}
