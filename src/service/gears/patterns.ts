// Refuses regular expressions of an args_schema that could run too long on a bad argument. The engine cannot interrupt a match, so this counts
// beforehand the ways in which a text could be split among repetitions.

/** A longer text matches no pattern. */
const PATTERN_TEXT_CHARACTERS_MAX = 500;
const PATTERN_CHARACTERS_MAX = 500;
/** Limit of ways for the longest text. */
const WAYS_MAX = 1e9;

/** Returns the problem with a pattern; undefined when it is accepted. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return `longer than ${PATTERN_CHARACTERS_MAX} characters`;
  if (!compiles(pattern)) return "not a valid regular expression";
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll("\\\\", ""))) return "back-references are not accepted";
  if (/\(\?<?[=!]/.test(pattern)) return "look-around is not accepted";
  const ways = waysOf(pattern.replace(/\\(?:[pPu]\{[^}]*\}|[^])/g, "x").replace(/\[[^\]]*\]/g, "x"));
  if (ways === undefined) return "a group that repeats or branches inside must not be repeated";
  const anchored = pattern.startsWith("^") ? 1 : PATTERN_TEXT_CHARACTERS_MAX;
  return ways * anchored > WAYS_MAX
    ? "too many interchangeable repetitions; use fewer, with counts, and start with ^"
    : undefined;
}

/** Compiles an accepted pattern to a matcher with bounded time. */
export function boundedPattern(pattern: string, flags: string): { test(text: string): boolean } {
  const expression = new RegExp(pattern, flags);
  return { test: (text) => text.length <= PATTERN_TEXT_CHARACTERS_MAX && expression.test(text) };
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Counts the ways of a pattern whose escapes and classes are replaced by single letters. Undefined, for unbounded, if a repetition contains a
 * choice.
 */
function waysOf(plain: string): number | undefined {
  const groups = [1];
  for (let index = 0; index < plain.length;) {
    const letter = plain[index]!;
    index += letter === "(" ? /^\((?:\?(?::|<\w+>))?/.exec(plain.slice(index))![0].length : 1;
    if (letter === "(") {
      groups.push(1);
      continue;
    }
    if (letter === "|") groups[groups.length - 1]! += 1;
    const repetition = repetitionAt(plain, index);
    index += repetition.length;
    const inside = letter === ")" ? groups.pop()! : 1;
    if (inside > 1 && repetition.most > 1) return undefined;
    groups[groups.length - 1]! *= inside * (repetition.most - repetition.least + 1);
  }
  return groups[0];
}

interface Repetition {
  readonly length: number;
  readonly least: number;
  readonly most: number;
}

function repetitionAt(plain: string, index: number): Repetition {
  const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(plain.slice(index));
  if (!found) return { length: 0, least: 1, most: 1 };
  const [{ length }, sign, counted, comma, upTo] = found;
  if (sign !== undefined) return { length, least: 0, most: sign === "?" ? 1 : PATTERN_TEXT_CHARACTERS_MAX };
  const least = Math.min(Number(counted), PATTERN_TEXT_CHARACTERS_MAX);
  const most = comma === undefined ? least : upTo ? Number(upTo) : PATTERN_TEXT_CHARACTERS_MAX;
  return { length, least, most: Math.min(most, PATTERN_TEXT_CHARACTERS_MAX) };
}
