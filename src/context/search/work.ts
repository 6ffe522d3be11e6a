// The work of a search's jobs (jobs.ts), in a worker or in the process of a command. A job that cannot finish in a short time returns what is done,
// so that searches take turns.

import { systemClock } from "../../kit/clock.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { HeldRoot } from "../../kit/disk/held-directory.ts";
import { fromSqlite, isDamage, storageReasonOf } from "../../kit/storage-error.ts";
import { removeDerived } from "../versioned-store/sqlite/derived-files.ts";
import { nameOnDisk } from "../versioned-store/sqlite/disk-name.ts";
import type { Lookers } from "../versioned-store/sqlite/walk-together.ts";
import { walkNames } from "../versioned-store/sqlite/walk.ts";
import { compileExpression } from "./expression.ts";
import { indexInMemory, markStore, openIndex, type Candidate, type IndexStore } from "./index-store.ts";
import {
  joined,
  type Candidates,
  type FilesInput,
  type FindInput,
  type Found,
  type ReadFound,
  type ReadInput,
  type ReadOutput,
} from "./jobs.ts";
import { shownLines, type Span } from "./lines.ts";
import { wordSpans } from "./marks.ts";
import { bring, differences, differencesAt, readText } from "./tree-index.ts";

/** A job returns after about this long. */
const TURN_MS = 1_000;
/** Each turn begins with a look at the tree, which must not take most of the time. */
const LOOKS_PER_TURN = 4;
/** Of an index for one search. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;

/** `lookers`: threads that help to look at a large tree. */
export async function findCandidates(input: FindInput, lookers?: Lookers): Promise<Found> {
  const own = input.databases;
  try {
    return await candidatesIn(own, input, lookers);
  } catch (error) {
    if (isDamage(error)) {
      removeDerived(own);
      return candidatesIn(own, { ...input, whole: true }, lookers);
    }
    if (storageReasonOf(error) !== "full") throw fromStorage(error);
    // A command ends with its search. A server would build such an index again for each of its turns.
    if (input.inTurns) throw noRoom();
    return candidatesInMemory(input, lookers);
  }
}

function noRoom(): AppError {
  return new AppError(
    "unavailable",
    "the disk is full, so the text index cannot be brought up to date; free some space and try again, or search by a regular expression, which needs no index",
  );
}

/** A full disk, or a folder that was removed meanwhile. */
function fromStorage(error: unknown): unknown {
  const code = systemCode(error) ?? "";
  if (code.startsWith("SQLITE_")) return fromSqlite(error);
  if (code === "" || error instanceof AppError) return error;
  return new AppError("unavailable", `the text index cannot be used (${code})`);
}

async function candidatesIn(own: string, input: FindInput, lookers: Lookers | undefined): Promise<Found> {
  using store = openIndex(own);
  return await foundIn(store, input, lookers);
}

async function candidatesInMemory(input: FindInput, lookers: Lookers | undefined): Promise<Found> {
  using store = indexInMemory();
  const isOver = () => store.bytes() > MEMORY_BYTES_MAX;
  const all = await foundIn(store, { ...input, whole: true }, lookers, isOver);
  if (!all.isCurrent) throw noRoom();
  return all;
}

/** `isTooLarge`: ends the work before its end. */
async function foundIn(
  store: IndexStore,
  { directory, whole, inTurns, changed, expression, limit }: FindInput,
  lookers: Lookers | undefined,
  isTooLarge = () => false,
): Promise<Found> {
  const start = systemClock.elapsed();
  const looks = whole || !store.isComplete();
  const differing = looks
    ? await differences(directory, store, lookers)
    : differencesAt(directory, store, changed);
  const look = looks ? { ms: systemClock.elapsed() - start, files: differing.files } : undefined;
  const looked = systemClock.elapsed();
  const turnMs = Math.max(TURN_MS, LOOKS_PER_TURN * (looked - start));
  const isOver = () => isTooLarge() || (inTurns && systemClock.elapsed() - looked > turnMs);
  if (!bring(store, directory, differing, isOver))
    return { isCurrent: false, look, candidates: candidatesOf([]) };
  if (looks) store.complete();
  const matching = expression === undefined ? [] : store.matching(expression, limit);
  return { isCurrent: true, look, candidates: candidatesOf(matching) };
}

function candidatesOf(found: readonly Candidate[]): Candidates {
  return {
    paths: joined(found.map(({ path }) => path)),
    scores: Float64Array.from(found, ({ score }) => score),
  };
}

/** Returns the canonical paths of the files on disk, sorted and joined. */
export async function filesOnDisk({ directory }: FilesInput): Promise<string> {
  const paths: string[] = [];
  for (const found of walkNames(directory, new HeldRoot(directory), ""))
    if (!("refused" in found)) paths.push(found.path);
  return joined(paths.sort());
}

/** Raises `invalid` for what is not a regular expression. */
export async function readMatches({ directory, paths, query, lines, limit }: ReadInput): Promise<ReadOutput> {
  const start = systemClock.elapsed();
  const root = new HeldRoot(directory);
  using matcher = await matcherOf(query);
  const found: ReadFound[] = [];
  let read = 0;
  while (read < paths.length && found.length < limit) {
    const path = paths[read++]!;
    const text = readText(root, nameOnDisk(directory, path))?.text?.replaceAll("\r\n", "\n");
    const spans = text === undefined ? [] : matcher.spans(text);
    if (spans.length > 0) found.push({ path, ...shownLines(text!, spans, lines) });
    if (systemClock.elapsed() - start > TURN_MS) break;
  }
  return { found, read };
}

interface Matcher extends Disposable {
  readonly spans: (text: string) => Span[];
}

async function matcherOf(query: ReadInput["query"]): Promise<Matcher> {
  if ("regex" in query) {
    const { spans } = await compileExpression(query.regex, query.ignoreCase);
    return { spans, [Symbol.dispose]() {} };
  }
  const store = markStore();
  return {
    spans: (text) => wordSpans(store, text, query.words),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
}
