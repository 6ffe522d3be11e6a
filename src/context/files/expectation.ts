// Parses the precondition of a write: `If-Match: "7"` (RFC 9110, 13.1.1), `If-None-Match: *` (13.1.2), or neither.

import { AppError } from "../../kit/error.ts";
import { matchedVersion, notOneVersion } from "../../kit/http/entity-tags.ts";
import type { Expected } from "../versioned-store/engine.ts";

/** Raises `invalid`. */
export function expectedFrom(headers: Readonly<Record<string, string>>): Expected {
  const match = headers["if-match"];
  const noneMatch = headers["if-none-match"];
  if (match !== undefined && noneMatch !== undefined)
    throw new AppError("invalid", "header If-Match: cannot be combined with If-None-Match");
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === "*") return null;
    throw new AppError(
      "invalid",
      "header If-None-Match: only * is supported; it creates the file and fails if it exists",
    );
  }
  if (match === undefined) return undefined;
  const version = matchedVersion(match);
  if (version === "*") throw notOneVersion();
  return version;
}

export function etagOf(version: number): string {
  return `"${version}"`;
}
