// Converts rows of a space to the records that every surface shows.

import { rfc3339 } from "../../../kit/clock.ts";
import { headText } from "../head.ts";
import type { ChangeOp, FileRecord, FileState, NetChange, Snapshot, VersionRecord } from "../schema.ts";
import type { FileRow, SnapshotRow, VersionRow } from "./store.ts";
import type { RefusedEntry } from "./walk.ts";

/** The author of manual edits in the working tree, when unknown. */
export const TREE_AUTHOR = "working tree";

/** The part of a change that determines the live version. */
interface Said {
  readonly op: ChangeOp;
  readonly version: number | null;
}

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

export function toRefused({ path, size, modified, refused }: RefusedEntry): FileRecord {
  const updated_at = rfc3339(modified);
  return { path, version: null, size, hash: "", updated_at, author: TREE_AUTHOR, state: "refused", refused };
}

export function toVersion(row: VersionRow, deleted: boolean): VersionRecord {
  const { version, created_at: time, author, message, size, hash, gone } = row;
  return {
    version,
    created_at: rfc3339(time),
    author,
    ...(message !== null && { message }),
    size,
    hash,
    deleted,
    destroyed: gone === "destroyed",
    pruned: gone === "pruned",
  };
}

/** The versions that were live when the file was deleted and have not been live since. */
export class DeletedVersions {
  readonly #deleted = new Set<number>();
  #live: number | null = null;

  /** In the order of the log. */
  add(changes: readonly Said[]): void {
    for (const { op, version } of changes) {
      if (op === "destroy") continue;
      if (op === "delete" && this.#live !== null) this.#deleted.add(this.#live);
      if (version !== null) this.#deleted.delete(version);
      this.#live = version;
    }
  }

  has(version: number): boolean {
    return this.#deleted.has(version);
  }
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
