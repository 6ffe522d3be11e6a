// The entity tags of `If-Match` and `If-None-Match` (RFC 9110, 8.8.3, 13.1.1 and 13.1.2). In `If-Match`, a tag without double quotes is refused and
// not guessed at, since a header that is taken for no condition would let a write through that should have been refused.

import { AppError } from "../error.ts";

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const LIST = new RegExp(`^${TAG}(?:[ \\t]*,[ \\t]*${TAG})*$`);
const EACH = new RegExp(TAG, "g");

/**
 * The strong tags without their quotes, or `*`. Weak ones never match here (RFC 9110, 8.8.3.2), so they are left out. Undefined: not well
 * formed.
 */
export function strongTags(header: string): "*" | readonly string[] | undefined {
  const text = header.trim();
  if (text === "*") return text;
  if (!LIST.test(text)) return undefined;
  return text
    .match(EACH)!
    .filter((tag) => !tag.startsWith("W/"))
    .map((tag) => tag.slice(1, -1));
}

const VERSION = /^[1-9][0-9]{0,14}$/;

/** Returns the version in `If-Match: "7"`, or `*`. Raises `invalid`. */
export function matchedVersion(header: string): number | "*" {
  const tags = strongTags(header);
  if (tags === "*") return tags;
  const [version = ""] = tags ?? [];
  if (tags?.length !== 1 || !VERSION.test(version)) throw notOneVersion();
  return Number(version);
}

export function notOneVersion(): AppError {
  return new AppError(
    "invalid",
    'header If-Match: expected the version that was read, in double quotes, for example "7"',
  );
}

/** Reports whether `If-None-Match` names the tag, given with its quotes. Weak tags match (RFC 9110, 13.1.2), since proxies weaken strong ones. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const given = item.trim().replace(/^W\//, "");
    return given === "*" || given === tag;
  });
}
