// Appends to a private file of lines that stays bounded: a full one becomes `<name>.1`, in place of the one before. Not durable, and not for
// records that somebody relies on.

import { closeSync, fstatSync, openSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { PRIVATE_FILE_MODE } from "./modes.ts";

const LINE_FEED = 10;

/** The path of the full file. */
export function rotatedPath(path: string): string {
  return `${path}.1`;
}

/** Creates the file if it is missing, and no directory. A line that was torn ends before the new one. Raises errors of the disk. */
export function appendRotated(path: string, line: string, bytesMax: number): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0 && size + Buffer.byteLength(line) > bytesMax) renameSync(path, rotatedPath(path));
  const descriptor = openSync(path, "a+", PRIVATE_FILE_MODE);
  try {
    writeFileSync(descriptor, endsInLine(descriptor) ? line : `\n${line}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the next line can follow: nothing, or a whole line, is before it. */
function endsInLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === LINE_FEED);
}
