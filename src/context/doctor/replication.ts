// The check of `cairn doctor` on the other nodes of a server: which one leads, and how far this one is.

import type { Environment } from "../../kit/environment.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { bucketOf } from "../../kit/object-storage/bucket.ts";
import { DAY_MS } from "../../kit/clock.ts";
import { readBeat, type Beat } from "../../kit/replication/beat.ts";
import { clusterIn } from "../../kit/replication/log-inventory.ts";
import { newestSnapshot, type Manifest } from "../../kit/replication/snapshot.ts";
import { readState, type LocalState } from "../../kit/replication/local-state.ts";
import type { ReplicationConfig } from "../config/schema.ts";
import { fail, ok, skipped, warn, type Verdict } from "./finding.ts";

/** The leader makes one once a day, if anything changed. */
const SNAPSHOT_AGE_MAX_MS = 2 * DAY_MS;
const SNAPSHOT_REMEDY =
  "the leader makes one while it runs; if it cannot, its health says so, and its log has the reason";
const LOST_LOG = "the bucket does not hold the replication log of this node";
const LOST_LOG_REMEDY =
  "check replication.bucket and replication.prefix; if objects were deleted, a leader that runs restores the log within a minute";

/** `environment`: has the credentials of the object storage, or else nothing can be said. */
export async function replicationVerdict(
  config: ReplicationConfig,
  directory: string,
  environment: Environment,
  now: number,
): Promise<Verdict> {
  const storage = attempt(() => bucketOf("replication", config, environment));
  if (storage instanceof AppError) return skipped(storage.message);
  try {
    const [beat, state] = [await readBeat(storage), await readState(directory)];
    if (state && (await clusterIn(storage)) !== state.cluster) return fail(LOST_LOG, LOST_LOG_REMEDY);
    if (beat === undefined) return warn("no node has led yet", "start the node that has the data");
    const found = placesText(beat, state, config.node);
    const problem = snapshotProblem(await newestSnapshot(storage), beat, now);
    return problem === undefined ? ok(found) : warn(`${found}; ${problem}`, SNAPSHOT_REMEDY);
  } catch (error) {
    return fail(messageOf(error), "check replication in server.yaml, the credentials and the network");
  }
}

function placesText({ node, released, position }: Beat, state: LocalState | undefined, own: string): string {
  const here = `this node ("${own}")`;
  const last = node === own ? here : `"${node}"`;
  const led = released
    ? `the last leader, ${last}, stopped at entry ${position}`
    : `${last} led last at entry ${position}`;
  if (!state) return `${led}; this node has copied nothing yet`;
  if (state.files === "exact") return `${led}; ${here} has entry ${state.seq}`;
  // A leader does not note each entry.
  if (node === own) return led;
  return `${led}; ${here} ${state.files === "ahead" ? "led before and did not hand over" : "is copying all data"}`;
}

function snapshotProblem(newest: Manifest | undefined, beat: Beat, now: number): string | undefined {
  if (!newest) return "there is no snapshot for other nodes yet";
  const isOld = now - Date.parse(newest.created_at) > SNAPSHOT_AGE_MAX_MS && beat.position > newest.complete;
  return isOld ? `the newest snapshot for other nodes is of ${newest.created_at}` : undefined;
}

function attempt<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
