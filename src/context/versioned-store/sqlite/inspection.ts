// A space as it lies on the disk, looked at without opening it: no lock, no repair, nothing is changed. For when no server has it open.

import type { Db } from "../../../kit/db.ts";
import { createLog } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { FileRecord } from "../schema.ts";
import { changedPaths } from "./changes.ts";
import { Mirror } from "./mirror.ts";
import { Reading } from "./reading.ts";
import { RecentContents } from "./recent.ts";
import { spaceStore } from "./store.ts";
import { Tree } from "./tree.ts";

export interface SpaceInspection {
  /** Of the last change; undefined: there is none. Milliseconds since the epoch. */
  readonly lastChange: number | undefined;
  readonly seq: number;
  /** How far the text index has come. */
  readonly indexed: number;
}

export function inspectSpace(db: Db): SpaceInspection {
  const store = spaceStore(db);
  const { seq } = store.space.get()!;
  return {
    seq,
    lastChange: store.timeOf.get(seq)?.created_at,
    indexed: store.follower.get("text")!.seq,
  };
}

/** What the working tree shows, and the paths that the next open will bring up to date. */
export async function inspectTree(
  db: Db,
  directory: string,
  clock: Clock,
): Promise<{ files: FileRecord[]; waiting: Set<string> }> {
  const store = spaceStore(db);
  const log = createLog({ level: "error", format: "text", clock, write: () => {} });
  const recent = new RecentContents();
  const mirror = new Mirror(store, new Tree(directory), recent, { clock, log });
  const files = await new Reading(store, mirror, recent).list({});
  const waiting = new Set<string>();
  for (const { paths } of changedPaths(store, store.follower.get("tree")!.seq))
    for (const path of paths) waiting.add(path);
  const settled = new Set(files.filter(({ state }) => state === "live").map(({ path }) => path));
  return { files, waiting: waiting.difference(settled) };
}
