// Everything that the interface knows about one workspace. Records are the server's own; what is here besides them is what a turn that
// is still going on shows: who speaks, which tools run, what waits. Values are never changed, only replaced (reducer.ts).

import type { Approval } from "../../src/service/approvals/schema.ts";
import type { Agent, Wire } from "../../src/service/blueprint/schema.ts";
import type { BlueprintRecord } from "../../src/service/snapshot/schema.ts";
import type { Entry, Outcome } from "../../src/service/conversation/schema.ts";
import type { EgressGrant } from "../../src/service/egress/schema.ts";
import type { GearBinding } from "../../src/service/gears/schema.ts";
import type { InstructionBinding } from "../../src/service/library/schema.ts";
import type { RunStatus, Turn } from "../../src/service/turns/schema.ts";
import type { Usage } from "../../src/service/usage/schema.ts";
import type { Workspace } from "../../src/service/workspaces/schema.ts";

/** `thinking`: its model is answering. `working`: its tools run. */
export type RunState = "thinking" | "working" | "waiting" | RunStatus;

export interface Run {
  readonly id: number;
  readonly turnId: number;
  readonly agentId: number;
  readonly state: RunState;
  /** RFC 3339: since when. */
  readonly since: string;
  /** Why it has to come to an end, when a limit was reached. */
  readonly limit: string | undefined;
}

export interface ToolCall {
  readonly callId: string;
  readonly runId: number;
  readonly agentId: number;
  readonly turnId: number;
  readonly tool: string;
  /** As the model wrote them. */
  readonly arguments: string;
  /** The end of what it has printed so far, both streams as they came; at most OUTPUT_CHARACTERS_KEPT. */
  readonly output: string;
  readonly outcome: Outcome | undefined;
  readonly text: string | undefined;
  readonly durationMs: number | undefined;
  /** RFC 3339; when it was asked for. */
  readonly askedAt: string;
}

export interface Speech {
  readonly runId: number;
  readonly agentId: number;
  readonly turnId: number;
  readonly text: string;
  readonly reasoning: string;
}

export interface Decision {
  readonly kind: string;
  readonly id: number;
  readonly decision: string;
  readonly by: string | null;
  /** What was decided on, when we saw it wait. */
  readonly approval: Approval | undefined;
}

export const OUTPUT_CHARACTERS_KEPT = 200_000;

export interface WorkspaceState {
  /** Records hold every event up to this one already. */
  readonly snapshotId: number;
  /** The last stored event that was taken in: where to go on after a lost connection. */
  readonly lastId: number;
  /** It was deleted, or is no longer shared with us. */
  readonly gone: boolean;
  readonly workspace: Workspace;
  /** By id. */
  readonly agents: readonly Agent[];
  /** Of removed ones too: the conversation still shows them. */
  readonly agentNames: ReadonlyMap<number, string>;
  readonly wires: readonly Wire[];
  readonly gearBindings: readonly GearBinding[];
  readonly instructionBindings: readonly InstructionBinding[];
  readonly grants: readonly EgressGrant[];
  /** By id; the newest ones, without a gap. */
  readonly turns: readonly Turn[];
  readonly entries: readonly Entry[];
  /** There are entries before the first of these. */
  readonly hasEarlier: boolean;
  /** Of turns that were open while we looked. */
  readonly runs: ReadonlyMap<number, Run>;
  readonly tools: ReadonlyMap<string, ToolCall>;
  readonly speech: ReadonlyMap<number, Speech>;
  /** By run: tokens in and out that its model calls were reported to have used, as far as we saw them end. */
  readonly spent: ReadonlyMap<number, number>;
  /** What waits for a person in this workspace, oldest first. */
  readonly approvals: readonly Approval[];
  /** By `kind:id`, of this session. */
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly usage: Usage;
  /** Counts what makes `usage` out of date. */
  readonly usageChanges: number;
  /** The last save of each file, by path: an editor compares it with the version that it shows. */
  readonly savedFiles: ReadonlyMap<string, { readonly version: string; readonly by: string }>;
}

export interface Snapshot {
  readonly workspace: Workspace;
  readonly blueprint: BlueprintRecord;
  readonly turns: readonly Turn[];
  readonly entries: readonly Entry[];
  readonly hasEarlier: boolean;
  readonly usage: Usage;
  readonly approvals: readonly Approval[];
}

export function stateOf(snapshot: Snapshot): WorkspaceState {
  const { workspace, blueprint, turns, entries, hasEarlier, usage, approvals } = snapshot;
  const names = [
    ...usage.agents.map(({ agent_id: id, agent }) => [id, agent] as const),
    ...blueprint.agents.map(({ id, name }) => [id, name] as const),
  ];
  return {
    snapshotId: blueprint.event_id ?? 0,
    lastId: startOf(snapshot),
    gone: false,
    workspace,
    agents: blueprint.agents.toSorted((a, b) => a.id - b.id),
    agentNames: new Map(names),
    wires: blueprint.wires,
    gearBindings: blueprint.gear_bindings,
    instructionBindings: blueprint.instruction_bindings,
    grants: blueprint.egress_grants,
    turns,
    entries,
    hasEarlier,
    runs: new Map(),
    tools: new Map(),
    speech: new Map(),
    spent: new Map(),
    approvals: approvals.filter((approval) => approval.workspace_id === workspace.id),
    decisions: new Map(),
    usage,
    usageChanges: 0,
    savedFiles: new Map(),
  };
}

/** The event to follow from: before the first one of a turn that is still open, so that all of it is seen. */
function startOf({ blueprint, turns }: Snapshot): number {
  const open = turns
    .filter(({ status }) => isOpen(status))
    .map((turn) => (turn.first_event_id ?? Infinity) - 1);
  return Math.min(blueprint.event_id ?? 0, ...open);
}

export function isOpen(status: Turn["status"]): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

/** The turn that runs or waits; queued ones come after it. */
export function openTurn(state: WorkspaceState): Turn | undefined {
  return state.turns.find(({ status }) => status === "running" || status === "waiting");
}

export function orchestratorOf(state: WorkspaceState): Agent | undefined {
  return state.agents.find((agent) => agent.orchestrator);
}

export function nameOf(state: WorkspaceState, agentId: number): string {
  return state.agentNames.get(agentId) ?? `agent ${agentId}`;
}
