// The check of `cairn doctor` on the other nodes of a server: which one leads, and how far this one is.

import type { Environment } from "../../kit/environment.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { bucketOf } from "../../kit/object-storage/bucket.ts";
import { readBeat } from "../../kit/replication/beat.ts";
import { readState } from "../../kit/replication/local-state.ts";
import type { ReplicationConfig } from "../config/schema.ts";
import { fail, ok, skipped, warn, type Verdict } from "./finding.ts";

/** `environment`: has the credentials of the object storage, or else nothing can be said. */
export async function replicationVerdict(
  config: ReplicationConfig,
  directory: string,
  environment: Environment,
): Promise<Verdict> {
  const storage = attempt(() => bucketOf("replication", config, environment));
  if (storage instanceof AppError) return skipped(storage.message);
  try {
    const beat = await readBeat(storage);
    if (beat === undefined) return warn("no node has led yet", "start the node that has the data");
    const state = await readState(directory);
    const own = state
      ? `this node ("${config.node}") has entry ${state.seq}`
      : "this node has copied nothing yet";
    const leader = beat.released ? `the last leader, "${beat.node}", stopped` : `"${beat.node}" led last`;
    return ok(`${leader} at entry ${beat.position}; ${own}`);
  } catch (error) {
    return fail(messageOf(error), "check replication in server.yaml, the credentials and the network");
  }
}

function attempt<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
