// The jobs that check schemas and arguments of gears in a worker thread. args.ts does the work.

import type { Job } from "../../kit/workers/job.ts";

/** Only for work that the deadlines of args.ts do not end. They count processor time, of which a busy machine gives little. */
const DEADLINE_MS = 30_000;
const INPUT_CHARACTERS_MAX = 4 * 1024 * 1024;

export interface ArgsProblem {
  /** A dotted path; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface GivenArgs {
  /** A checked schema, as text. */
  readonly schema: string;
  /** A JSON object. */
  readonly json: string;
  /** An invalid null at the top level counts as absent: models write it for "nothing". */
  readonly nullIsAbsent: boolean;
}

export type CheckedArgs =
  | { readonly ok: true; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly problem: ArgsProblem };

/** Takes the schema's text. Raises `invalid`, naming `args_schema` and the problem. */
export const SCHEMA_JOB: Job<string, void> = {
  name: "check args_schema",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: (text) => text.length,
};

export const ARGS_JOB: Job<GivenArgs, CheckedArgs> = {
  name: "check arguments",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_CHARACTERS_MAX,
  sizeOf: ({ schema, json }) => schema.length + json.length,
};
