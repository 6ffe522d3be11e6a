// The one place where an event changes a workspace's state. Pure and idempotent: a repeated event changes nothing, and untouched parts
// keep their identity.

import type { Approval } from "../../src/service/approvals/schema.ts";
import { decisionIn } from "./decisions.ts";
import type { WorkspaceEvent } from "../../src/service/events.ts";
import type { Turn } from "../../src/service/turns/schema.ts";
import {
  isOpen,
  OUTPUT_CHARACTERS_KEPT,
  type Run,
  type Speech,
  type ToolCall,
  type WorkspaceState,
} from "./workspace-state.ts";

type StreamedEvent = Extract<WorkspaceEvent, { id: null }>;
type StoredEvent = Exclude<WorkspaceEvent, StreamedEvent>;
type BlueprintEvent = Extract<
  StoredEvent,
  { type: `${"agent" | "wire" | "gear" | "instruction" | "context" | "grant"}.${string}` }
>;
type TurnEvent = Exclude<StoredEvent, BlueprintEvent>;

const OF_BLUEPRINT = /^(?:agent|wire|gear|instruction|context|grant)\./;

export function reduceAll(state: WorkspaceState, events: readonly WorkspaceEvent[]): WorkspaceState {
  return events.reduce(reduce, state);
}

export function reduce(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  if (event.id === null) return streamed(state, event);
  if (event.id <= state.lastId) return state;
  // The records of the snapshot already contain this change.
  const known = event.id <= state.snapshotId;
  return { ...stored(state, event, known), lastId: event.id };
}

/** Every switch below names every type of its events, so that a new type is an error of the type checker. */
function stored(state: WorkspaceState, event: StoredEvent, known: boolean): WorkspaceState {
  const next = withDecision(state, event);
  if (isOfBlueprint(event)) return known ? next : onBlueprint(next, event);
  const live = shown(next, event);
  return known ? live : recorded(live, event);
}

/** The snapshot may contain it already. */
function withDecision(state: WorkspaceState, event: StoredEvent): WorkspaceState {
  const decision = decisionIn(event);
  if (!decision || state.decisions.some(({ id }) => id === decision.id)) return state;
  return { ...state, decisions: placed(state.decisions, decision) };
}

function isOfBlueprint(event: StoredEvent): event is BlueprintEvent {
  return OF_BLUEPRINT.test(event.type);
}

/** Events that are not stored: streamed text and the end of the workspace. */
function streamed(state: WorkspaceState, event: StreamedEvent): WorkspaceState {
  switch (event.type) {
    case "delta": {
      const { run_id: runId, agent_id: agentId, kind, text } = event.data;
      const before = state.speech.get(runId) ?? silent({ runId, agentId, turnId: event.turn_id ?? 0 });
      const speech =
        kind === "text"
          ? { ...before, text: before.text + text }
          : { ...before, reasoning: before.reasoning + text };
      return { ...state, speech: withKey(state.speech, runId, speech) };
    }
    case "partial": {
      const { run_id: runId, agent_id: agentId, text, reasoning } = event.data;
      const speech = { ...silent({ runId, agentId, turnId: event.turn_id ?? 0 }), text, reasoning };
      return { ...state, speech: withKey(state.speech, runId, speech) };
    }
    case "retry": {
      const { run_id: runId, wait_ms: waitMs, status } = event.data;
      const run = state.runs.get(runId);
      if (!run) return state;
      const retry = waitMs === 0 ? undefined : { until: Date.parse(event.time) + waitMs, status };
      return { ...state, runs: withKey(state.runs, runId, { ...run, retry }) };
    }
    case "workspace.removed":
      return { ...state, gone: true };
  }
}

function silent(of: Pick<Speech, "runId" | "agentId" | "turnId">): Speech {
  return { ...of, text: "", reasoning: "" };
}

/** The live part of a turn, which no snapshot record contains. */
function shown(state: WorkspaceState, event: TurnEvent): WorkspaceState {
  switch (event.type) {
    case "status":
      return withRun(state, event);
    case "tool.call":
    case "tool.output":
    case "tool.result":
      return withTool(state, event);
    case "entry":
      return event.data.entry.kind === "agent"
        ? { ...state, speech: without(state.speech, event.data.entry.run_id) }
        : state;
    case "turn.started":
    case "turn.resumed":
      return stillLive(state, event.data.turn.id);
    case "turn.finished":
      return over(state, event.data.turn.id);
    case "approval.requested":
    case "approval.decided":
      return withApproval(state, event);
    case "turn.queued":
    case "branch.switched":
    case "entry.forgotten":
    case "entry.restored":
    case "entry.taint_cleared":
    case "usage":
    case "workspace.updated":
    case "file.saved":
    case "memory.written":
      return state;
  }
}

type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { readonly type: Type }>;

function withRun(state: WorkspaceState, event: EventOf<"status">): WorkspaceState {
  const { run_id: id, agent_id: agentId, state: now, limit } = event.data;
  const run: Run = {
    id,
    turnId: event.turn_id ?? 0,
    agentId,
    state: now,
    since: event.time,
    limit: limit ?? state.runs.get(id)?.limit,
  };
  const speech = now === "thinking" || now === "working" ? state.speech : without(state.speech, id);
  return { ...state, runs: withKey(state.runs, id, run), speech };
}

function withTool(
  state: WorkspaceState,
  event: EventOf<"tool.call" | "tool.output" | "tool.result">,
): WorkspaceState {
  const call = event.type === "tool.call" ? calledTool(event) : state.tools.get(event.data.call_id);
  if (!call) return state;
  const withCall = (changes: Partial<ToolCall>) => ({
    ...state,
    tools: withKey(state.tools, call.callId, { ...call, ...changes }),
  });
  switch (event.type) {
    case "tool.call":
      return withCall({});
    case "tool.output":
      return withCall({ output: (call.output + event.data.text).slice(-OUTPUT_CHARACTERS_KEPT) });
    case "tool.result": {
      const { outcome, text, duration_ms: durationMs } = event.data;
      return withCall({ outcome, text, durationMs: durationMs ?? undefined });
    }
  }
}

function calledTool({ turn_id: turnId, time, data }: EventOf<"tool.call">): ToolCall {
  return {
    callId: data.call_id,
    runId: data.run_id,
    agentId: data.agent_id,
    turnId: turnId ?? 0,
    tool: data.tool,
    arguments: data.arguments,
    output: "",
    outcome: undefined,
    text: undefined,
    durationMs: undefined,
    askedAt: time,
  };
}

function withApproval(
  state: WorkspaceState,
  event: EventOf<"approval.requested" | "approval.decided">,
): WorkspaceState {
  const key = approvalKey(event.type === "approval.requested" ? event.data.approval : event.data);
  const others = state.approvals.filter((one) => approvalKey(one) !== key);
  if (event.type === "approval.decided") return { ...state, approvals: others };
  const { approval } = event.data;
  // In a replay it may have been decided since.
  const isDecided = state.decisions.some(
    ({ id, kind, subject_id: of }) => id > event.id && kind === approval.kind && of === approval.id,
  );
  return isDecided ? state : { ...state, approvals: [...others, approval] };
}

/** Drops the live state of turns that have ended. */
function stillLive(state: WorkspaceState, turnId: number): WorkspaceState {
  const open = new Set(state.turns.filter(({ status }) => isOpen(status)).map(({ id }) => id)).add(turnId);
  const live = <K, V extends { turnId: number }>(map: ReadonlyMap<K, V>) =>
    new Map([...map].filter(([, { turnId: of }]) => open.has(of)));
  return { ...state, runs: live(state.runs), tools: live(state.tools), speech: live(state.speech) };
}

/** Ends a turn's speech and runs. Its tool results stay visible. */
function over(state: WorkspaceState, turnId: number): WorkspaceState {
  const speech = new Map([...state.speech].filter(([, { turnId: of }]) => of !== turnId));
  const runs = new Map([...state.runs].filter(([, { turnId: of }]) => of !== turnId));
  return { ...state, speech, runs, usageChanges: state.usageChanges + 1 };
}

/** Applies an event to the server's records. */
function recorded(state: WorkspaceState, event: TurnEvent): WorkspaceState {
  switch (event.type) {
    case "turn.queued":
    case "turn.started":
    case "turn.resumed":
      return { ...state, turns: placed(state.turns, event.data.turn) };
    case "branch.switched":
      return switched(state, event.data.turn_id);
    case "turn.finished":
      // In a replay the turn may have been resumed later: it is not shown as finished in between.
      return event.data.final ? { ...state, turns: placed(state.turns, event.data.turn) } : state;
    case "status":
      return { ...state, turns: withTurnStatus(state, event.turn_id) };
    case "entry":
      return { ...state, entries: placed(state.entries, event.data.entry) };
    case "entry.forgotten":
    case "entry.restored": {
      const forgotten = event.type === "entry.forgotten";
      return { ...state, entries: changed(state.entries, event.data.entry_id, { forgotten }) };
    }
    case "entry.taint_cleared":
      return { ...state, entries: changed(state.entries, event.data.entry_id, { tainted: false }) };
    case "usage":
      return { ...state, usageChanges: state.usageChanges + 1 };
    case "workspace.updated":
      return { ...state, workspace: event.data.workspace };
    case "file.saved": {
      const { path, version, user, agent } = event.data;
      return { ...state, savedFiles: withKey(state.savedFiles, path, { version, by: agent ?? user }) };
    }
    case "memory.written": {
      const { write } = event.data;
      return { ...state, memoryWrites: withKey(state.memoryWrites, write.call_id, write) };
    }
    // Their records are read with the turn.
    case "tool.call":
    case "tool.output":
    case "tool.result":
    case "approval.requested":
    case "approval.decided":
      return state;
  }
}

/** Keeps the entries of the branch that ends with this turn; those that come back are read (feed.ts). */
function switched(state: WorkspaceState, tip: number | null): WorkspaceState {
  const turns = new Map(state.turns.map((turn) => [turn.id, turn]));
  const path = new Set<number>();
  for (let id = tip; id !== null; id = turns.get(id)?.after_id ?? null) path.add(id);
  const entries = state.entries.filter(({ turn_id: id }) => path.has(id));
  return { ...state, entries, branchChanges: state.branchChanges + 1 };
}

function onBlueprint(state: WorkspaceState, event: BlueprintEvent): WorkspaceState {
  switch (event.type) {
    case "agent.created":
    case "agent.updated": {
      const { agent } = event.data;
      const renamed = state.agentNames.get(agent.id) !== agent.name;
      const agentNames = renamed ? withKey(state.agentNames, agent.id, agent.name) : state.agentNames;
      return { ...state, agents: placed(state.agents, agent), agentNames };
    }
    case "agent.removed": {
      const gone = event.data.agent_id;
      const stays = <T extends { agent_id: number | null }>(list: readonly T[]) =>
        list.filter((one) => one.agent_id !== gone);
      return {
        ...state,
        agents: dropped(state.agents, gone),
        wires: state.wires.filter((wire) => wire.from_agent_id !== gone && wire.to_agent_id !== gone),
        gearBindings: stays(state.gearBindings),
        instructionBindings: stays(state.instructionBindings),
        contextBindings: stays(state.contextBindings),
        grants: stays(state.grants),
      };
    }
    case "wire.created":
      return { ...state, wires: placed(state.wires, event.data.wire) };
    case "wire.removed":
      return { ...state, wires: dropped(state.wires, event.data.wire_id) };
    case "gear.bound":
      return { ...state, gearBindings: placed(state.gearBindings, event.data.binding) };
    case "gear.unbound":
      return { ...state, gearBindings: dropped(state.gearBindings, event.data.binding_id) };
    case "gear.updated": {
      const { gear_id: gearId, name, status } = event.data;
      const gearBindings = state.gearBindings.map((binding) =>
        binding.gear_id === gearId ? { ...binding, gear_name: name, gear_status: status } : binding,
      );
      return { ...state, gearBindings };
    }
    case "instruction.bound":
      return { ...state, instructionBindings: placed(state.instructionBindings, event.data.binding) };
    case "instruction.unbound":
      return { ...state, instructionBindings: dropped(state.instructionBindings, event.data.binding_id) };
    case "instruction.updated": {
      const { instruction_id: id, name, version } = event.data;
      const instructionBindings = state.instructionBindings.map((binding) =>
        binding.instruction_id === id ? { ...binding, name, version } : binding,
      );
      return { ...state, instructionBindings };
    }
    case "context.bound":
      return { ...state, contextBindings: placed(state.contextBindings, event.data.binding) };
    case "context.unbound":
      return { ...state, contextBindings: dropped(state.contextBindings, event.data.binding_id) };
    case "grant.created":
      return { ...state, grants: placed(state.grants, event.data.grant) };
    case "grant.removed":
      return { ...state, grants: dropped(state.grants, event.data.grant_id) };
    // Its bindings ended with events of their own.
    case "gear.removed":
      return state;
  }
}

/** A turn waits while one of its runs waits for a person. */
function withTurnStatus(state: WorkspaceState, turnId: number | null): readonly Turn[] {
  const turn = state.turns.find(({ id }) => id === turnId);
  if (turn?.status !== "running" && turn?.status !== "waiting") return state.turns;
  const waits = [...state.runs.values()].some((run) => run.turnId === turnId && run.state === "waiting");
  const status = waits ? "waiting" : "running";
  return status === turn.status ? state.turns : changed(state.turns, turn.id, { status });
}

function approvalKey({ kind, id }: Pick<Approval, "id"> & { kind: string }): string {
  return `${kind}:${id}`;
}

interface Numbered {
  readonly id: number;
}

/** Returns the list, ordered by id, with this record in it. New records are nearly always last. */
function placed<T extends Numbered>(list: readonly T[], record: T): readonly T[] {
  const last = list.at(-1);
  if (last === undefined || last.id < record.id) return [...list, record];
  const at = list.findIndex(({ id }) => id >= record.id);
  return list[at]!.id === record.id ? list.with(at, record) : list.toSpliced(at, 0, record);
}

function dropped<T extends Numbered>(list: readonly T[], id: number): readonly T[] {
  return list.filter((one) => one.id !== id);
}

function changed<T extends Numbered>(list: readonly T[], id: number, change: Partial<T>): readonly T[] {
  const at = list.findIndex((one) => one.id === id);
  return at < 0 ? list : list.with(at, { ...list[at]!, ...change });
}

function withKey<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
