// The worker thread of the service. Each job's code is loaded when the job first runs.

import { CHECKPOINT_JOB } from "../kit/storage/checkpoints.ts";
import { implement, serveJobs } from "../kit/workers/job.ts";
import { LOOK_JOB, TEXTS_JOB } from "./search/jobs.ts";
import { INSPECTION_JOB } from "./attachments/inspection-job.ts";
import { ARGS_JOB, SCHEMA_JOB } from "./gears/args-jobs.ts";
import { FIND_JOB } from "./files/find-job.ts";
import { COUNT_JOB } from "./conversation/tokens.ts";

serveJobs([
  implement(ARGS_JOB, async () => (await import("./gears/args.ts")).checkArgs),
  implement(CHECKPOINT_JOB, async () => (await import("../kit/storage/checkpoints.ts")).checkpoint),
  implement(COUNT_JOB, async () => (await import("../kit/text/token-count.ts")).countTexts),
  implement(FIND_JOB, async () => (await import("./files/find-work.ts")).findInFiles),
  implement(SCHEMA_JOB, async () => (await import("./gears/args.ts")).checkArgsSchema),
  implement(LOOK_JOB, async () => (await import("./search/file-work.ts")).lookAtFiles),
  implement(TEXTS_JOB, async () => (await import("./search/file-work.ts")).readTexts),
  implement(INSPECTION_JOB, async () => (await import("./attachments/inspection.ts")).inspect),
]);
