// Finding a text in the files of a workspace, in a worker. find-work.ts does it.

import type { Job } from "../../kit/workers/job.ts";
import type { FoundInFiles } from "./schema.ts";

/** Only a stuck disk takes so long; the work itself ends before. */
const DEADLINE_MS = 20_000;
const INPUT_CHARACTERS_MAX = 64 * 1024;

export interface FindInput {
  /** The directory of the workspace's files. */
  readonly directory: string;
  readonly text: string;
  readonly matchCase: boolean;
  /** Files that match. */
  readonly limit: number;
}

export const FIND_JOB: Job<FindInput, FoundInFiles> = {
  name: "find in files",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ directory, text }) => directory.length + text.length,
};
