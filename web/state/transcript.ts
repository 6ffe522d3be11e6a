// The conversation as a flat list: messages, agents' bubbles with their tool calls, workers below the call that delegated to them, turn
// ends, queued messages. Equal state gives an equal list, and unchanged items keep their identity, so the screen updates only what is new.
// Streamed text is not part of it: a bubble reads it by its run.

import type { DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { Turn } from "../../src/service/turns/schema.ts";
import { sameList } from "../kit/same-list.ts";
import type { Item, LiveRun, Queued, TurnParts } from "./transcript-items.ts";
import { buildTurn } from "./transcript-turn.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export type { Bubble, Chip, Decided, Item, Message, Queued, Segment, TurnEnd } from "./transcript-items.ts";

interface Built {
  readonly parts: TurnParts;
  readonly items: readonly Item[];
}

/** A memoized function of the state; one per list on the screen. */
export function createTranscript(): (state: WorkspaceState) => readonly Item[] {
  let seen: readonly unknown[] = [];
  let items: readonly Item[] = [];
  let built = new Map<number, Built>();
  return (state) => {
    const live = liveRuns(state);
    const { entries, turns, hasEarlier, approvals, decisions, agentNames } = state;
    const now = [entries, turns, hasEarlier, approvals, decisions, agentNames, signature(live)];
    if (sameList(now, seen)) return items;
    seen = now;
    const before = built;
    built = new Map();
    for (const parts of partsOf(state, live)) {
      const known = before.get(parts.turnId);
      const unchanged = known !== undefined && sameParts(known.parts, parts);
      built.set(parts.turnId, unchanged ? known : { parts, items: buildTurn(parts, known?.items ?? []) });
    }
    const queued = turns.filter(({ status }) => status === "queued").map((turn) => queuedItem(turn, items));
    items = [...[...built.values()].flatMap((one) => one.items), ...queued];
    return items;
  };
}

function queuedItem(turn: Turn, before: readonly Item[]): Queued {
  const key = `queued-${turn.id}`;
  const known = before.findLast((item) => item.key === key);
  return known?.kind === "queued" && known.turn === turn ? known : { kind: "queued", key, turn };
}

/** Turn by turn, oldest first. A turn whose beginning was not read is left out, unless it is the only one. */
function partsOf(state: WorkspaceState, live: readonly LiveRun[]): TurnParts[] {
  const groups = Map.groupBy(state.entries, (entry) => entry.turn_id);
  const [first] = groups;
  const cut = state.hasEarlier && first !== undefined && !first[1].some(({ kind }) => kind === "person");
  if (cut && groups.size > 1) groups.delete(first[0]);
  const from = state.hasEarlier ? (groups.keys().next().value ?? Infinity) : 0;
  const turns = new Map(state.turns.map((turn) => [turn.id, turn]));
  for (const turn of state.turns) {
    // A turn cancelled before it started shows nothing, unless the service cancelled it. One without entries that did start is on another branch.
    const silent =
      turn.status !== "queued" &&
      turn.started_at === null &&
      (turn.status !== "cancelled" || turn.error !== null);
    if (silent && turn.id >= from && !groups.has(turn.id)) groups.set(turn.id, []);
  }
  const last = state.turns.findLast(({ id, started_at: at }) => at !== null && groups.has(id))?.id;
  const asks = Map.groupBy(
    state.approvals.filter(({ agent }) => agent !== null),
    (approval) => turnAt(state.turns, approval.requested_at),
  );
  const shown = [...groups.keys()].toSorted((a, b) => a - b);
  const decisions = decisionsOf(state, shown);
  return shown.map((turnId, index) => ({
    turnId,
    turn: turns.get(turnId),
    entries: groups.get(turnId)!,
    live: live.filter((run) => run.turnId === turnId),
    asks: asks.get(turnId) ?? [],
    decided: decisions.asked.get(turnId) ?? [],
    lead: index === 0 && !state.hasEarlier ? (decisions.notes.get(undefined) ?? []) : [],
    notes: decisions.notes.get(turnId) ?? [],
    names: state.agentNames,
    last: turnId === last,
  }));
}

/** Decisions by the turn in which an agent asked for them; the others by the last shown turn that had begun, or none. */
function decisionsOf({ turns, decisions }: WorkspaceState, shown: readonly number[]) {
  const isShown = new Set(shown);
  const began = turns.filter(({ id, started_at: at }) => at !== null && isShown.has(id));
  const askedIn = ({ agent, turn_id: turnId, requested_at: at }: DecisionRecord) => {
    if (agent === null) return undefined;
    const id = turnId ?? (at === null ? undefined : turnAt(turns, at));
    return id === undefined || isShown.has(id) ? id : undefined;
  };
  const asked = Map.groupBy(decisions, askedIn);
  const notes = Map.groupBy(
    asked.get(undefined) ?? [],
    ({ time }) => began.findLast(({ started_at: at }) => at! <= time)?.id,
  );
  return { asked, notes };
}

/** The turn that was active at that time. */
function turnAt(turns: readonly Turn[], time: string): number | undefined {
  const at = Date.parse(time);
  return turns.findLast(
    ({ started_at: started, finished_at: finished }) =>
      started !== null && Date.parse(started) <= at && (finished === null || Date.parse(finished) >= at),
  )?.id;
}

function liveRuns(state: WorkspaceState): LiveRun[] {
  const live = new Map<number, LiveRun>();
  for (const { id: runId, agentId, turnId, state: now } of state.runs.values()) {
    if (now === "thinking" || now === "working" || now === "waiting")
      live.set(runId, { runId, agentId, turnId, speaks: false });
  }
  for (const { runId, agentId, turnId, text, reasoning } of state.speech.values())
    if (text !== "" || reasoning !== "") live.set(runId, { runId, agentId, turnId, speaks: true });
  return [...live.values()];
}

function signature(live: readonly LiveRun[]): string {
  return live.map(({ runId, speaks }) => `${runId}${speaks ? "!" : ""}`).join(" ");
}

function sameParts(a: TurnParts, b: TurnParts): boolean {
  return (
    a.turn === b.turn &&
    a.last === b.last &&
    a.names === b.names &&
    signature(a.live) === signature(b.live) &&
    sameList(a.entries, b.entries) &&
    sameList(a.asks, b.asks) &&
    sameList(a.decided, b.decided) &&
    sameList(a.lead, b.lead) &&
    sameList(a.notes, b.notes)
  );
}
