// The errors of a working tree. They name the path in the space, never a place on the disk.

import { problemWithoutPlace } from "../../../kit/disk/disk.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { AppError } from "../../../kit/error.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import { fileError } from "../file-error.ts";
import { FILE_BYTES_CEILING } from "../schema.ts";
import type { FileFacts } from "./look-job.ts";
import { unreadable, type RefusedEntry } from "./walk.ts";

/** The error for a link, pipe, socket or device. */
export function notRegular(path: DocumentPath): AppError {
  const problem = "not a regular file in the working tree; move it away";
  return fileError("conflict", path, problem, { blocked_by: [path] });
}

/** The error on a disk that ignores letter case. `other`: what it has there. */
export function otherSpelling(path: DocumentPath, other: string): AppError {
  const problem = `the disk of the working tree takes it for "${other}"; rename that first`;
  return fileError("conflict", path, problem, { blocked_by: [other] });
}

export function tooLarge(path: DocumentPath): AppError {
  const problem = `the file in the working tree is larger than ${sizeText(FILE_BYTES_CEILING)}; move it away`;
  return fileError("too_large", path, problem, { limit_bytes: FILE_BYTES_CEILING });
}

/** Returns an entry for what is there and does not let itself be read. Raises `unavailable` for other errors. */
export function orUnreadable<T>(
  path: DocumentPath,
  facts: FileFacts | undefined,
  work: () => T,
): T | RefusedEntry {
  return guarded(path, () => {
    try {
      return work();
    } catch (error) {
      const entry = unreadable(path, error, facts);
      if (entry) return entry;
      throw error;
    }
  });
}

/** Raises `unavailable` for an error of the disk. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw fileError(
      "unavailable",
      path,
      `cannot use the file in the working tree: ${problemWithoutPlace(error)}`,
    );
  }
}
