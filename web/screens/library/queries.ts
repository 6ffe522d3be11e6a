// Queries of the library: one instruction, its versions, its bindings, and proposals of agents.

import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type {
  Instruction,
  InstructionBinding,
  InstructionVersion,
  Proposal,
} from "../../../src/service/library/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, type Query, refresh } from "../../api/query.ts";

/** The server lists bindings per workspace only; beyond this many workspaces, the screen says how many it skipped. */
const WORKSPACES_LOOKED_AT = 60;
const VERSIONS_PER_PAGE = 100;

export function instructionQuery(id: () => number): Query<Instruction> {
  return createQuery(() => {
    const which = id();
    return { key: ["instruction", which, "text"], read: () => take(api.instructions({ id: which }).get()) };
  });
}

/** Newest first. */
export async function readVersions(id: number, before?: number): Promise<readonly InstructionVersion[]> {
  const query = { limit: VERSIONS_PER_PAGE, ...(before === undefined ? {} : { before }) };
  const page = await take(api.instructions({ id }).versions.get({ query }));
  return page.toReversed();
}

export interface Use {
  readonly binding: InstructionBinding;
  readonly workspace: Workspace;
  /** Undefined: all agents of the workspace. */
  readonly agent: Agent | undefined;
}

export interface Uses {
  readonly uses: readonly Use[];
  readonly notLookedAt: number;
}

/** The bindings of an instruction in the visible workspaces. */
export function usesQuery(id: () => number): Query<Uses> {
  return createQuery(() => {
    const which = id();
    return { key: ["instruction", which, "uses"], read: () => readUses(which) };
  });
}

async function readUses(id: number): Promise<Uses> {
  const workspaces = await take(api.workspaces.get());
  const looked = workspaces.slice(0, WORKSPACES_LOOKED_AT);
  const uses = await Promise.all(looked.map((workspace) => usesIn(workspace, id)));
  return { uses: uses.flat(), notLookedAt: workspaces.length - looked.length };
}

async function usesIn(workspace: Workspace, id: number): Promise<Use[]> {
  const here = api.workspaces({ id: workspace.id });
  const bindings = (await take(here.instructions.get())).filter((one) => one.instruction_id === id);
  const agents = bindings.some((one) => one.agent_id !== null) ? await take(here.agents.get()) : [];
  return bindings.map((binding) => ({
    binding,
    workspace,
    agent: agents.find((agent) => agent.id === binding.agent_id),
  }));
}

/** Pending proposals of agents in the visible workspaces. */
export function proposalsQuery(): Query<Proposal[]> {
  return createQuery(() => ({
    key: ["approvals", "instructions"],
    read: () => take(api["instruction-proposals"].get()),
  }));
}

/** Refreshes the queries that show an instruction. */
export async function instructionChanged(id: number): Promise<void> {
  await Promise.all([refresh("instructions"), refresh("instruction", id)]);
}
