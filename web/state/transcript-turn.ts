// One turn's part of the conversation in reading order. Workers stand below the bubble that called them, in the order of the calls, however
// they ran. Pure; unchanged parts keep their identity.

import type { DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { Entry } from "../../src/service/conversation/schema.ts";
import {
  type Bubble,
  type Chip,
  type Decided,
  type Item,
  type Message,
  type Segment,
  type TurnParts,
} from "./transcript-items.ts";
import { takeRefusal } from "./tool-state.ts";
import { isOpen } from "./workspace-state.ts";
import { sameList } from "../kit/same-list.ts";

interface RunParts {
  readonly id: number;
  readonly agentId: number;
  task: Entry | undefined;
  readonly answers: Entry[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Bubble>;

export function buildTurn(parts: TurnParts, before: readonly Item[]): readonly Item[] {
  const items = new TurnBuilder(parts).build();
  return keepWhatStayed(items, before);
}

class TurnBuilder {
  readonly #parts: TurnParts;
  readonly #runs = new Map<number, RunParts>();
  readonly #results = new Map<string, Entry>();
  /** By the id of the delegating call. */
  readonly #children = new Map<string, RunParts>();
  readonly #bubbles: Draft[] = [];
  readonly #shown = new Set<number>();

  constructor(parts: TurnParts) {
    this.#parts = parts;
    for (const entry of parts.entries) this.#sort(entry);
    for (const { runId, agentId } of parts.live) this.#run(runId, agentId);
    for (const run of this.#runs.values()) {
      const callId = run.task?.call_id ?? null;
      if (callId !== null) this.#children.set(callId, run);
    }
  }

  build(): Item[] {
    const roots = [...this.#runs.values()].filter((run) => run.task === undefined);
    for (const run of roots) this.#walk(run, 0, undefined);
    // Runs of a turn whose beginning was not read.
    for (const run of this.#runs.values()) if (!this.#shown.has(run.id)) this.#walk(run, 1, undefined);
    this.#placeApprovals();
    const { turnId, lead, notes } = this.#parts;
    return [
      ...decidedItem(`decided-before-${turnId}`, lead),
      ...this.#messages(),
      ...this.#bubbles,
      ...this.#end(),
      ...decidedItem(`decided-${turnId}`, notes),
    ];
  }

  #sort(entry: Entry): void {
    if (entry.kind === "person") return;
    if (entry.kind === "tool") {
      if (entry.call_id !== null) this.#results.set(entry.call_id, entry);
      return;
    }
    const run = this.#run(entry.run_id, entry.agent_id);
    if (entry.kind === "task") run.task = entry;
    else run.answers.push(entry);
  }

  #run(id: number, agentId: number): RunParts {
    const known = this.#runs.get(id);
    if (known) return known;
    const run: RunParts = { id, agentId, task: undefined, answers: [] };
    this.#runs.set(id, run);
    return run;
  }

  #messages(): Message[] {
    const { entries, turn, turnId } = this.#parts;
    const about = {
      kind: "message",
      userId: turn?.user_id,
      userName: turn?.user_name ?? "",
      imported: turn?.imported ?? false,
    } as const;
    const said = entries.filter(({ kind }) => kind === "person");
    // The turn has just started, or failed before it did.
    if (said.length === 0 && entries.length === 0 && turn)
      return [
        { ...about, key: `message-${turnId}-0`, entry: undefined, text: turn.text, time: turn.created_at },
      ];
    return said.map((entry, index) => ({
      ...about,
      // The same before and after its entry arrives.
      key: `message-${turnId}-${index}`,
      entry,
      text: entry.text,
      time: entry.created_at,
    }));
  }

  #end(): Item[] {
    const { entries, turn, turnId, last } = this.#parts;
    const isCut = turn?.status === "done" && turn.truncated && last;
    if (!isCut && turn?.status !== "failed" && turn?.status !== "cancelled" && turn?.status !== "interrupted")
      return [];
    const cut = entries.findLast(({ truncated }) => truncated !== null)?.truncated ?? null;
    return [{ kind: "end", key: `end-${turnId}`, turn, last, cut }];
  }

  #walk(run: RunParts, depth: number, callerId: number | undefined): void {
    if (this.#shown.has(run.id)) return;
    this.#shown.add(run.id);
    const live = this.#parts.live.find(({ runId }) => runId === run.id);
    let open: Draft | undefined;
    let previous = 0;
    const opened = () => (open ??= this.#open(run, depth, callerId, previous));
    // A worker appears as soon as it has a task.
    if (run.task && run.answers.length === 0) opened();
    for (const answer of run.answers) {
      opened().segments = [...opened().segments, this.#segment(answer)];
      previous = answer.id;
      const children = answer.calls.flatMap(({ id }) => this.#children.get(id) ?? []);
      if (children.length === 0) continue;
      open = undefined;
      for (const child of children) this.#walk(child, depth + 1, run.agentId);
    }
    if (live && (live.speaks || run.answers.length === 0)) opened();
    if (live && open) open.live = true;
    const result = this.#results.get(run.task?.call_id ?? "");
    if (result?.outcome === "error") opened().failure = result;
  }

  #open(run: RunParts, depth: number, callerId: number | undefined, previous: number): Draft {
    const bubble: Draft = {
      kind: "bubble",
      // Known before the first answer is stored, and unchanged afterwards.
      key: `run-${run.id}-${previous}`,
      turnId: this.#parts.turnId,
      runId: run.id,
      agentId: run.agentId,
      depth,
      callerId,
      task: previous === 0 ? run.task : undefined,
      failure: undefined,
      segments: [],
      live: false,
      turnOpen: this.#parts.turn !== undefined && isOpen(this.#parts.turn.status),
      asks: [],
      decided: [],
    };
    this.#bubbles.push(bubble);
    return bubble;
  }

  #segment(entry: Entry): Segment {
    const chips = entry.calls.map((call): Chip => {
      const child = this.#children.get(call.id);
      return {
        key: call.id,
        turnId: this.#parts.turnId,
        tool: call.name,
        arguments: call.arguments,
        result: this.#results.get(call.id),
        runs: child ? this.#below(child) : [],
        agentId: child?.agentId,
        refusal: undefined,
      };
    });
    return { key: `entry-${entry.id}`, entry, chips, asks: [], decided: [] };
  }

  #below(run: RunParts): number[] {
    const children = run.answers.flatMap(({ calls }) =>
      calls.flatMap(({ id }) => this.#children.get(id) ?? []),
    );
    return [run.id, ...children.flatMap((child) => this.#below(child))];
  }

  /** Places approvals and decisions below the answer of the asking agent after which they were requested. */
  #placeApprovals(): void {
    const { asks, decided } = this.#parts;
    for (const ask of asks) {
      const place = this.#placeOf(ask.agent, ask.requested_at);
      if (place) place.asks = [...place.asks, ask];
    }
    for (const decision of decided) {
      const place = this.#placeOf(decision.agent, decision.requested_at ?? decision.time);
      if (place) place.decided = [...place.decided, decision];
    }
    for (const { segments } of this.#bubbles)
      for (const segment of segments as Mutable<Segment>[])
        if (segment.decided.length > 0) segment.chips = withRefusals(segment);
  }

  #placeOf(agent: string | null, time: string): Pick<Draft, "asks" | "decided"> | undefined {
    const own = this.#bubbles.filter(({ agentId }) => this.#parts.names.get(agentId) === agent);
    const segments = own.flatMap((bubble) => bubble.segments as Mutable<Segment>[]);
    return (
      segments.findLast(({ entry }) => entry.created_at <= time) ??
      segments.at(-1) ??
      own.at(-1) ??
      this.#bubbles.at(-1)
    );
  }
}

function withRefusals({ chips, decided }: Segment): readonly Chip[] {
  const asked = ({ requested_at: at, time }: DecisionRecord) => Date.parse(at ?? time);
  const left = decided.toSorted((a, b) => asked(a) - asked(b));
  return chips.map((chip) =>
    chip.tool === "web_search" ? { ...chip, refusal: takeRefusal(chip.arguments, left) } : chip,
  );
}

function decidedItem(key: string, decisions: readonly DecisionRecord[]): Decided[] {
  return decisions.length === 0 ? [] : [{ kind: "decided", key, decisions }];
}

function keepWhatStayed(items: readonly Item[], before: readonly Item[]): readonly Item[] {
  const known = new Map(before.map((item) => [item.key, item]));
  return items.map((item) => {
    const old = known.get(item.key);
    if (old?.kind === "bubble" && item.kind === "bubble")
      return same(old, { ...item, segments: keepSegments(item.segments, old.segments) });
    return same(old, item);
  });
}

function keepSegments(segments: readonly Segment[], before: readonly Segment[]): readonly Segment[] {
  const kept = segments.map((segment, index) => {
    const old = before[index];
    const chips = segment.chips.map((chip, at) => same(old?.chips[at], chip));
    return same(old, { ...segment, chips: old && sameList(old.chips, chips) ? old.chips : chips });
  });
  return sameList(kept, before) ? before : kept;
}

/** Returns the old object if all its values are equal; lists are compared item by item. */
function same<T extends object>(old: T | undefined, now: T): T {
  if (old === undefined) return now;
  const keys = Object.keys(now) as (keyof T)[];
  const equal = keys.every((key) => {
    const [a, b] = [old[key], now[key]];
    return a === b || (Array.isArray(a) && Array.isArray(b) && sameList(a, b));
  });
  return equal ? old : now;
}
