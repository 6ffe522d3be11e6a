// The outcome of a sync cycle, for people and programs.

import type { Conflict } from "./applying.ts";
import type { FileBehind } from "../space/door.ts";
import type { RefusedFile } from "./looking.ts";

export interface SyncReport {
  /** Address of the server. */
  readonly server: string;
  readonly space: string;
  /** The server's head up to which both sides were compared. */
  head: string;
  /** Nothing was changed: these are the changes that a sync would make. */
  readonly dry_run: boolean;
  /** Written here. */
  readonly pulled: string[];
  /** Deleted here. */
  readonly removed: string[];
  /** Written on the server. */
  readonly pushed: string[];
  /** Deleted on the server. */
  readonly withdrawn: string[];
  /** Both sides changed different lines. */
  readonly merged: string[];
  readonly conflicts: Conflict[];
  /** Changes that one side refused. They are repeated when the content changes, and by the next `cairn sync`. */
  readonly held: HeldChange[];
  /** Files here that cannot become versions, so they are not sent. */
  readonly refused: RefusedFile[];
  /** Recorded here, but the disk refused the file, which is still old. The next sync tries again. In none of the lists above. */
  behind: readonly FileBehind[];
  /** Changes that wait for the next sync, because files kept changing or only one direction was asked for. */
  readonly waiting: string[];
}

interface HeldChange {
  readonly path: string;
  /** `up`: the server refused it; `down`: this machine did. */
  readonly direction: "up" | "down";
  readonly code: string;
  readonly reason: string;
}

export function emptyReport(at: { server: string; space: string; dry_run: boolean }): SyncReport {
  return {
    ...at,
    head: "",
    pulled: [],
    removed: [],
    pushed: [],
    withdrawn: [],
    merged: [],
    conflicts: [],
    held: [],
    refused: [],
    behind: [],
    waiting: [],
  };
}

/** Reports whether the cycle changed something on either side. */
export function hasChanges({ pulled, removed, pushed, withdrawn, merged, conflicts }: SyncReport): boolean {
  return [pulled, removed, pushed, withdrawn, merged, conflicts].some((list) => list.length > 0);
}
