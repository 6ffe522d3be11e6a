// Runs the jobs of a search in this process, for a command: starting a thread takes longer than most searches. Regular expressions still go to a
// worker, which has a deadline.

import type { Job } from "../../kit/workers/job.ts";
import type { RunOptions, WorkerPool } from "../../kit/workers/pool.ts";
import { FILES_JOB, FIND_JOB, READ_JOB } from "./jobs.ts";
import { filesOnDisk, findCandidates, readMatches } from "./work.ts";

type Runner = Pick<WorkerPool, "run">;

/** `lookers`: help to look at a large tree. */
export function searchHere(pool: Runner, lookers?: Runner): Runner {
  return {
    run: <Input, Output>(job: Job<Input, Output>, input: Input, options: RunOptions): Promise<Output> => {
      const perform = performing(job as Job<never, unknown>, input, lookers);
      return perform ? (perform() as Promise<Output>) : pool.run(job, input, options);
    },
  };
}

type InputOf<J> = J extends Job<infer Input, infer _> ? Input : never;

function performing(
  job: Job<never, unknown>,
  input: unknown,
  lookers: Runner | undefined,
): (() => Promise<unknown>) | undefined {
  if (job === FIND_JOB)
    return () => findCandidates({ ...(input as InputOf<typeof FIND_JOB>), inTurns: false }, lookers);
  if (job === FILES_JOB) return () => filesOnDisk(input as InputOf<typeof FILES_JOB>);
  const isWords = job === READ_JOB && "words" in (input as InputOf<typeof READ_JOB>).query;
  return isWords ? () => readMatches(input as InputOf<typeof READ_JOB>) : undefined;
}
