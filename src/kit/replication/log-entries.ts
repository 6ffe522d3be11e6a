// Reads the log in the object storage, and proves of each entry that it follows from the one before.

import { AppError, systemCode } from "../error.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import { decodeEntry, entryHash, type Entry } from "./entry.ts";
import type { Position } from "./leader.ts";
import { entryKey } from "./places.ts";

/** Larger than any write of the program. */
const ENTRY_BYTES_MAX = 4 * 1024 * 1024 * 1024;
/** Read and applied together: one sync of the disk for all. */
const BATCH_ENTRIES_MAX = 256;
const BATCH_BYTES_MAX = 32 * 1024 * 1024;
const READS_AT_ONCE = 4;
/** Not those of the runtime, such as ERR_INVALID_ARG_TYPE. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

export interface ReadEntry extends Entry {
  /** Of its bytes. */
  readonly hash: string;
}

interface LogDeps {
  readonly storage: ObjectStorage;
  /** The names in the data directory that the log describes. */
  readonly names: readonly string[];
}

export interface ReadEntries {
  readonly entries: readonly ReadEntry[];
  /** The log had no next entry. */
  readonly isEnd: boolean;
}

/** Reads at most `count` entries after `last`, several at a time, and fewer of many or large ones. Raises `unavailable`, `invalid`, `refused`. */
export async function entriesAfter(
  { storage, names }: LogDeps,
  last: Position,
  count: number,
): Promise<ReadEntries> {
  const entries: ReadEntry[] = [];
  let { seq, hash } = last;
  for (let bytes = 0; entries.length < Math.min(count, BATCH_ENTRIES_MAX) && bytes < BATCH_BYTES_MAX;) {
    const wanted = Math.min(count - entries.length, READS_AT_ONCE);
    const numbers = Array.from({ length: wanted }, (_, index) => seq + 1 + index);
    for (const found of await Promise.all(
      numbers.map((number) => storage.get(entryKey(number), ENTRY_BYTES_MAX)),
    )) {
      if (found === undefined) return { entries, isEnd: true };
      const entry = await decodeEntry(found, seq + 1);
      if (entry.previous !== hash) throw unconnected(seq);
      requireShared(names, entry.parts, `entry ${seq + 1} of the replication log`);
      seq += 1;
      hash = await entryHash(found);
      bytes += found.length;
      entries.push({ ...entry, hash });
    }
  }
  return { entries, isEnd: false };
}

/** The bucket may be written by others, who must not change what belongs to this node alone. */
export function requireShared(
  names: readonly string[],
  files: readonly { readonly file: string }[],
  by: string,
): void {
  const other = files.find(({ file }) => !names.some((name) => file === name || file.startsWith(`${name}/`)));
  if (other)
    throw new AppError(
      "invalid",
      `${by} has ${other.file}, which nodes of this version do not share; update this node, or check who else writes into the bucket`,
    );
}

export function isTakeover({ kind }: Entry): boolean {
  return kind !== "changes";
}

/** The number of the last beginning; undefined: there is none. */
export function beginningIn(entries: readonly Entry[]): number | undefined {
  return entries.findLast(({ kind }) => kind === "beginning")?.seq;
}

export function missing(seq: number): AppError {
  return new AppError("invalid", `entry ${seq} of the replication log is missing`, { reason: "missing" });
}

/** Reports whether an object is missing. */
export function isLack(error: unknown): boolean {
  return error instanceof AppError && (error.code === "not_found" || error.details?.["reason"] === "missing");
}

export function isUnconnected(error: unknown): boolean {
  return error instanceof AppError && error.details?.["reason"] === "unconnected";
}

function unconnected(seq: number): AppError {
  return new AppError(
    "invalid",
    `entry ${seq + 1} of the replication log does not follow from entry ${seq}`,
    {
      reason: "unconnected",
    },
  );
}

/** Reports whether the storage or the disk may do it a moment later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "unavailable";
  return SYSTEM_CODE.test(systemCode(error) ?? "");
}
