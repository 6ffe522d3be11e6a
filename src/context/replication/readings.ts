// The metrics of a node: whether it leads, and how far its files are.

import { SECOND_MS } from "../../kit/clock.ts";
import { counter, gauge, type Reading } from "../../kit/metrics/metrics.ts";
import type { Follower } from "../../kit/replication/follower.ts";
import type { Leader } from "../../kit/replication/leader.ts";

export function leaderReadings(leader: Leader): Reading[] {
  return [
    ...nodeReadings({ isLeading: true, entry: () => leader.position.seq }),
    counter(
      "service_replication_bytes_total",
      "Bytes appended to the replication log",
      () => leader.appendedBytes,
    ),
    gauge(
      "service_replication_snapshot_timestamp_seconds",
      "Time of the last snapshot that this node made for others, in seconds since the epoch; 0: none yet",
      () => Math.floor(leader.snapshotTime / SECOND_MS),
    ),
    gauge(
      "service_replication_snapshot_failing",
      "1 if the last attempt to make a snapshot for other nodes failed",
      () => Number(leader.isSnapshotFailing),
    ),
  ];
}

export function followerReadings(follower: Follower): Reading[] {
  return nodeReadings({ isLeading: false, entry: () => follower.position ?? 0 });
}

function nodeReadings({
  isLeading,
  entry,
}: {
  readonly isLeading: boolean;
  readonly entry: () => number;
}): Reading[] {
  return [
    gauge("service_replication_leading", "1 on the node that leads, 0 on standby", () => (isLeading ? 1 : 0)),
    gauge(
      "service_replication_entry",
      "Number of the last entry of the replication log that this node has",
      entry,
    ),
  ];
}
