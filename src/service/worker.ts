// The worker of the service: which function does which job. Each is loaded with its first job.

import { implement, serveJobs } from "../kit/workers/job.ts";
import { COUNT_JOB } from "./conversation/tokens.ts";

serveJobs([implement(COUNT_JOB, async () => (await import("./conversation/token-count.ts")).countTexts)]);
