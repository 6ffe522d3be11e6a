// Versions of files, and the two conditions of RFC 9110 that prevent lost updates.

import { sha256Hex } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import { strongTags } from "../../kit/http/entity-tags.ts";

/** The condition of a save. `any` means no condition. */
export type Expected =
  | { readonly kind: "any" | "absent" | "present" }
  | { readonly kind: "version"; readonly versions: readonly string[] };

export const ANYTHING: Expected = { kind: "any" };

export function versionOf(content: Uint8Array): string {
  return sha256Hex(content);
}

/** The version of a file that is not read to its end. */
export function versionOfLarge(head: Uint8Array, size: number, modified: number): string {
  return sha256Hex(`${sha256Hex(head)} ${size} ${modified}`);
}

export function etagOf(version: string): string {
  return `"${version}"`;
}

/** Parses `If-Match` and `If-None-Match`. Raises `invalid`. */
export function expectedFrom(headers: Readonly<Record<string, string>>): Expected {
  const match = headers["if-match"];
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) {
    if (match !== undefined)
      throw new AppError("invalid", "header If-None-Match: cannot be combined with If-Match");
    if (noneMatch.trim() !== "*") throw new AppError("invalid", "header If-None-Match: only * is supported");
    return { kind: "absent" };
  }
  if (match === undefined) return ANYTHING;
  const tags = strongTags(match);
  if (tags === undefined)
    throw new AppError("invalid", "header If-Match: expected the version that was read, in double quotes");
  return tags === "*" ? { kind: "present" } : { kind: "version", versions: tags };
}

/** `current` is null when there is no file. Raises `stale` with `details.current`. */
export function requireExpected(path: string, expected: Expected, current: string | null): void {
  if (expected.kind === "any") return;
  if (expected.kind === "absent" && current === null) return;
  if (expected.kind === "present" && current !== null) return;
  if (expected.kind === "version" && current !== null && expected.versions.includes(current)) return;
  const why =
    current === null
      ? "there is no such file"
      : expected.kind === "absent"
        ? "already exists"
        : "was changed since you read it";
  throw new AppError("stale", `${path}: ${why}`, { current });
}
