// Front matter: YAML between two lines of --- at the very beginning of a document. What can't be read counts as none: a document is never
// refused for it.

export type FrontMatter = Readonly<Record<string, unknown>>;

const FRONT_MATTER_CHARACTERS_MAX = 16_384;
/** Brackets that may be open at once: a reader that calls itself for each of them needs no more. */
const NESTING_MAX = 50;
const VALUES_MAX = 10_000;
/** The reader writes out what an alias refers to each time, aliases within it too: so few grow to no more than twenty times the text. */
const ALIASES_MAX = 8;
const ANCHOR = /(?:^|[\s,[{:-])&[^\s,\]}]/;
const ALIAS = /(?:^|[\s,[{:-])\*[^\s,\]}]/g;

/** Undefined when there is none, or it is not a map. */
export function frontMatterOf(text: string): FrontMatter | undefined {
  const start = /^(?:\ufeff)?---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  // One line end more than it may have, so that the cut itself is not taken for the end of a line.
  const head = text.slice(start, start + FRONT_MATTER_CHARACTERS_MAX + 2);
  const end = /^(?:---|\.\.\.)[ \t]*\r?$/m.exec(head);
  if (!end || end.index > FRONT_MATTER_CHARACTERS_MAX - 3) return undefined;
  const written = head.slice(0, end.index);
  if (nestingOf(written) > NESTING_MAX) return undefined;
  // A star means nothing else where there is no anchor.
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

/** The most brackets, or steps of indentation and dashes, that are open at once. Counts too many rather than too few. */
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

/** How many more values there may be after these; negative: there are too many, or they contain themselves. */
function countValues(value: unknown, left: number): number {
  let rest = left - 1;
  if (typeof value !== "object" || value === null || rest < 0) return rest;
  for (const inner of Object.values(value)) {
    rest = countValues(inner, rest);
    if (rest < 0) return rest;
  }
  return rest;
}
