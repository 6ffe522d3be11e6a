// A space as it lies on the disk, looked at without opening it: no lock, no repair, nothing is changed. For when no server has it open.

import type { Db } from "../../../kit/db.ts";
import { createLog } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { FileRecord } from "../schema.ts";
import { Mirror } from "./mirror.ts";
import { Reading } from "./reading.ts";
import { SpaceStore } from "./store.ts";
import { Tree } from "./tree.ts";

const CHANGES_AT_ONCE = 1_000;

export interface SpaceInspection {
  /** Of the last change; undefined: there is none. Milliseconds since the epoch. */
  readonly lastChange: number | undefined;
  readonly seq: number;
  /** How far the text index has come. */
  readonly indexed: number;
}

export function inspectSpace(db: Db): SpaceInspection {
  const store = new SpaceStore(db);
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
  const store = new SpaceStore(db);
  const log = createLog({ level: "error", format: "text", clock, write: () => {} });
  const files = await new Reading(store, new Mirror(store, new Tree(directory), clock, log)).list({});
  const waiting = new Set<string>();
  for (let seq = store.follower.get("tree")!.seq; ;) {
    const changes = store.changesAfter.all(seq, CHANGES_AT_ONCE);
    if (changes.length === 0) break;
    for (const { path } of changes) waiting.add(path);
    seq = changes.at(-1)!.seq;
  }
  const settled = new Set(files.filter(({ state }) => state === "live").map(({ path }) => path));
  return { files, waiting: waiting.difference(settled) };
}
