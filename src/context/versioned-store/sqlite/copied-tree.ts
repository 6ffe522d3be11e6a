// The working tree of a space whose database was copied here without it. Only reads the database, which stays the same byte for byte.

import { dirname } from "node:path";
import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import { lookAt } from "../../../kit/storage/db-untouched.ts";
import type { BroughtTree, CopiedTree, Head } from "../engine.ts";
import { RecentContents } from "./content-cache.ts";
import { Metadata } from "./metadata.ts";
import { Mirror } from "./mirror.ts";
import { spaceStore, type SpaceStore } from "./store.ts";
import { Tree } from "./tree.ts";

/** As `EngineKind.bringTree`. */
export function bringTree(database: string, options: CopiedTree): Promise<BroughtTree> {
  return lookAt(database, dirname(database), async (db) => {
    const store = spaceStore(db);
    const metadata = new Metadata(db, store).get();
    return { shows: await brought(store, options), metadata };
  });
}

async function brought(
  store: SpaceStore,
  { directory, shows, clock, log, signal }: CopiedTree,
): Promise<Head> {
  const { epoch, seq } = store.space.get()!;
  if (epoch === shows.epoch && seq === shows.seq) return shows;
  const tree = new Tree(directory, {});
  const mirror = new Mirror({ store, tree, recent: new RecentContents(), clock, log });
  const stretch = new Stretch();
  try {
    for (const _ of mirror.following.catchingUp(epoch === shows.epoch ? shows.seq : 0)) {
      if (stretch.isOver()) await turnOfOthers();
      if (signal.aborted) break;
    }
    return { epoch, seq: mirror.following.safeSeq };
  } finally {
    mirror.close();
  }
}
