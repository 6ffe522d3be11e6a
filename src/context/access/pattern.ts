// Patterns of ACL rules: `<space>/<glob>`, where `*` matches within one segment and `**` matches any number of segments, including none.
// A pattern that would match in a surprising way is rejected when it is saved.

import { fieldError, type AppError } from "../../kit/error.ts";
import { foldedPath } from "../../kit/text/paths.ts";

const SEGMENT = /^[^\\/?[\]{}]+$/u;
const NOT_ALLOWED = /[\\?[\]{}]/;
const SLASH = "/";

export interface Pattern {
  /** Takes the segments of a canonical `<space>/<path>`. */
  readonly matches: (target: readonly string[]) => boolean;
  /** The same on folded paths, so that a deny rule also covers names that some file systems treat as equal. */
  readonly matchesFolded: (folded: readonly string[]) => boolean;
  /** Reports whether it can match anything in this space. */
  readonly reaches: (space: string) => boolean;
  /**
   * Returns an example of a match `depth` segments below this directory (`<space>/<path>`); undefined if nothing there can match. A segment that
   * may have any name gets a name that no pattern can contain, so another pattern matches it only if that pattern matches every name there.
   */
  readonly exampleBelow: (directory: string, depth: number) => string | undefined;
}

/** Stands for an arbitrary name, because patterns cannot contain it. */
const ANY_NAME = "?";

/** Raises `invalid`. */
export function compilePattern(text: string): Pattern {
  const normal = text.normalize("NFC");
  if (!isSound(normal)) requireSound(text, normal.split("/"));
  let exact: Segments | undefined;
  let folded: Segments | undefined;
  const asWritten = () => (exact ??= new Segments(normal, (segment) => segment));
  return {
    matches: (target) => matchesAll(asWritten(), target),
    matchesFolded: (target) => matchesAll((folded ??= new Segments(normal, foldedPath)), target),
    exampleBelow: (directory, depth) => {
      const below = Array.from({ length: depth }, () => undefined);
      return exampleOf(asWritten(), [...directory.split("/"), ...below])?.join("/");
    },
    reaches: (name) => {
      const space = asWritten().at(0)!;
      return space === ANY_DEPTH || matchesOne(space, name);
    },
  };
}

/** Looks at the text as a whole: a pattern may have five hundred segments, and a user a thousand patterns. */
function isSound(text: string): boolean {
  const framed = `/${text}/`;
  const hasOddSegment = framed.includes("//") || framed.includes("/./") || framed.includes("/../");
  return text.includes(SLASH) && !hasOddSegment && !NOT_ALLOWED.test(text) && isDeepOnlyWhole(framed);
}

/** Reports whether each `**` is a whole segment. */
function isDeepOnlyWhole(framed: string): boolean {
  for (let at = framed.indexOf(ANY_DEPTH); at >= 0; at = framed.indexOf(ANY_DEPTH, at + ANY_DEPTH.length))
    if (framed[at - 1] !== SLASH || framed[at + ANY_DEPTH.length] !== SLASH) return false;
  return true;
}

/** Raises `invalid` for the first fault. */
function requireSound(text: string, segments: readonly string[]): void {
  if (segments.length < 2) throw bad(text, "expected <space>/<path>, for example team/docs/**");
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..")
      throw bad(text, "empty segments, . and .. are not allowed");
    if (!SEGMENT.test(segment)) throw bad(text, "only * and ** are wildcards; \\ ? [ ] { } are not allowed");
    if (segment.includes(ANY_DEPTH) && segment !== ANY_DEPTH)
      throw bad(text, "** must be a whole segment: write a/**/b");
  }
}

/** `**`, or the literal pieces between the stars of a segment. */
type Segment = typeof ANY_DEPTH | readonly string[];
const ANY_DEPTH = "**";

/** Compiles each segment when a path is first compared with it, because most patterns differ from most paths in their first segments. */
class Segments {
  readonly #texts: readonly string[];
  readonly #spelled: (segment: string) => string;
  readonly #compiled: (Segment | undefined)[] = [];

  constructor(pattern: string, spelled: (segment: string) => string) {
    this.#texts = pattern.split("/");
    this.#spelled = spelled;
  }

  get length(): number {
    return this.#texts.length;
  }

  /** Undefined after the last. */
  at(index: number): Segment | undefined {
    const text = this.#texts[index];
    if (text === undefined) return undefined;
    return (this.#compiled[index] ??= compileSegment(this.#spelled(text)));
  }
}

function compileSegment(segment: string): Segment {
  return segment === ANY_DEPTH ? ANY_DEPTH : segment.split("*");
}

/**
 * Not a regular expression, because one with many stars backtracks exponentially on some names. Backtracks to the last `**` only: it can match
 * everything that an earlier one could. A trailing `**` matches at least one segment.
 */
function matchesAll(pattern: Segments, target: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let back: { at: number; next: number } | undefined;
  while (at < target.length) {
    const segment = pattern.at(next);
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

/** Fills in the undefined segments of a target so that the pattern matches it. `**` is greedy. */
function exampleOf(pattern: Segments, target: readonly (string | undefined)[]): string[] | undefined {
  const names: string[] = [];
  /** Position pairs that cannot match. Each is tried once, however many `**` the pattern has. */
  const dead = new Set<number>();
  const goOn = (next: number, at: number, name: string): boolean => {
    names.push(name);
    if (find(next, at + 1)) return true;
    names.pop();
    return false;
  };
  const find = (next: number, at: number): boolean => {
    const segment = pattern.at(next);
    if (segment === undefined) return at === target.length;
    const state = next * (target.length + 1) + at;
    if (dead.has(state)) return false;
    const isLeft = at < target.length;
    if (segment === ANY_DEPTH) {
      // A trailing `**` matches at least one segment.
      if (isLeft && next + 1 === pattern.length && at + 1 === target.length)
        return goOn(next + 1, at, target[at] ?? ANY_NAME);
      if (isLeft && goOn(next, at, target[at] ?? ANY_NAME)) return true;
      if (next + 1 < pattern.length && find(next + 1, at)) return true;
    } else if (isLeft) {
      const name = target[at] ?? segment.join(ANY_NAME);
      if (matchesOne(segment, name) && goOn(next + 1, at, name)) return true;
    }
    dead.add(state);
    return false;
  };
  return find(0, 0) ? names : undefined;
}

/** Matches each piece at the first position where it fits. */
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
  return fieldError("invalid", "path", `pattern "${text}": ${why}`);
}
