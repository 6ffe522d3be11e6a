// Finds out whether the bucket still holds what a node needs that joins or returns: the identity of the log, the entry by which the leader took over,
// the newest snapshot and the entries after it. Someone may empty a bucket, or a rule of it may delete old objects.

import { AppError } from "../error.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import { entryHash } from "./entry.ts";
import { CLUSTER, entryKey, entryOf, LOG, SNAPSHOTS } from "./places.ts";
import { newestSnapshot } from "./snapshot.ts";

const CLUSTER_BYTES_MAX = 1_024;
/** The first entry of a leader is smaller. */
const TAKEOVER_BYTES_MAX = 64 * 1024;
/** In place of the hash of an entry that is larger. */
export const LARGE = "large";

/** Written once, and needed as long as the log. */
export interface LogMarks {
  /** The identity of the log. */
  readonly cluster: string;
  /** The entry by which the leader took over. */
  readonly takeover: { readonly seq: number; readonly bytes: Uint8Array };
}

/** Returns the hash of an entry, or `LARGE`; undefined: there is no such entry. Raises `unavailable`. */
export async function hashAt(storage: ObjectStorage, seq: number): Promise<string | undefined> {
  try {
    const found = await storage.get(entryKey(seq), TAKEOVER_BYTES_MAX);
    return found && (await entryHash(found));
  } catch (error) {
    if (error instanceof AppError && error.code === "too_large") return LARGE;
    throw error;
  }
}

/** Reports whether the entry by which a node took over is there; `other`: another one with its number. Raises `unavailable`. */
export async function takeoverIn(
  storage: ObjectStorage,
  { seq, hash }: { readonly seq: number; readonly hash: string },
): Promise<"same" | "other" | "missing"> {
  const found = await hashAt(storage, seq);
  if (found === undefined) return "missing";
  return found === hash ? "same" : "other";
}

/** Returns the identity of the log in the bucket; undefined: there is none. Raises `unavailable`. */
export async function clusterIn(storage: ObjectStorage): Promise<string | undefined> {
  const found = await storage.get(CLUSTER, CLUSTER_BYTES_MAX);
  return found && Buffer.from(found).toString("utf8");
}

/**
 * Returns an object that the log lacks; undefined: a node can join, and goes on up to the entry `upTo`, which is in the log. For the leader, so that
 * nobody trims the log meanwhile. Raises `unavailable`.
 */
export async function lackIn(
  storage: ObjectStorage,
  { cluster, takeover }: LogMarks,
  upTo: number,
): Promise<string | undefined> {
  if ((await clusterIn(storage)) !== cluster) return CLUSTER;
  const hash = await entryHash(takeover.bytes);
  if ((await takeoverIn(storage, { seq: takeover.seq, hash })) !== "same") return entryKey(takeover.seq);
  const newest = await newestSnapshot(storage).catch(noneIfUnreadable);
  if (!newest) return SNAPSHOTS;
  const files = new Set<string>();
  for await (const { key } of storage.list(SNAPSHOTS)) files.add(key);
  const lost = newest.files.find(({ key }) => !files.has(key));
  return lost?.key ?? (await missingEntry(storage, newest.after, upTo));
}

/** A manifest that is damaged is as good as none, and a new snapshot replaces it. */
function noneIfUnreadable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== "invalid") throw error;
}

async function missingEntry(
  storage: ObjectStorage,
  after: number,
  upTo: number,
): Promise<string | undefined> {
  let last = after;
  if (last < upTo)
    for await (const { key } of storage.list(LOG, entryKey(after))) {
      if (entryOf(key) !== last + 1) break;
      last += 1;
    }
  return last < upTo ? entryKey(last + 1) : undefined;
}

/** Creates those that are missing. Only for a node that leads. False: the bucket holds another log, to which nothing is added. Raises `unavailable`. */
export async function restoreMarks(
  storage: ObjectStorage,
  { cluster, takeover }: LogMarks,
): Promise<boolean> {
  const isCreated = await storage.create(CLUSTER, Buffer.from(cluster));
  if (!isCreated && (await clusterIn(storage)) !== cluster) return false;
  await storage.create(entryKey(takeover.seq), takeover.bytes);
  return true;
}
