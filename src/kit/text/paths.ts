// Validates paths. This part is pure: it turns user input into a canonical relative path, or refuses it.
//
// A canonical path means the same file on every supported system, so syntax that any of them reads differently (device names, streams, trailing
// dots, drive letters) is refused on all. paths-disk.ts checks the disk (links, devices).

import { fieldError } from "../error.ts";

export const PATH_BYTES_MAX = 1024;
const SEGMENT_BYTES_MAX = 255;
/** Checked before any computation on the text. */
const INPUT_CHARACTERS_MAX = 4096;

declare const proven: unique symbol;
/** Relative, `/` between segments, NFC. Made by `parseDocumentPath` only; authorise and store this form. */
export type DocumentPath = string & { readonly [proven]: true };

/** Raises `invalid` with the field and the problem. Changes nothing but the Unicode form (NFC). */
export function parseDocumentPath(field: string, input: string): DocumentPath {
  const problem = pathProblem(input);
  if (problem) throw fieldError("invalid", field, problem);
  return input.normalize("NFC") as DocumentPath;
}

/** Returns the problem of a path; undefined if it is accepted. */
export function pathProblem(input: string): string | undefined {
  if (input === "") return "must not be empty";
  if (input.length > INPUT_CHARACTERS_MAX) return `at most ${PATH_BYTES_MAX} bytes`;
  const path = input.normalize("NFC");
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `at most ${PATH_BYTES_MAX} bytes`;
  if (path.startsWith("/")) return "must be relative, without a slash at the start";
  if (path.includes("\\")) return "segments are separated by /, and \\ is not allowed";
  for (const segment of path.split("/")) {
    const problem = segmentProblem(segment);
    if (problem) return problem;
  }
  return undefined;
}

/** Controls, lone surrogates, replacement characters, line ends, and characters that hide or reorder text. */
const UNSEEN = /[\p{Cc}\p{Cs}\ufffd\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
/** Refused by at least one system; `:` opens a stream or follows a drive letter. */
const FORBIDDEN = /[<>:"|?*]/;
/** Some systems, and people, read these as / and \. */
const LOOKS_LIKE_SLASH = /[\u2044\u2215\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/;
/** Windows opens the device for any case, extension and trailing spaces. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9]|lpt[0-9])$/;

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "must not contain empty segments (no // and no / at the end)";
  if (Buffer.byteLength(segment) > SEGMENT_BYTES_MAX)
    return `at most ${SEGMENT_BYTES_MAX} bytes between two slashes`;
  if (UNSEEN.test(segment)) return "must not contain control or invisible characters";
  const plain = segment.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  if (plain === "") return "must not contain control or invisible characters";
  if (plain === "." || plain === "..") return `must not contain the segment "${plain}"`;
  const forbidden = FORBIDDEN.exec(segment);
  if (forbidden) return `must not contain ${forbidden[0]}`;
  // `℀` folds to `a/c`, and path rules are compared folded.
  if (LOOKS_LIKE_SLASH.test(segment) || plain.includes("/"))
    return "must not contain characters that look like a slash";
  if (/^\s|[\s.]$/u.test(segment)) return "segments must not begin with a space or end with a space or dot";
  const base = plain.split(".", 1)[0]!.trim().toLowerCase();
  if (DEVICE.test(base)) return `"${segment}" is a device name on some systems`;
  return undefined;
}

/** The character after `/`, which ends the range of names below a directory. */
export const AFTER_SLASH = "0";

/** Yields the directories above a path, from the top. */
export function* ancestorsOf(path: string): Generator<string> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
}

/** Two paths with one key are the same file on a disk that ignores case or Unicode forms. */
export function foldedPath(path: string): string {
  return path.normalize("NFKC").toLowerCase();
}
