// Heartbeats of a node that has taken over and starts its server: an upgrade of large data blocks its main thread for longer than the other nodes wait,
// and each of them would begin the same upgrade in vain. A thread of its own gives them. They say that the node lives, and never extend its lease.

import { MINUTE_MS } from "../clock.ts";
import type { BucketConfig } from "../object-storage/config.ts";
import type { Environment } from "../environment.ts";
import type { Job } from "../workers/job.ts";

/** A start that takes longer hangs, and another node may try. */
export const START_MS_MAX = 10 * MINUTE_MS;
const INPUT_BYTES_MAX = 64 * 1024;

export interface StartBeats {
  readonly bucket: BucketConfig;
  /** The credentials of the bucket. */
  readonly environment: Environment;
  readonly node: string;
  readonly term: string;
  /** The entry by which the node took over. */
  readonly position: number;
  /** In ms. */
  readonly beatEvery: number;
}

export const START_BEATS_JOB: Job<StartBeats, void> = {
  name: "the heartbeats of a start",
  // The thread ends by itself: a main thread that hangs ends nothing.
  deadlineMs: 2 * START_MS_MAX,
  inputBytesMax: INPUT_BYTES_MAX,
  sizeOf: (input) => JSON.stringify(input).length,
};
