// Errors about documents. A user may see such an error only if they may see every file that it names. Its details decide that, never its
// text, so every error that names a document is created here.

import { AppError, type ErrorCode, type ErrorDetails } from "../../kit/error.ts";
import type { RefusalCode } from "./schema.ts";

interface Named extends ErrorDetails {
  /** Other files that the message names. */
  blocked_by?: readonly string[];
}

/** Returns the error `<path>: <problem>`, with both in its details. */
export function fileError(code: ErrorCode, path: string, problem: string, details: Named = {}): AppError {
  return new AppError(code, `${path}: ${problem}`, { path, problem, ...details });
}

/** Returns the message without the path or field, for a place that shows the path already. Also for the error of a server. */
export function problemOf({ message, details }: AppError): string {
  const problem = details?.["problem"];
  return typeof problem === "string" ? problem : message;
}

/** The reasons by error code; any other error means unreadable. */
const REASONS: Partial<Record<ErrorCode, RefusalCode>> = {
  secret_found: "secret_found",
  quota_exceeded: "quota_exceeded",
  too_large: "too_large",
  forbidden: "forbidden",
  conflict: "clash",
  invalid: "bad_name",
};

/** Returns why a file of the working tree cannot become a version, after an attempt raised the error. */
export function refusalCodeOf({ code }: AppError): RefusalCode {
  return REASONS[code] ?? "unreadable";
}

/** Returns the path of the file that an error concerns; undefined if there is none. */
export function pathOf({ details }: AppError): string | undefined {
  const path = details?.["path"];
  return typeof path === "string" ? path : undefined;
}

/** Returns the files that block the file that the error concerns. */
export function blockersOf({ details }: AppError): readonly string[] {
  const blockers = details?.["blocked_by"];
  return Array.isArray(blockers) ? (blockers as readonly string[]) : [];
}

/** For a file that does not exist, or that the user may not see: the same for both. */
export function fileNotFound(path: string): AppError {
  return new AppError("not_found", `file ${path}: not found`, { path });
}

/** Raises `not_found` for a file that does not exist. */
export function found<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw fileNotFound(path);
  return value;
}
