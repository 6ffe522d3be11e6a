// The job of reading `tui.ssh.keys`: a long list takes longer to check than others may wait.

import type { Job } from "../../kit/workers/job.ts";
import type { AllowedKey } from "../config/schema.ts";

const DEADLINE_MS = 10_000;
const DIRECTORY_UNITS_MAX = 64 * 1024;

interface KeysInput {
  /** Of the server. */
  readonly directory: string;
}

export const KEYS_JOB: Job<KeysInput, readonly AllowedKey[]> = {
  name: "read the keys",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: DIRECTORY_UNITS_MAX,
  sizeOf: ({ directory }) => directory.length,
};
