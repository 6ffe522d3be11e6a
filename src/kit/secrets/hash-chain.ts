// A chain of records, each of which contains the hash of the previous one, so that none can be edited, removed or moved unnoticed. The end of
// the chain has to be kept elsewhere as well: nothing in the chain tells that its last records were cut off.

import { sha256Hex } from "../crypto.ts";

/** The number and the hash of the last record. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** `prev` of the first record. */
export const CHAIN_START = "0".repeat(64);

export const EMPTY_CHAIN: ChainEnd = { seq: 0, hash: CHAIN_START };

/** A record as it claims to stand in the chain. */
interface ChainLink extends ChainEnd {
  readonly prev: string;
}

/** The first thing that does not hold: the number, the hash of the previous record, or the record's own hash. */
type ChainFault = "seq" | "prev" | "hash";

/** The hash of a record: SHA-256 over its canonical JSON, which contains `prev` and not `hash`. */
export function chainHash(canonical: string): string {
  return sha256Hex(canonical);
}

/** Returns the fault of a record that follows `end`; undefined if it has none. `canonical` is called last, because it is expensive. */
export function chainFault(
  end: ChainEnd,
  { seq, prev, hash }: ChainLink,
  canonical: () => string,
): ChainFault | undefined {
  if (seq !== end.seq + 1) return "seq";
  if (prev !== end.hash) return "prev";
  return chainHash(canonical()) === hash ? undefined : "hash";
}
