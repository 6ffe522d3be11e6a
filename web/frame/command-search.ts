// Ranks commands against a query. Every word of the query must match: the start of a word, or the inside of one. Pure.

export interface Found {
  /** Stable: recently used commands are stored under it. */
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly note?: string | undefined;
}

interface FoundGroup<T> {
  readonly name: string;
  readonly items: readonly T[];
}

const EXACT = 8;
const START = 5;
const WORD_START = 3;
const INSIDE = 2;
/** A match in the note or group counts this much of a match in the label. */
const NOTE_SHARE = 0.4;
const SHOWN_IN_GROUP_MAX = 10;
const SHOWN_IN_SEARCH_MAX = 20;
/** Recently used commands that are shown. */
export const RECENT_MAX = 5;
const BETWEEN_WORDS = /[\s_\-./:]+/u;

/** Without a query, recently used commands come first, then the head of each group. With one, groups are ordered by their best match. */
export function findCommands<T extends Found>(
  commands: readonly T[],
  search: string,
  recent: readonly string[],
): readonly FoundGroup<T>[] {
  const words = fold(search).split(/\s+/u).filter(Boolean);
  if (words.length > 0) return searched(commands, words, recent);
  const byId = new Map(commands.map((command) => [command.id, command]));
  const used = recent.map((id) => byId.get(id)).filter((command) => command !== undefined);
  const first = used.slice(0, RECENT_MAX);
  const shown = new Set(first);
  const rest = grouped(commands.filter((command) => !shown.has(command))).map(({ name, items }) => ({
    name,
    items: items.slice(0, SHOWN_IN_GROUP_MAX),
  }));
  return first.length > 0 ? [{ name: "Recent", items: first }, ...rest] : rest;
}

function searched<T extends Found>(
  commands: readonly T[],
  words: readonly string[],
  recent: readonly string[],
): FoundGroup<T>[] {
  const scores = new Map<T, number>();
  for (const command of commands) {
    const score = scoreOf(command, words);
    // Recent use breaks a tie.
    if (score > 0) scores.set(command, score + (recent.includes(command.id) ? 0.5 : 0));
  }
  const fitting = [...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)!);
  return grouped(fitting).map(({ name, items }) => ({ name, items: items.slice(0, SHOWN_IN_SEARCH_MAX) }));
}

/** Adds what the server found: to the group of the same name, or as another group. Results that are listed already are not repeated. */
export function withFound<T extends Found>(
  groups: readonly FoundGroup<T>[],
  found: readonly T[],
): readonly FoundGroup<T>[] {
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ id }) => id)));
  const more = Map.groupBy(
    found.filter(({ id }) => !listed.has(id)),
    ({ group }) => group,
  );
  const merged = groups.map(({ name, items }) => {
    const added = more.get(name) ?? [];
    more.delete(name);
    return { name, items: [...items, ...added] };
  });
  return [...merged, ...[...more].map(([name, items]) => ({ name, items }))];
}

/** Groups appear in the order of their first command. */
function grouped<T extends Found>(commands: readonly T[]): FoundGroup<T>[] {
  const groups = Map.groupBy(commands, ({ group }) => group);
  return [...groups].map(([name, items]) => ({ name, items }));
}

/** Returns 0 if a word does not match at all. */
export function scoreOf(command: Found, words: readonly string[]): number {
  const { label, beside } = foldedOf(command);
  let total = 0;
  for (const word of words) {
    const best = Math.max(fit(label, word), NOTE_SHARE * fitOfWords(beside, word));
    if (best === 0) return 0;
    total += best;
  }
  // The shorter label wins a tie.
  return total + 1 / (10 + label.length);
}

/** The matches of a query in a label, in their order, in UTF-16 units: of each word the start of a word, or else the first place. */
export function rangesIn(label: string, search: string): readonly { start: number; end: number }[] {
  const text = fold(label);
  // Folding moved the places: nothing is marked rather than something else.
  if (text.length !== label.length) return [];
  return fold(search)
    .split(/\s+/u)
    .flatMap((word) => {
      const start = word === "" ? -1 : placeOf(text, word);
      return start < 0 ? [] : [{ start, end: start + word.length }];
    })
    .toSorted((a, b) => a.start - b.start);
}

function placeOf(text: string, word: string): number {
  const first = text.indexOf(word);
  for (let at = first; at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || BETWEEN_WORDS.test(text[at - 1]!)) return at;
  return first;
}

function fit(text: string, word: string): number {
  if (text === word) return EXACT;
  return fitOfWords(text, word);
}

function fitOfWords(text: string, word: string): number {
  if (text.startsWith(word)) return START;
  const at = text.indexOf(word);
  if (at < 0) return 0;
  return text.split(BETWEEN_WORDS).some((part) => part.startsWith(word)) ? WORD_START : INSIDE;
}

interface Folded {
  readonly label: string;
  readonly beside: string;
}

/** Folding thousands of names at each key would be felt. */
const folded = new WeakMap<Found, Folded>();

function foldedOf(command: Found): Folded {
  const known = folded.get(command);
  if (known) return known;
  const made = { label: fold(command.label), beside: fold(`${command.note ?? ""} ${command.group}`) };
  folded.set(command, made);
  return made;
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
