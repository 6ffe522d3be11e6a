// Builds the memory feature: the space, what is bound to prompts, and what agents and people read and write.

import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Agent } from "../blueprint/schema.ts";
import type { Ground } from "../ground.ts";
import type { Access, BranchedWorkspace } from "../workspaces/access.ts";
import type { WorkspacePart } from "../workspaces/workspaces.ts";
import { MemoryAreas } from "./areas.ts";
import { ContextBindings } from "./bindings.ts";
import { Branches } from "./branches.ts";
import { PromptContext, type Front } from "./prompt-context.ts";
import { copyDocuments, deleteBranch } from "./branch-lifecycle.ts";
import { MemorySpace } from "./space.ts";
import { memoryStore } from "./store.ts";
import { memoryTools } from "./tools.ts";
import { MemoryWrites } from "./writes.ts";

interface MemoryNeeds {
  readonly access: Access;
  readonly blueprint: Blueprint;
  readonly workspaceRows: {
    readonly byId: { get(id: number): BranchedWorkspace | null };
    /** Also of a workspace that is being made or removed. */
    readonly branchOf: { get(id: number): { readonly branch: string } | null };
  };
}

export function buildMemory(ground: Ground, { access, blueprint, workspaceRows }: MemoryNeeds) {
  const { db, clock, log, config, environment, audit, background, journal } = ground;
  const store = memoryStore(db);
  const memory = new MemorySpace({ config, environment, clock, log });
  const branches = new Branches(db, store);
  const contextBindings = new ContextBindings({ db, store, access, blueprint, journal, audit, clock });
  const memoryWrites = new MemoryWrites({ db, store, access, journal, log });
  const context = new PromptContext({ space: memory, store, branches, log });
  const contextFor = async ({ id, name, workspace_id: workspaceId }: Agent): Promise<Front> => {
    const workspace = workspaceRows.byId.get(workspaceId);
    return workspace ? context.of(workspace, { id, name }) : { parts: [] };
  };
  const branchOf = (id: number) => workspaceRows.branchOf.get(id)?.branch;
  const memoryPart: WorkspacePart = {
    cloned: (from) =>
      contextBindings.copyOf(from, branchOf, (documents) =>
        background.run("copy of memory", () => copyDocuments(memory, documents, log)),
      ),
    removed: (id) => {
      const branch = branchOf(id);
      if (branch !== undefined) background.run("removal of memory", () => deleteBranch(memory, branch, log));
    },
  };
  return {
    memory,
    contextBindings,
    contextFor,
    memoryWrites,
    memoryAreas: new MemoryAreas({ space: memory, access, audit, clock, writes: memoryWrites }),
    memoryPart,
    memoryTools: memoryTools({
      space: memory,
      access,
      branches,
      bindings: contextBindings,
      writes: memoryWrites,
      blueprint,
      clock,
    }),
  };
}
