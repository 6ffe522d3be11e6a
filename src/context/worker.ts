// The worker of the context server: maps each job to its function, which loads with the first job.

import { implement, serveJobs } from "../kit/workers/job.ts";
import { DIFF_JOB } from "./files/diff.ts";
import { SCAN_JOB } from "./files/secrets.ts";

serveJobs([
  implement(DIFF_JOB, async () => (await import("./files/diff.ts")).encodedDiff),
  implement(SCAN_JOB, async () => (await import("./files/secret-rules.ts")).loadScan()),
]);
