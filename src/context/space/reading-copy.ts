// A folder that cannot be written can still be read: its databases are copied to a private directory, where the engine may write as always. The
// copy is deleted when the space is closed.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unwritableProblem } from "../../kit/disk/disk.ts";
import { temporaryFolder } from "../../kit/disk/temporary-folder.ts";
import { AppError } from "../../kit/error.ts";
import { openError } from "../../kit/storage/db-file.ts";
import { copyDatabase } from "../../kit/storage/db-untouched.ts";
import { SEARCH_DATABASE } from "../versioned-store/sqlite/derived-files.ts";
import { sqlite } from "../versioned-store/sqlite/kind.ts";

/** Says in a few words why nothing can be recorded in the folder. Undefined: it can be, or there is no database. */
export function recordingProblem(directory: string): string | undefined {
  const database = sqlite.databaseOf(directory);
  return existsSync(database) ? unwritableProblem(join(directory, ".cairn"), database) : undefined;
}

export interface ReadingCopy {
  readonly directory: string;
  /** For everything that would be recorded. */
  readonly refusal: AppError;
  remove(): void;
}

interface Unwritable {
  readonly directory: string;
  readonly problem: string;
}

/** `scratch`: where the copy is made. Raises `conflict` with `details.in_use` while a process writes, and as opening the database does. */
export function readingCopy({ directory, problem }: Unwritable, scratch: string): ReadingCopy {
  const database = sqlite.databaseOf(directory);
  const index = join(directory, ".cairn", SEARCH_DATABASE);
  const copy = temporaryFolder(scratch, "cairn-read-");
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    copyDatabase(database, join(copy, "space.db"));
    // Without it, a search indexes the files again.
    if (existsSync(index)) copyDatabase(index, join(copy, SEARCH_DATABASE));
  } catch (error) {
    remove();
    throw openError(database, error);
  }
  const refusal = new AppError(
    "refused",
    `nothing can be recorded: ${join(directory, ".cairn")} cannot be written: ${problem}; make it writable, or copy the folder`,
  );
  return { directory: copy, refusal, remove };
}
