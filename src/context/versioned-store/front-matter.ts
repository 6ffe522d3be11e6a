// Front matter: YAML between two `---` lines at the start of a document. Unreadable front matter counts as none and never makes a document
// invalid.

type FrontMatter = Readonly<Record<string, unknown>>;

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
  const start = /^(?:\ufeff)?---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  // One line break more than allowed, so that the cut itself is not mistaken for the end of a line.
  const head = text.slice(start, start + FRONT_MATTER_CHARACTERS_MAX + 2);
  const end = /^(?:---|\.\.\.)[ \t]*\r?$/m.exec(head);
  if (!end || end.index > FRONT_MATTER_CHARACTERS_MAX - 3) return undefined;
  const written = head.slice(0, end.index);
  if (nestingOf(written) > NESTING_MAX) return undefined;
  // Without an anchor, a star is not an alias.
  if (ANCHOR.test(written) && (written.match(ALIAS)?.length ?? 0) > ALIASES_MAX) return undefined;
  try {
    const fields: unknown = Bun.YAML.parse(written);
    return isMap(fields) && countValues(fields, VALUES_MAX) >= 0 ? fields : undefined;
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is FrontMatter {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
