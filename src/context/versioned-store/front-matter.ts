// Front matter: YAML between two `---` lines at the start of a document. Unreadable front matter counts as none and never makes a document
// invalid, but its problem is kept, so that people learn of it.

import { isObject } from "../../kit/text/parsed-json.ts";
import { doubledKey } from "../../kit/text/yaml-file.ts";

export type FrontMatter = Readonly<Record<string, unknown>>;

/** Why front matter cannot be read. */
export type FrontMatterProblem = "no_end" | "too_complex" | "not_yaml" | "doubled_key" | "no_fields";

/** `fields`: between these two places of the text, without the lines that enclose them. */
type FrontMatterReading =
  | { readonly fields: FrontMatter; readonly from: number; readonly to: number }
  | { readonly problem: FrontMatterProblem };

const START = /^(?:\ufeff)?---[ \t]*\r?\n/;
/** A line that only someone who means fields writes. */
const FIELD = /^[\p{L}_][\p{L}\p{N}_-]*[ \t]*:(?:[ \t]|\r?$)/mu;
const FRONT_MATTER_CHARACTERS_MAX = 16_384;
/** Protects the recursive parser: the most brackets that may be open at once. */
const NESTING_MAX = 50;
const VALUES_MAX = 10_000;
/** The parser expands every alias, including nested ones; with this many, the result is at most twenty times the text. */
const ALIASES_MAX = 8;
const ANCHOR = /(?:^|[\s,[{:-])&[^\s,\]}]/;
const ALIAS = /(?:^|[\s,[{:-])\*[^\s,\]}]/g;

/** Undefined if there is none or it is not a map. */
export function frontMatterOf(text: string): FrontMatter | undefined {
  const reading = readFrontMatter(text);
  return reading && "fields" in reading && reading.from < reading.to ? reading.fields : undefined;
}

/** Undefined if there is none: a line of dashes at the start may also be a rule above the text. */
export function readFrontMatter(text: string): FrontMatterReading | undefined {
  const from = START.exec(text)?.[0].length;
  if (from === undefined) return undefined;
  // One line break more than allowed, so that the cut itself is not mistaken for the end of a line.
  const head = text.slice(from, from + FRONT_MATTER_CHARACTERS_MAX + 2);
  const end = /^(?:---|\.\.\.)[ \t]*\r?$/m.exec(head);
  const isWhole = end !== null && end.index <= FRONT_MATTER_CHARACTERS_MAX - 3;
  const written = isWhole ? head.slice(0, end.index) : head;
  const reading = isWhole ? fieldsOf(written) : "no_end";
  if (typeof reading !== "string") return { fields: reading, from, to: from + written.length };
  return FIELD.test(written) ? { problem: reading } : undefined;
}

function fieldsOf(written: string): FrontMatter | FrontMatterProblem {
  if (nestingOf(written) > NESTING_MAX) return "too_complex";
  // Without an anchor, a star is not an alias.
  if (ANCHOR.test(written) && (written.match(ALIAS)?.length ?? 0) > ALIASES_MAX) return "too_complex";
  try {
    const fields: unknown = Bun.YAML.parse(written) ?? {};
    if (!isObject(fields)) return "no_fields";
    // The parser takes the last one silently; the author may mean the first.
    if (doubledKey(written)) return "doubled_key";
    return countValues(fields, VALUES_MAX) < 0 ? "too_complex" : fields;
  } catch {
    return "not_yaml";
  }
}

/** Returns the maximum nesting of brackets, or of indentation and dashes. Overestimates rather than underestimates. */
function nestingOf(written: string): number {
  let deepest = 0;
  let open = 0;
  for (const character of written) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, (open += 1));
    else if (character === "]" || character === "}") open = Math.max(0, open - 1);
  }
  for (const line of written.split("\n")) {
    const dashes = /^(?:[ \t]*[-?:](?=[ \t]))*/.exec(line)![0].replace(/[ \t]/g, "").length;
    deepest = Math.max(deepest, dashes);
  }
  return deepest;
}

/** Returns how many more values are allowed after these; negative: too many, or a cycle. */
function countValues(value: unknown, left: number): number {
  let rest = left - 1;
  if (typeof value !== "object" || value === null || rest < 0) return rest;
  for (const inner of Object.values(value)) {
    rest = countValues(inner, rest);
    if (rest < 0) return rest;
  }
  return rest;
}
