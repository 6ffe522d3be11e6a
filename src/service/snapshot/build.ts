// Builds the snapshots of blueprints. `content` collects the part of each feature that is attached to one.

import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import type { SnapshotContent } from "./schema.ts";
import { Snapshots } from "./snapshots.ts";
import { snapshotStore } from "./store.ts";

interface SnapshotNeeds {
  readonly access: Access;
  readonly content: (workspaceId: number) => SnapshotContent;
}

export function buildSnapshots({ db, journal }: Ground, { access, content }: SnapshotNeeds) {
  return { snapshots: new Snapshots({ store: snapshotStore(db), access, journal, content }) };
}
