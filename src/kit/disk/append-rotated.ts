// Appends to a private file of lines that stays bounded: a full one becomes `<name>.1`, in place of the one before. Not durable, and not for
// records that somebody relies on.

import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "./modes.ts";

/** The path of the full file. */
export function rotatedPath(path: string): string {
  return `${path}.1`;
}

/** Creates the file and its directory if they are missing. Raises errors of the disk. */
export function appendRotated(path: string, line: string, bytesMax: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0 && size + Buffer.byteLength(line) > bytesMax) renameSync(path, rotatedPath(path));
  appendFileSync(path, line, { mode: PRIVATE_FILE_MODE });
}
