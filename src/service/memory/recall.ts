// Search in memory: by words, then by how well they match and how new the document is. Each result says why it is there.

import type { ListedFile, SearchLine, SpaceDoor } from "../../context/library.ts";
import { DAY_MS, type Clock } from "../../kit/clock.ts";

const LINES_PER_RESULT = 3;
/** Results of one search before ranking. */
const CANDIDATES_MAX = 100;
/** Words that are looked for one by one if no document has all of them. */
const SINGLE_WORDS_MAX = 8;
/** A document of today counts half as much again as an old one; after a month that is down to a third of it. */
const RECENCY_WEIGHT = 0.5;
const RECENCY_DAYS = 30;

interface RecallQuery {
  readonly text: string;
  /** Folders of the space; undefined: all of it. */
  readonly prefixes: readonly (string | undefined)[];
  readonly limit: number;
}

export interface Recalled {
  readonly file: ListedFile;
  /** Of the query. */
  readonly words: readonly string[];
  readonly ageDays: number;
  readonly lines: readonly SearchLine[];
}

interface Recollection {
  readonly results: readonly Recalled[];
  readonly more: boolean;
}

/** Raises `invalid` for a query without a word. */
export async function recall(
  space: SpaceDoor,
  { text, prefixes, limit }: RecallQuery,
  clock: Clock,
): Promise<Recollection> {
  const files = new Map<string, ListedFile>();
  for (const listed of await Promise.all(prefixes.map((prefix) => space.list({ prefix }))))
    for (const file of listed) files.set(file.path, file);
  const now = clock.now();
  const ranked = (await hitsOf(space, prefixes, text))
    .flatMap((hit) => {
      const file = files.get(hit.path);
      if (!file) return [];
      const ageDays = Math.max(0, (now - Date.parse(file.updated_at)) / DAY_MS);
      const recency = 1 + RECENCY_WEIGHT * Math.exp(-ageDays / RECENCY_DAYS);
      const rank = hit.words.length * (1 + hit.score) * recency;
      return [{ rank, file, words: hit.words, ageDays: Math.floor(ageDays), lines: hit.lines }];
    })
    .sort((a, b) => b.rank - a.rank || (a.file.path < b.file.path ? -1 : 1));
  const results = ranked
    .slice(0, limit)
    .map(({ file, words, ageDays, lines }) => ({ file, words, ageDays, lines }));
  return { results, more: ranked.length > limit };
}

interface Hit {
  readonly path: string;
  readonly score: number;
  readonly words: readonly string[];
  readonly lines: readonly SearchLine[];
}

/** Documents with all words; if there are none, those with some. */
async function hitsOf(
  space: SpaceDoor,
  prefixes: RecallQuery["prefixes"],
  text: string,
): Promise<readonly Hit[]> {
  const words = wordsOf(text);
  const together = await found(space, prefixes, text, words);
  if (together.length > 0 || words.length < 2) return together;
  const singly = words.slice(0, SINGLE_WORDS_MAX);
  const each = await Promise.all(singly.map((word) => found(space, prefixes, word, [word])));
  return merge(each.flat());
}

async function found(
  space: SpaceDoor,
  prefixes: RecallQuery["prefixes"],
  text: string,
  words: readonly string[],
): Promise<Hit[]> {
  const query = { text, limit: CANDIDATES_MAX, lines: LINES_PER_RESULT };
  const answers = await Promise.all(prefixes.map((path) => space.search({ ...query, path })));
  return answers.flatMap(({ results }) =>
    results.map(({ path, score, lines }) => ({ path, score: score ?? 0, words, lines })),
  );
}

function merge(hits: readonly Hit[]): Hit[] {
  const byPath = new Map<string, Hit>();
  for (const hit of hits) {
    const known = byPath.get(hit.path);
    byPath.set(hit.path, known ? joined(known, hit) : hit);
  }
  return [...byPath.values()];
}

function joined(known: Hit, hit: Hit): Hit {
  const lines = new Map(known.lines.map((line) => [line.line, line]));
  for (const line of hit.lines) if (!lines.has(line.line)) lines.set(line.line, line);
  return {
    path: hit.path,
    score: Math.max(known.score, hit.score),
    words: [...known.words, ...hit.words],
    lines: [...lines.values()].slice(0, LINES_PER_RESULT),
  };
}

function wordsOf(query: string): string[] {
  return [...new Set(query.match(/[\p{L}\p{N}_]+/gu) ?? [])];
}
