// Declares the checks that a running server makes of itself, in a worker, because they ask the disk about many files.

import type { Job } from "../../kit/workers/job.ts";
import type { Finding } from "./finding.ts";

const DEADLINE_MS = 10_000;
const INPUT_BYTES_MAX = 64 * 1024;

export const INSIDE_JOB: Job<string, Finding[]> = {
  name: "check a server",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: INPUT_BYTES_MAX,
  sizeOf: (directory) => directory.length,
};
