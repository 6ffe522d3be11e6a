// Patterns of ACL rules: `<space>/<glob>`, `*` for anything within one segment, `**` for any number of segments, none included.
// A pattern that would match in a surprising way is refused when it is saved, not interpreted.

import { AppError } from "../../kit/error.ts";
import { foldedPath } from "../../kit/paths.ts";

const SEGMENT = /^[^\\/?[\]{}]+$/u;

export interface Pattern {
  readonly text: string;
  /** On `<space>/<path>`, canonical. */
  readonly matches: (target: string) => boolean;
  /** The same, taking names that some disks take for one as one: for rules that deny. */
  readonly matchesFolded: (folded: string) => boolean;
  /** Can it match anything in this space at all? */
  readonly reaches: (space: string) => boolean;
}

/** Raises `invalid`. */
export function compilePattern(text: string): Pattern {
  const normal = text.normalize("NFC");
  const segments = normal.split("/");
  if (segments.length < 2) throw bad(text, "expected <space>/<path>, for example team/docs/**");
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..")
      throw bad(text, "empty segments, . and .. are not allowed");
    if (!SEGMENT.test(segment)) throw bad(text, "only * and ** are wildcards; \\ ? [ ] { } are not allowed");
    if (segment.includes(ANY_DEPTH) && segment !== ANY_DEPTH)
      throw bad(text, "** stands for whole segments: write a/**/b");
  }
  const exact = segments.map(compileSegment);
  const folded = segments.map((segment) => compileSegment(foldedPath(segment)));
  const [space] = exact;
  return {
    text: normal,
    matches: (target) => matchesAll(exact, target.split("/")),
    matchesFolded: (target) => matchesAll(folded, target.split("/")),
    reaches: (name) => space === ANY_DEPTH || matchesOne(space!, name),
  };
}

/** `**`, or what stands between the stars of a segment. */
type Segment = typeof ANY_DEPTH | readonly string[];
const ANY_DEPTH = "**";

function compileSegment(segment: string): Segment {
  return segment === ANY_DEPTH ? ANY_DEPTH : segment.split("*");
}

/**
 * Not a regular expression: one with many stars takes time without end for some names. Only the last `**` is ever gone back to, since what
 * an earlier one could take, that one can. At the end it stands for at least one segment.
 */
function matchesAll(pattern: readonly Segment[], target: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let back: { at: number; next: number } | undefined;
  while (at < target.length) {
    const segment = pattern[next];
    if (segment === ANY_DEPTH) {
      next += 1;
      if (next === pattern.length) return true;
      back = { at, next };
    } else if (segment !== undefined && matchesOne(segment, target[at]!)) {
      at += 1;
      next += 1;
    } else if (back) {
      back.at += 1;
      ({ at, next } = back);
    } else return false;
  }
  return next === pattern.length;
}

/** Each piece at the first place where it fits. */
function matchesOne(pieces: readonly string[], name: string): boolean {
  const first = pieces[0]!;
  if (pieces.length === 1) return name === first;
  const last = pieces.at(-1)!;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

function bad(text: string, why: string): AppError {
  return new AppError("invalid", `path: pattern "${text}": ${why}`);
}
