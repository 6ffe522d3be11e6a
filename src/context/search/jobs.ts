// The work of a search that runs in a worker: bring the index up to date and find candidates, list the files on disk, read files and show their
// matches. work.ts does it.

import type { Job } from "../../kit/workers/job.ts";
import type { Shown } from "./lines.ts";

/** Only a costly expression takes so long. */
const DEADLINE_MS = 15_000;
/** Only a stuck disk takes so long. A job that is ended in the middle would leave the index locked. */
const INDEX_DEADLINE_MS = 300_000;
const INPUT_CHARACTERS_MAX = 16 * 1024 * 1024;

const lengthOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + path.length, 0);

export interface FindInput {
  /** The folder of the space. */
  readonly directory: string;
  /** The directory of the index. */
  readonly databases: string;
  /** Looks at the whole tree first. */
  readonly whole: boolean;
  /** Lets others have their turn while there is much to index; otherwise finishes at once. */
  readonly inTurns: boolean;
  /** Paths that changed since the index was brought up to date. */
  readonly changed: readonly string[];
  /** Made by terms.ts. Undefined: only brings the index up to date. */
  readonly expression: string | undefined;
  readonly limit: number;
}

export interface Found {
  /** False: call again for the rest of the changes; there are no candidates yet. */
  readonly isCurrent: boolean;
  /** The look at the whole tree: how long it took, and how many files there are. Undefined: there was none. */
  readonly look: { readonly ms: number; readonly files: number } | undefined;
  readonly candidates: Candidates;
}

/** Best first. In few pieces, because there may be one for each file of a space, and the serving thread unpacks them. */
export interface Candidates {
  /** Joined, see `pathsIn`. */
  readonly paths: string;
  readonly scores: Float64Array;
}

/** No path contains it. */
const BETWEEN_PATHS = "\n";

export function joined(paths: readonly string[]): string {
  return paths.join(BETWEEN_PATHS);
}

export function pathsIn(text: string): string[] {
  return text === "" ? [] : text.split(BETWEEN_PATHS);
}

export const FIND_JOB: Job<FindInput, Found> = {
  name: "search",
  deadlineMs: INDEX_DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ changed }) => lengthOf(changed),
};

export interface FilesInput {
  readonly directory: string;
}

/** Canonical paths, sorted and joined. */
export const FILES_JOB: Job<FilesInput, string> = {
  name: "search_files",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: () => 0,
};

export interface ReadInput {
  readonly directory: string;
  readonly paths: readonly string[];
  /** Words as an expression of the index, or a regular expression. */
  readonly query: { readonly words: string } | { readonly regex: string; readonly ignoreCase: boolean };
  /** Lines of each file; 0: none. */
  readonly lines: number;
  /** Stops after this many files that match. */
  readonly limit: number;
}

export interface ReadFound extends Shown {
  readonly path: string;
}

export interface ReadOutput {
  readonly found: readonly ReadFound[];
  /** The number of paths that were read. */
  readonly read: number;
}

export const READ_JOB: Job<ReadInput, ReadOutput> = {
  name: "search_read",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ paths }) => lengthOf(paths),
};
