// Search in an agent's memory: by words, then by how well they match and how new the document is. Each result says why it is there.

import type { SpaceDoor } from "../../context/library.ts";
import type { Clock } from "../../kit/clock.ts";
import { nameOf, type AgentBranches } from "./branches.ts";

const RESULTS_MAX = 10;
const LINES_PER_RESULT = 3;
/** Results of one search before ranking. */
const CANDIDATES_MAX = 100;
/** Words that are looked for one by one if no document has all of them. */
const SINGLE_WORDS_MAX = 8;
const DAY_MS = 86_400_000;
/** A document of today counts half as much again as an old one; after a month that is down to a third of it. */
const RECENCY_WEIGHT = 0.5;
const RECENCY_DAYS = 30;

export interface Recalled {
  /** As the agent calls it. */
  readonly name: string;
  readonly version: number | null;
  readonly words: readonly string[];
  readonly ageDays: number;
  readonly lines: readonly string[];
}

/** Raises `invalid` for a query without a word. */
export async function recall(
  space: SpaceDoor,
  branches: AgentBranches,
  query: string,
  clock: Clock,
): Promise<Recalled[]> {
  const words = wordsOf(query);
  const files = new Map<string, { version: number | null; updated: number }>();
  const prefixes = [branches.shared, branches.own];
  for (const listed of await Promise.all(prefixes.map((prefix) => space.list({ prefix }))))
    for (const { path, version, updated_at } of listed)
      files.set(path, { version, updated: Date.parse(updated_at) });
  if (files.size === 0) return [];
  const together = await found(space, prefixes, query, words);
  const singly = words.slice(0, SINGLE_WORDS_MAX);
  const hits =
    together.length > 0 || words.length < 2
      ? together
      : (await Promise.all(singly.map((word) => found(space, prefixes, word, [word])))).flat();
  const merged = merge(hits);
  const now = clock.now();
  return merged
    .flatMap((hit) => {
      const file = files.get(hit.path);
      const name = nameOf(branches, hit.path);
      if (!file || name === undefined) return [];
      const ageDays = Math.max(0, (now - file.updated) / DAY_MS);
      const rank =
        hit.words.length * (1 + hit.score) * (1 + RECENCY_WEIGHT * Math.exp(-ageDays / RECENCY_DAYS));
      return [
        {
          rank,
          name,
          version: file.version,
          words: hit.words,
          ageDays: Math.floor(ageDays),
          lines: hit.lines,
        },
      ];
    })
    .sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1))
    .slice(0, RESULTS_MAX)
    .map(({ name, version, words: matched, ageDays, lines }) => ({
      name,
      version,
      words: matched,
      ageDays,
      lines,
    }));
}

interface Hit {
  readonly path: string;
  readonly score: number;
  readonly words: readonly string[];
  readonly lines: readonly string[];
}

async function found(
  space: SpaceDoor,
  prefixes: readonly string[],
  text: string,
  words: readonly string[],
): Promise<Hit[]> {
  const query = { text, limit: CANDIDATES_MAX, lines: LINES_PER_RESULT };
  const answers = await Promise.all(prefixes.map((path) => space.search({ ...query, path })));
  return answers.flatMap(({ results }) =>
    results.map(({ path, score, lines }) => ({
      path,
      score: score ?? 0,
      words,
      lines: lines.map(({ line, text: shown }) => `${line}: ${shown.trim()}`),
    })),
  );
}

function merge(hits: readonly Hit[]): Hit[] {
  const byPath = new Map<string, Hit>();
  for (const hit of hits) {
    const known = byPath.get(hit.path);
    byPath.set(
      hit.path,
      known
        ? {
            path: hit.path,
            score: Math.max(known.score, hit.score),
            words: [...known.words, ...hit.words],
            lines: [...new Set([...known.lines, ...hit.lines])].slice(0, LINES_PER_RESULT),
          }
        : hit,
    );
  }
  return [...byPath.values()];
}

function wordsOf(query: string): string[] {
  return [...new Set(query.match(/[\p{L}\p{N}_]+/gu) ?? [])];
}
