// The rules of searching a space. A search finds what is on disk: recorded files, manual edits, and files without a version. Every row is judged by
// the rights of the caller before it counts.

import { Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { AppError, badParameter, notFound } from "../../kit/error.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { compilePattern } from "../access/pattern.ts";
import type { Caller } from "../identity/caller.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { CatchingUp } from "./catching-up.ts";
import { FILES_JOB, pathsIn, READ_JOB, type Candidates, type ReadFound } from "./jobs.ts";
import {
  GLOB_CHARACTERS_MAX,
  LINES_DEFAULT,
  LINES_MAX,
  LINES_TOTAL_MAX,
  RESULTS_DEFAULT,
  RESULTS_MAX,
  type SearchAnswer,
  type SearchQuery,
} from "./schema.ts";
import { indexExpression, requireShort } from "./terms.ts";

interface SearchDeps {
  readonly spaces: Pick<Spaces, "looked">;
  readonly workers: Pick<WorkerPool, "run">;
  readonly clock: Clock;
  /** Runs work that no search waits for. Undefined: each search looks at the whole working tree. */
  readonly later?: (work: () => Promise<unknown>) => void;
}

/** The candidates fetched first. With fewer that the caller may see, all are fetched. */
const CANDIDATES_FIRST = 1_000;
const CANDIDATES_MAX = 1_000_000;
/** The files handed to a worker at once. */
const PATHS_PER_JOB = 5_000;
/** Of a regular expression. */
const TOTAL_MS_MAX = 30_000;

interface Asked {
  readonly caller: Caller;
  readonly space: OpenSpace;
  readonly directory: string;
  readonly sees: (path: string) => boolean;
  readonly limit: number;
  readonly lines: number;
  readonly signal: AbortSignal | undefined;
}

export class Search {
  readonly #deps: SearchDeps;
  readonly #catching: CatchingUp;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#catching = new CatchingUp(deps);
  }

  /**
   * Raises `invalid` for a query that cannot be one, `refused` for a search that takes too long, `unavailable` when the disk fails, and what the
   * worker pool raises. `signal` cancels
   * the search.
   */
  async find(
    caller: Caller,
    spaceName: string,
    query: SearchQuery,
    signal?: AbortSignal,
  ): Promise<SearchAnswer> {
    const { limit = RESULTS_DEFAULT } = query;
    const lines = Math.min(query.lines ?? LINES_DEFAULT, Math.floor(LINES_TOTAL_MAX / Math.max(1, limit)));
    if (limit < 1 || limit > RESULTS_MAX)
      throw badParameter("limit", `expected an integer from 1 to ${RESULTS_MAX}`);
    if (lines < 0 || (query.lines ?? 0) > LINES_MAX)
      throw badParameter("lines", `expected an integer from 0 to ${LINES_MAX}`);
    const inGlob = globOf(spaceName, query.path);
    requireShort(query.text);
    const expression = query.regex === true ? undefined : indexExpression(query.text);
    const space = await this.#deps.spaces.looked(caller, spaceName);
    const { directory } = space.engine;
    if (directory === undefined)
      throw new AppError("refused", "this storage backend cannot be searched: it keeps no files on disk");
    const sees = (path: string) => inGlob(path) && caller.rights.shows(spaceName, path);
    const asked: Asked = { caller, space, directory, sees, limit, lines, signal };
    try {
      if (expression !== undefined) return await this.#words(asked, expression);
      return await this.#expression(asked, { regex: query.text, ignoreCase: query.ignoreCase === true });
    } catch (error) {
      // The folder went away below the workers if the space was removed meanwhile.
      if ((await this.#deps.spaces.looked(caller, spaceName)) !== space) throw notFound("space", spaceName);
      throw error;
    }
  }

  async #words(asked: Asked, words: string): Promise<SearchAnswer> {
    const { caller, space, limit, lines, signal } = asked;
    const run = { by: caller.name, signal };
    let candidates = await this.#catching.candidates(space, words, CANDIDATES_FIRST, run);
    let seen = await seenOf(candidates, asked.sees, limit + 1);
    if (seen.length <= limit && candidates.scores.length === CANDIDATES_FIRST) {
      candidates = await this.#catching.candidates(space, words, CANDIDATES_MAX, run);
      seen = await seenOf(candidates, asked.sees, limit + 1);
    }
    const best = seen.slice(0, limit);
    const more = seen.length > limit;
    if (lines === 0)
      return { results: best.map(({ path, score }) => resultOf({ path, ...NO_LINES }, score)), more };
    const scores = new Map(best.map(({ path, score }) => [path, score]));
    const { found } = await this.#read(asked, [...scores.keys()], { words });
    return { results: found.map((one) => resultOf(one, scores.get(one.path)!)), more };
  }

  async #expression(asked: Asked, query: { regex: string; ignoreCase: boolean }): Promise<SearchAnswer> {
    const { caller, space, directory, sees, limit, signal } = asked;
    await space.engine.settled();
    const run = { by: caller.name, signal };
    // Refuses a malformed expression before it looks at the disk.
    await this.#read(asked, [], query);
    const all = pathsIn(await this.#deps.workers.run(FILES_JOB, { directory }, run));
    const paths: string[] = [];
    const stretch = new Stretch();
    for (const path of all) {
      if (sees(path)) paths.push(path);
      if (stretch.isOver()) await turnOfOthers();
    }
    const { found } = await this.#read({ ...asked, limit: limit + 1 }, paths, query);
    const results = found.slice(0, limit).map((one) => resultOf(one, null));
    return { results, more: found.length > limit };
  }

  /** Reads the files in portions, until there are enough results. */
  async #read(
    { caller, directory, lines, limit, signal }: Asked,
    paths: readonly string[],
    query: { words: string } | { regex: string; ignoreCase: boolean },
  ): Promise<{ found: ReadFound[] }> {
    const { clock, workers } = this.#deps;
    const start = clock.elapsed();
    const found: ReadFound[] = [];
    let at = 0;
    do {
      const portion = paths.slice(at, at + PATHS_PER_JOB);
      const input = { directory, paths: portion, query, lines, limit: limit - found.length };
      const done = await workers.run(READ_JOB, input, { by: caller.name, signal }).catch(inWords);
      found.push(...done.found);
      at += done.read;
      if (clock.elapsed() - start > TOTAL_MS_MAX) throw tooLong();
    } while (at < paths.length && found.length < limit);
    return { found };
  }
}

const NO_LINES = { lines: [], more_lines: true };

/** Scores are shown with as many digits as mean something. */
const SCORE_DIGITS = 4;

function resultOf({ path, lines, more_lines }: ReadFound, score: number | null): SearchAnswer["results"][0] {
  return { path, score: score === null ? null : Number(score.toFixed(SCORE_DIGITS)), lines, more_lines };
}

async function seenOf(
  { paths, scores }: Candidates,
  sees: (path: string) => boolean,
  count: number,
): Promise<{ path: string; score: number }[]> {
  const seen: { path: string; score: number }[] = [];
  const stretch = new Stretch();
  for (const [index, path] of pathsIn(paths).entries()) {
    if (seen.length === count) break;
    if (sees(path)) seen.push({ path, score: scores[index]! });
    if (stretch.isOver()) await turnOfOthers();
  }
  return seen;
}

/** A path without wildcards includes everything below it. Raises `invalid`. */
function globOf(space: string, glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  if (glob.length > GLOB_CHARACTERS_MAX)
    throw badParameter("path", `at most ${GLOB_CHARACTERS_MAX} characters`);
  const plain = glob.replace(/^\.?\/|\/$/g, "").normalize("NFC");
  // Names may have brackets, which patterns may not. Without a wildcard, such a path means itself.
  if (/[[\]{}]/.test(plain) && !/[*?\\]/.test(plain))
    return (path) => path === plain || path.startsWith(`${plain}/`);
  const pattern = `${space}/${plain}`;
  try {
    const [itself, below] = [compilePattern(pattern), compilePattern(`${pattern}/**`)];
    return (path) => {
      const segments = [space, ...path.split("/")];
      return itself.matches(segments) || below.matches(segments);
    };
  } catch {
    throw badParameter("path", `"${glob}": expected a path or a pattern such as docs/** or **/*.md`);
  }
}

/** A worker that did not finish in time. */
function inWords(error: unknown): never {
  if (error instanceof AppError && error.details?.["deadline_ms"] !== undefined) throw tooLong();
  throw error;
}

function tooLong(): AppError {
  return new AppError(
    "refused",
    "the search takes too long; narrow it with a path, or simplify the regular expression",
  );
}
