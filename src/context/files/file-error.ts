// Errors about documents. A person may read one only if they may see every file that it names, and that is decided by its details, never by
// its sentence: so whatever names a document is made here.

import { AppError, type ErrorCode, type ErrorDetails } from "../../kit/error.ts";

interface Named extends ErrorDetails {
  /** Other files that the sentence names. */
  blocked_by?: readonly string[];
}

/** `<path>: <problem>`, with `path` in the details. */
export function fileError(code: ErrorCode, path: string, problem: string, details: Named = {}): AppError {
  return new AppError(code, `${path}: ${problem}`, { path, ...details });
}

/** The file that an error is about; undefined when it is about none. */
export function pathOf({ details }: AppError): string | undefined {
  const path = details?.["path"];
  return typeof path === "string" ? path : undefined;
}

/** Files that stand in the way of the one that the error is about. */
export function blockersOf({ details }: AppError): readonly string[] {
  const blockers = details?.["blocked_by"];
  return Array.isArray(blockers) ? (blockers as readonly string[]) : [];
}
