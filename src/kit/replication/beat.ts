// The heartbeat of the node that leads: a small object that it replaces every few seconds. The other nodes watch whether it changes, each on its
// own clock, so the clocks of the machines need not agree. It decides nothing: two nodes that both believe to lead are told apart by the log.

import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { sha256Hex } from "../crypto.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import { closed } from "../schema.ts";
import { parsedJson } from "../text/parsed-json.ts";
import { LEADER } from "./places.ts";

const BEAT_BYTES_MAX = 16 * 1024;

export const Beat = closed({
  /** Empty: unknown. */
  node: Type.String(),
  /** Random, of one term of leadership. */
  term: Type.String(),
  number: Type.Integer(),
  /** The last entry of the log that the node wrote. */
  position: Type.Integer(),
  /** The node has stopped leading, and everything is in the log. */
  released: Type.Boolean(),
});
export type Beat = Static<typeof Beat>;

/** How leadership is kept and taken over; all in ms. */
export interface Timing {
  readonly beatEvery: number;
  /** A leader stops answering when its beats have failed for this long. */
  readonly leaseMs: number;
  /** A leader without a new beat for this long is replaced. Longer than the lease, by more than a beat may be on its way. */
  readonly takeoverAfter: number;
  /** Between two looks at the beat and the log. */
  readonly lookEvery: number;
}

export const TIMING: Timing = { beatEvery: 2_000, leaseMs: 8_000, takeoverAfter: 12_000, lookEvery: 1_000 };

/** Undefined: none was ever written. Raises `unavailable`. */
export async function readBeat(storage: ObjectStorage): Promise<Beat | undefined> {
  const bytes = await storage.get(LEADER, BEAT_BYTES_MAX);
  if (bytes === undefined) return undefined;
  // One of a newer version is a heartbeat, too.
  const value = parsedJson(Buffer.from(bytes).toString("utf8"));
  if (Value.Check(Beat, value)) return value;
  return { node: "", term: sha256Hex(bytes), number: 0, position: 0, released: false };
}

export function writeBeat(storage: ObjectStorage, beat: Beat): Promise<void> {
  return storage.put(LEADER, Buffer.from(JSON.stringify(beat)));
}
