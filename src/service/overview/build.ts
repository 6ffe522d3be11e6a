// Builds the overview of all workspaces, and the stream that tells of changes in it.

import type { Approvals } from "../approvals/approvals.ts";
import type { Ground } from "../ground.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Usages } from "../usage/usage.ts";
import type { Access } from "../workspaces/access.ts";
import { LiveList } from "./live.ts";
import { Overview } from "./overview.ts";
import { overviewStore } from "./store.ts";

interface OverviewNeeds {
  readonly access: Access;
  readonly approvals: Approvals;
  readonly authentication: Authentication;
  readonly usages: Usages;
}

export function buildOverview(ground: Ground, { access, approvals, authentication, usages }: OverviewNeeds) {
  const { db, clock, log, journal, background } = ground;
  return {
    overview: new Overview({ store: overviewStore(db), access, approvals, usages, clock }),
    liveList: new LiveList({ journal, access, authentication, background, log }),
  };
}
