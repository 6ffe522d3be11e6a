// Converts rows of a space to the records that every surface shows.

import { rfc3339 } from "../../../kit/clock.ts";
import { headText } from "../head.ts";
import type { FileRecord, FileState, NetChange, Snapshot } from "../schema.ts";
import type { FileRow, SnapshotRow } from "./store.ts";
import type { RefusedEntry } from "./walk.ts";

/** The author of manual edits in the working tree, when unknown. */
export const TREE_AUTHOR = "working tree";

export function toRecord(row: FileRow, state: FileState): FileRecord {
  const { path, size, hash, author } = row;
  return { path, version: row.shown, size, hash, updated_at: timeText(row.updated_at), author, state };
}

/** The files of one batch have the same time, and writing it is half of a record. */
let latest = { time: Number.NaN, text: "" };

function timeText(time: number): string {
  if (time !== latest.time) latest = { time, text: rfc3339(time) };
  return latest.text;
}

function toRefused({ path, size, modified, refused }: RefusedEntry): FileRecord {
  const updated_at = rfc3339(modified);
  return { path, version: null, size, hash: "", updated_at, author: TREE_AUTHOR, state: "refused", refused };
}

/**
 * Adds the entries that cannot be documents. A file with versions that cannot be read, itself or because of a directory above it, keeps its version:
 * it is neither changed nor gone.
 */
export function addRefused(records: Map<string, FileRecord>, refused: Iterable<RefusedEntry>): void {
  const unreadable = new Map<string, RefusedEntry>();
  for (const entry of refused) {
    const record = records.get(entry.path);
    records.set(entry.path, record ? { ...record, refused: entry.refused } : toRefused(entry));
    if (entry.refused.code === "unreadable") unreadable.set(entry.path.replace(/\/$/, ""), entry);
  }
  if (unreadable.size === 0) return;
  for (const [path, record] of records) {
    const by = record.state === "missing" ? coverOf(path, unreadable) : undefined;
    if (by) records.set(path, { ...record, state: "refused", refused: by.refused });
  }
}

/** The entry of the path or of a directory above it. */
function coverOf(path: string, entries: ReadonlyMap<string, RefusedEntry>): RefusedEntry | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const entry = entries.get(path.slice(0, end));
    if (entry) return entry;
  }
  return undefined;
}

export function toChange(row: FileRow): NetChange {
  const { path, live, size, hash, author } = row;
  const change = live === null ? "deleted" : "written";
  return { path, change, version: live, size, hash, updated_at: rfc3339(row.updated_at), author };
}

export function toSnapshot(
  { id, name, seq, author, created_at: time }: SnapshotRow,
  epoch: string,
): Snapshot {
  return { id, name, head: headText({ epoch, seq }), author, created_at: rfc3339(time) };
}
