// The thread that gives the heartbeats of a node while its server starts. It decides nothing, and its caller ends it.

import { systemClock, systemTimers } from "../clock.ts";
import { pauseBy } from "../concurrency/deadline.ts";
import { bucketOf } from "../object-storage/bucket.ts";
import { writeBeat } from "./beat.ts";
import { START_MS_MAX, type StartBeats } from "./start-beats-job.ts";

/** Ends after the longest time that a start may take. */
export async function beatThroughStart(input: StartBeats): Promise<void> {
  const { bucket, environment, node, term, position, beatEvery } = input;
  const storage = bucketOf("replication", bucket, environment);
  const end = systemClock.elapsed() + START_MS_MAX;
  // Those of the leader itself count up from 1, and may come in between.
  for (let number = -1; systemClock.elapsed() < end; number -= 1) {
    // The leader's own heartbeats tell of a storage that fails.
    await writeBeat(storage, { node, term, number, position, released: false }).catch(() => {});
    await pauseBy(systemTimers, beatEvery);
  }
}
