// Builds the library feature: instructions, and agents' proposals to change them.

import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Instructions } from "./instructions.ts";
import { proposalStore } from "./proposal-store.ts";
import { Proposals } from "./proposals.ts";
import { libraryStore } from "./store.ts";
import { libraryTools } from "./tools.ts";

export function buildLibrary(
  { db, clock, audit, journal }: Ground,
  { access, blueprint }: { access: Access; blueprint: Blueprint },
) {
  const store = libraryStore(db);
  const instructions = new Instructions({ db, store, access, blueprint, journal, audit, clock });
  const proposals = new Proposals({
    db,
    store: proposalStore(db),
    instructions,
    access,
    journal,
    audit,
    clock,
  });
  return { instructions, proposals, libraryTools: libraryTools(instructions, proposals) };
}
