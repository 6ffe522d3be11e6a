// The errors of opening a space: its directory cannot be created, its database is damaged.

import { mkdirSync } from "node:fs";
import { accessProblem } from "../../../kit/disk/disk.ts";
import { AppError, messageOf, systemCode } from "../../../kit/error.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../../kit/disk/modes.ts";
import { isDamage } from "../../../kit/storage-error.ts";

export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  } catch (error) {
    const remedy =
      systemCode(error) === "EACCES" ? "; give the user of this program access to its directory" : "";
    throw new AppError("unavailable", `cannot create ${directory}: ${accessProblem(error)}${remedy}`);
  }
}

/** SQLite reads pages on demand, so some damage shows only after opening. */
export function damageOf(database: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  return new AppError(
    "invalid",
    `${database} is damaged (${messageOf(error)}); restore a backup or move it away`,
  );
}
