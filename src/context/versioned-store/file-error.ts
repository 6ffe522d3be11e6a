// Errors about documents. A person may read one only if they may see every file that it names, and that is decided by its details, never by
// its sentence: so whatever names a document is made here.

import { AppError, type ErrorCode, type ErrorDetails } from "../../kit/error.ts";

interface Named extends ErrorDetails {
  /** Other files that the sentence names. */
  blocked_by?: readonly string[];
}

class FileError extends AppError {
  /** What is wrong, without the path. */
  readonly problem: string;

  constructor(code: ErrorCode, path: string, problem: string, details: Named) {
    super(code, `${path}: ${problem}`, { path, ...details });
    this.problem = problem;
  }
}

/** `<path>: <problem>`, with `path` in the details. */
export function fileError(code: ErrorCode, path: string, problem: string, details: Named = {}): AppError {
  return new FileError(code, path, problem, details);
}

/** For where the path is shown already. */
export function problemOf(error: AppError): string {
  return error instanceof FileError ? error.problem : error.message;
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
