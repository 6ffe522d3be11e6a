// Inspects a space on disk without opening it: no lock, no repair, no change. Only for a space that no server has open.

import type { Db } from "../../../kit/storage/db.ts";
import { createLog } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { FileRecord } from "../schema.ts";
import { changedPaths } from "./changes.ts";
import { Mirror } from "./mirror.ts";
import { Reading } from "./reading.ts";
import { RecentContents } from "./content-cache.ts";
import { spaceStore } from "./store.ts";
import { Tree } from "./tree.ts";

/** In ms since the epoch; undefined: no changes. */
export function lastChangeIn(db: Db): number | undefined {
  const store = spaceStore(db);
  const { seq } = store.space.get()!;
  return store.timeOf.get(seq)?.created_at;
}

/** Lists the working tree, and the paths that the next open will bring up to date. */
export async function inspectTree(
  db: Db,
  directory: string,
  clock: Clock,
): Promise<{ files: FileRecord[]; waiting: Set<string> }> {
  const store = spaceStore(db);
  const log = createLog({ level: "error", format: "text", clock, write: () => {} });
  const recent = new RecentContents();
  const mirror = new Mirror({ store, tree: new Tree(directory), recent, clock, log });
  const files = await new Reading(store, mirror, recent, { recalls: false }).list({});
  const waiting = new Set<string>();
  for (const { paths } of changedPaths(store, store.follower.get("tree")!.seq))
    for (const path of paths) waiting.add(path);
  const settled = new Set(files.filter(({ state }) => state === "live").map(({ path }) => path));
  return { files, waiting: waiting.difference(settled) };
}
