// Measures what ways of delivering context reach and cost, on questions whose answering documents are known. No model takes part: a fixed reader
// searches for the words of the question, so the same space and tasks always give the same figures. They say what could be found, not what a
// model would answer.

import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import type { ListedFile } from "../files/listing-schema.ts";
import { inject, type CountTokens, type Injected } from "./inject.ts";
import { isRead, readDocument } from "./reading.ts";
import { BenchTasks, BUDGET_TOKENS_DEFAULT, benchArms, type BenchArm, type InjectMode } from "./schema.ts";
import type { ContextSource } from "./source.ts";

/** A reader gives up after this many documents. */
const FETCHES_MAX = 5;
const SEARCH_RESULTS_MAX = 10;
const WORDS_MAX = 12;

/** Words that say nothing about the topic of a question. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  "a about an and any are as at be been by can could did do does for from had has have how i if in into is it its me my no not of on or our should so than that the their them then there these they this to us was we were what when where which who whom whose why will with would you your".split(
    " ",
  ),
);

interface Reached {
  /** From 1. */
  readonly task: number;
  readonly question: string;
  readonly arms: Readonly<Record<BenchArm, { readonly reached: boolean; readonly fetched: number }>>;
}

export interface ArmResult {
  readonly arm: BenchArm;
  /** Questions, every phrasing counted. */
  readonly reached: number;
  readonly questions: number;
  readonly tokens_up_front: number;
  /** Mean of a question, over all of them. */
  readonly tokens_fetched: number;
  /** Of the tasks with several phrasings: reached by each of them, by some, by none. */
  readonly by_every_phrasing: number;
  readonly by_some: number;
  readonly by_none: number;
}

export interface BenchReport {
  readonly space: string;
  readonly head: string;
  readonly tasks: number;
  readonly tasks_with_phrasings: number;
  readonly arms: readonly ArmResult[];
  readonly questions: readonly Reached[];
}

interface Deps {
  readonly clock: Clock;
  readonly count: CountTokens;
}

/** Raises `invalid` with the first problem of the file. */
export function parseTasks(text: string): BenchTasks {
  let value: unknown;
  try {
    value = Bun.YAML.parse(text);
  } catch {
    throw new AppError("invalid", "expected YAML with a list of tasks");
  }
  const problem = firstProblem(BenchTasks, value, { whole: "the file", member: "key" });
  if (problem !== undefined) throw new AppError("invalid", problem);
  return Value.Cast(BenchTasks, value);
}

/** Raises `invalid` with every answer that the space does not have. */
export async function benchContext(
  source: ContextSource,
  tasks: BenchTasks,
  deps: Deps,
): Promise<BenchReport> {
  const files = new Map((await source.list()).map((file) => [file.path, file]));
  requireAnswers(files, tasks);
  const deliver = (mode: InjectMode) => {
    const budget = tasks.budget ?? BUDGET_TOKENS_DEFAULT[mode];
    const commands = { read: "cairn file get PATH", search: "cairn search WORDS" };
    return inject(source, { mode, format: "text", budget, commands }, deps);
  };
  const [entry, map] = [await deliver("entry-set"), await deliver("map")];
  const reader = new Reader(source, files, map, deps.count);
  const questions: Reached[] = [];
  for (const [index, { question, phrasings = [], answers }] of tasks.tasks.entries())
    for (const asked of [question, ...phrasings])
      questions.push({
        task: index + 1,
        question: asked,
        arms: {
          nothing: { reached: false, fetched: 0 },
          "entry set": { reached: answers.some((path) => hasWhole(entry, path)), fetched: 0 },
          "map + search": await reader.look(asked, answers),
        },
      });
  const upFront = { nothing: 0, "entry set": entry.receipt.tokens, "map + search": map.receipt.tokens };
  const several = new Set(
    tasks.tasks.flatMap(({ phrasings = [] }, index) => (phrasings.length > 0 ? [index + 1] : [])),
  );
  return {
    space: source.name,
    head: entry.receipt.head,
    tasks: tasks.tasks.length,
    tasks_with_phrasings: several.size,
    arms: benchArms.map((arm) => resultOf(arm, upFront[arm], questions, several)),
    questions,
  };
}

function resultOf(
  arm: BenchArm,
  upFront: number,
  questions: readonly Reached[],
  several: ReadonlySet<number>,
): ArmResult {
  const outcomes = questions.map(({ task, arms }) => ({ task, ...arms[arm] }));
  const shares = [...several].map((task) => {
    const own = outcomes.filter((one) => one.task === task);
    return own.filter(({ reached }) => reached).length / own.length;
  });
  return {
    arm,
    reached: outcomes.filter(({ reached }) => reached).length,
    questions: outcomes.length,
    tokens_up_front: upFront,
    tokens_fetched: Math.round(outcomes.reduce((sum, { fetched }) => sum + fetched, 0) / outcomes.length),
    by_every_phrasing: shares.filter((share) => share === 1).length,
    by_some: shares.filter((share) => share > 0 && share < 1).length,
    by_none: shares.filter((share) => share === 0).length,
  };
}

function requireAnswers(files: ReadonlyMap<string, ListedFile>, { tasks }: BenchTasks): void {
  const missing = tasks.flatMap(({ answers }, index) =>
    answers.filter((path) => !files.has(path)).map((path) => `${path} (task ${index + 1})`),
  );
  if (missing.length > 0)
    throw new AppError("invalid", `the space has no ${missing.join(", no ")}; correct the answers`);
}

function hasWhole({ receipt }: Injected, path: string): boolean {
  return receipt.documents.some((row) => row.path === path && row.as === "text");
}

/** Reads what a search finds, then what the map suggests, until it has an answer. */
class Reader {
  readonly #source: ContextSource;
  readonly #files: ReadonlyMap<string, ListedFile>;
  readonly #map: Injected;
  readonly #count: CountTokens;
  readonly #tokens = new Map<string, number>();

  constructor(
    source: ContextSource,
    files: ReadonlyMap<string, ListedFile>,
    map: Injected,
    count: CountTokens,
  ) {
    this.#source = source;
    this.#files = files;
    this.#map = map;
    this.#count = count;
  }

  async look(question: string, answers: readonly string[]): Promise<{ reached: boolean; fetched: number }> {
    if (answers.some((path) => hasWhole(this.#map, path))) return { reached: true, fetched: 0 };
    const words = wordsOf(question).slice(0, WORDS_MAX);
    const found = [...(await this.#searched(words)), ...this.#suggested(words)];
    let fetched = 0;
    for (const path of [...new Set(found)].filter((one) => !hasWhole(this.#map, one)).slice(0, FETCHES_MAX)) {
      fetched += await this.#tokensOf(path);
      if (answers.includes(path)) return { reached: true, fetched };
    }
    return { reached: false, fetched };
  }

  /** All words at once; if no document has all of them, each by itself, the longest first. */
  async #searched(words: readonly string[]): Promise<string[]> {
    if (words.length === 0) return [];
    const all = await this.#source.search(words.join(" "), SEARCH_RESULTS_MAX);
    if (all.length > 0) return all;
    const found: string[] = [];
    for (const word of words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
      found.push(...(await this.#source.search(word, SEARCH_RESULTS_MAX)));
      if (new Set(found).size >= SEARCH_RESULTS_MAX) break;
    }
    return found;
  }

  /** Documents whose line of the map has words of the question, the most words first. */
  #suggested(words: readonly string[]): string[] {
    return this.#map.text
      .split("\n")
      .flatMap((line) => {
        const path = /^- (.+?)(?:: | \(stale\)| → |$)/.exec(line)?.[1];
        const has = new Set(wordsOf(line));
        const hits = words.filter((word) => has.has(word)).length;
        return path === undefined || hits === 0 ? [] : [{ path, hits }];
      })
      .toSorted((a, b) => b.hits - a.hits)
      .map(({ path }) => path);
  }

  async #tokensOf(path: string): Promise<number> {
    const known = this.#tokens.get(path);
    if (known !== undefined) return known;
    const file = this.#files.get(path);
    const document = file && (await readDocument(this.#source, file));
    const tokens = document && isRead(document) ? (this.#count([document.text])[0] ?? 0) : 0;
    this.#tokens.set(path, tokens);
    return tokens;
  }
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)))];
}
