// Builds the usage of models: what workspaces have spent, and what all have by day.

import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import type { Budget } from "../workspaces/schema.ts";
import { UsageByDay } from "./days.ts";
import { usageStore } from "./store.ts";
import { Usages } from "./usage.ts";

interface UsageNeeds {
  readonly access: Access;
  readonly blueprint: Blueprint;
  readonly workspaceBudget: (workspaceId: number) => Budget | null;
}

export function buildUsage({ db, clock }: Ground, { access, blueprint, workspaceBudget }: UsageNeeds) {
  const store = usageStore(db);
  return {
    usages: new Usages({ store, access, blueprint, workspaceBudget, clock }),
    usageByDay: new UsageByDay({ store, access, clock }),
  };
}
