// The client's state of one workspace: the server's records, and the live part of open turns (speech, running tools, pending approvals).
// Immutable; only reducer.ts makes new ones.

import type { Approval, DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { Agent, Wire } from "../../src/service/blueprint/schema.ts";
import type { BlueprintRecord } from "../../src/service/snapshot/schema.ts";
import type { Entry, Outcome } from "../../src/service/conversation/schema.ts";
import type { EgressGrant } from "../../src/service/egress/schema.ts";
import type { GearBinding } from "../../src/service/gears/schema.ts";
import type { InstructionBinding } from "../../src/service/library/schema.ts";
import type { ContextBinding, MemoryWrite } from "../../src/service/memory/schema.ts";
import type { RunStatus, Turn } from "../../src/service/turns/schema.ts";
import type { Usage } from "../../src/service/usage/schema.ts";
import type { Workspace } from "../../src/service/workspaces/schema.ts";

/** `thinking`: its model is answering. `working`: its tools run. */
type RunState = "thinking" | "working" | "waiting" | RunStatus;

export interface Run {
  readonly id: number;
  readonly turnId: number;
  readonly agentId: number;
  readonly state: RunState;
  /** RFC 3339. */
  readonly since: string;
  /** The next attempt of a refused model call; `until` in milliseconds, by this machine's clock. */
  readonly retry?: { readonly until: number; readonly status: number | null } | undefined;
  /** The limit that was reached, which makes this the run's last model call. */
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
  /** The tail of both output streams, interleaved; at most OUTPUT_CHARACTERS_KEPT. */
  readonly output: string;
  readonly outcome: Outcome | undefined;
  readonly text: string | undefined;
  readonly durationMs: number | undefined;
  /** RFC 3339; when the model requested it. */
  readonly askedAt: string;
}

export interface Speech {
  readonly runId: number;
  readonly agentId: number;
  readonly turnId: number;
  readonly text: string;
  readonly reasoning: string;
}

export const OUTPUT_CHARACTERS_KEPT = 200_000;

export interface WorkspaceState {
  /** The records contain every event up to this one. */
  readonly snapshotId: number;
  /** The last stored event applied; a lost connection resumes after it. */
  readonly lastId: number;
  /** It was deleted or is no longer shared with this person. */
  readonly gone: boolean;
  readonly workspace: Workspace;
  /** By id. */
  readonly agents: readonly Agent[];
  /** Including deleted agents, which the conversation still shows. */
  readonly agentNames: ReadonlyMap<number, string>;
  readonly wires: readonly Wire[];
  readonly gearBindings: readonly GearBinding[];
  readonly instructionBindings: readonly InstructionBinding[];
  readonly contextBindings: readonly ContextBinding[];
  readonly grants: readonly EgressGrant[];
  /** By id: the newest, without gaps. */
  readonly turns: readonly Turn[];
  readonly entries: readonly Entry[];
  /** Whether there are entries before the first one. */
  readonly hasEarlier: boolean;
  /** Of turns that were open since the page loaded. */
  readonly runs: ReadonlyMap<number, Run>;
  readonly tools: ReadonlyMap<string, ToolCall>;
  readonly speech: ReadonlyMap<number, Speech>;
  /** Pending approvals of this workspace, oldest first. */
  readonly approvals: readonly Approval[];
  /** The decisions, by event: the newest, at least as far back as the entries. */
  readonly decisions: readonly DecisionRecord[];
  /** Whether there are decisions before the first one. */
  readonly hasEarlierDecisions: boolean;
  /** Counts switches of the branch, after which its entries are read again. */
  readonly branchChanges: number;
  readonly usage: Usage;
  /** Counts events that make `usage` stale. */
  readonly usageChanges: number;
  /** The last save of each file, by path, for editors to compare with their version. */
  readonly savedFiles: ReadonlyMap<string, { readonly version: string; readonly by: string }>;
  /** The writes of agents to memory since the page loaded, by tool call. */
  readonly memoryWrites: ReadonlyMap<string, MemoryWrite>;
}

export interface Snapshot {
  readonly workspace: Workspace;
  readonly blueprint: BlueprintRecord;
  readonly turns: readonly Turn[];
  readonly entries: readonly Entry[];
  readonly hasEarlier: boolean;
  readonly usage: Usage;
  readonly approvals: readonly Approval[];
  readonly decisions: readonly DecisionRecord[];
  readonly hasEarlierDecisions: boolean;
}

export function stateOf(snapshot: Snapshot): WorkspaceState {
  const { workspace, blueprint, turns, entries, hasEarlier, usage, approvals } = snapshot;
  const { decisions, hasEarlierDecisions } = snapshot;
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
    contextBindings: blueprint.context_bindings,
    grants: blueprint.egress_grants,
    turns,
    entries,
    hasEarlier,
    runs: new Map(),
    tools: new Map(),
    speech: new Map(),
    approvals: approvals.filter((approval) => approval.workspace_id === workspace.id),
    decisions,
    hasEarlierDecisions,
    usage,
    branchChanges: 0,
    usageChanges: 0,
    savedFiles: new Map(),
    memoryWrites: new Map(),
  };
}

/** Returns the event to follow from: before the first event of any open turn, so that all of it is replayed. */
function startOf({ blueprint, turns }: Snapshot): number {
  const open = turns
    .filter(({ status }) => isOpen(status))
    .map((turn) => (turn.first_event_id ?? Infinity) - 1);
  return Math.min(blueprint.event_id ?? 0, ...open);
}

export function isOpen(status: Turn["status"]): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

/** The running or waiting turn; queued ones follow it. */
export function openTurn(state: WorkspaceState): Turn | undefined {
  return state.turns.find(({ status }) => status === "running" || status === "waiting");
}

/** Names the sender of a message. The name in an imported file proves nothing about a person of this server. */
export function senderOf({ user_name: name, imported }: Pick<Turn, "user_name" | "imported">): string {
  return imported ? `Imported; originally from ${name}` : name;
}

export function nameOf(state: Pick<WorkspaceState, "agentNames">, agentId: number): string {
  return state.agentNames.get(agentId) ?? `agent ${agentId}`;
}
