// The work of the file index that runs in a worker: look at a whole tree, and read the texts of files. file-work.ts does it.

import type { Job } from "../../kit/workers/job.ts";

/** Only a stuck disk takes so long. */
const DEADLINE_MS = 60_000;
const INPUT_CHARACTERS_MAX = 1024 * 1024;

export interface LookInput {
  /** The directory of the workspace's files. */
  readonly directory: string;
}

/** The files in the order of their paths: in few pieces, because the serving thread unpacks them. */
export interface Look {
  /** Joined by line feeds, which no path contains. */
  readonly paths: string;
  readonly sizes: Float64Array;
  readonly modified: Float64Array;
}

export const LOOK_JOB: Job<LookInput, Look> = {
  name: "look at files",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ directory }) => directory.length,
};

export interface TextsInput {
  readonly directory: string;
  readonly paths: readonly string[];
}

export interface FileText {
  readonly size: number;
  readonly modified: number;
  /** To index; empty for a file of which only the name is found. */
  readonly pieces: readonly string[];
}

/** For as many of the first paths as were read; null: not there. */
export type Texts = readonly (FileText | null)[];

export const TEXTS_JOB: Job<TextsInput, Texts> = {
  name: "read files",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ directory, paths }) => paths.reduce((sum, path) => sum + path.length, directory.length),
};
