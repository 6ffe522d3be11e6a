// The worker that helps a command to look at a large working tree. It loads next to nothing, because the command waits for its start.

import { implement, serveJobs } from "../kit/workers/job.ts";
import { GLANCE_JOB, glanceAtSome } from "./versioned-store/sqlite/glance.ts";
import { LOOK_JOB, lookAtAll } from "./versioned-store/sqlite/look-job.ts";

serveJobs([implement(LOOK_JOB, async () => lookAtAll), implement(GLANCE_JOB, async () => glanceAtSome)]);
