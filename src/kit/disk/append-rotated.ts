// Appends to a private file of lines that stays bounded: a full one becomes `<name>.1`, in place of the one before. Not durable, and not for
// records that somebody relies on.

import { appendFileSync, renameSync, statSync } from "node:fs";
import { PRIVATE_FILE_MODE } from "./modes.ts";

/** The path of the full file. */
export function rotatedPath(path: string): string {
  return `${path}.1`;
}

/** Creates the file if it is missing, and no directory. Raises errors of the disk. */
export function appendRotated(path: string, line: string, bytesMax: number): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0 && size + Buffer.byteLength(line) > bytesMax) renameSync(path, rotatedPath(path));
  appendFileSync(path, line, { mode: PRIVATE_FILE_MODE });
}
