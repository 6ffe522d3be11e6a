// Builds the blueprint: agents and wires.

import type { Models } from "../catalog/models.ts";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Blueprint } from "./blueprint.ts";
import { blueprintStore } from "./store.ts";
import { blueprintTools } from "./tools.ts";

export function buildBlueprint(
  { db, clock, audit, journal }: Ground,
  { access, models }: { access: Access; models: Models },
) {
  const blueprint = new Blueprint({ db, store: blueprintStore(db), access, models, journal, audit, clock });
  return { blueprint, blueprintTools: blueprintTools(blueprint, models) };
}
