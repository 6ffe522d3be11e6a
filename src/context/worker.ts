// The worker of the context server: maps each job to its function, which loads with the first job.

import { START_BEATS_JOB } from "../kit/replication/start-beats-job.ts";
import { CHECKPOINT_JOB } from "../kit/storage/checkpoints.ts";
import { implement, serveJobs } from "../kit/workers/job.ts";
import { MARKDOWN_JOB } from "./console/markdown-job.ts";
import { INSIDE_JOB } from "./doctor/self-checks-job.ts";
import { DIFF_JOB } from "./files/diff.ts";
import { SCAN_JOB } from "./files/secrets.ts";
import { LAYOUT_JOB } from "./graph/layout-job.ts";
import { FILES_JOB, FIND_JOB, READ_JOB } from "./search/jobs.ts";
import { KEYS_JOB } from "./ssh/keys-job.ts";

serveJobs([
  implement(CHECKPOINT_JOB, async () => (await import("../kit/storage/checkpoints.ts")).checkpoint),
  implement(
    START_BEATS_JOB,
    async () => (await import("../kit/replication/start-beats.ts")).beatThroughStart,
  ),
  implement(MARKDOWN_JOB, async () => (await import("./console/markdown.ts")).renderMarkdown),
  implement(INSIDE_JOB, async () => (await import("./doctor/self-checks.ts")).checkInside),
  implement(DIFF_JOB, async () => (await import("./files/diff.ts")).encodedDiff),
  implement(KEYS_JOB, async () => (await import("./ssh/reading-keys.ts")).readKeys),
  implement(SCAN_JOB, async () => (await import("./files/secret-rules.ts")).loadScan()),
  implement(LAYOUT_JOB, async () => (await import("./graph/layout.ts")).layOut),
  implement(FIND_JOB, async () => (await import("./search/work.ts")).findCandidates),
  implement(FILES_JOB, async () => (await import("./search/work.ts")).filesOnDisk),
  implement(READ_JOB, async () => (await import("./search/work.ts")).readMatches),
]);
