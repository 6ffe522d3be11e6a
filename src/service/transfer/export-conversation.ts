// The conversation of a workspace as records: turns that are over, with their branches, and everything that was sent and said in them.

import { LIGHT_STEPS, rfc3339, rfc3339OrNull, Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { CallSettings } from "../turns/recorder.ts";
import type { AnyRecord, PartContent, RecordOf } from "./format.ts";
import { mappedPart, mappedReferences, Ranks, type Numbering } from "./numbering.ts";
import type { LastRows, TransferStore, TurnRow } from "./store.ts";

const IDS_PER_PAGE = 2_000;

interface Named {
  readonly agents: Ranks;
  readonly models: Ranks;
}

/** Decides which rows belong to an export. */
interface Bounds {
  readonly open: readonly number[];
  readonly last: LastRows;
  readonly tip: number | null;
}

interface Conversation extends Named {
  readonly store: TransferStore;
  readonly turns: Ranks;
  readonly runs: Ranks;
  readonly entries: Ranks;
  readonly parts: Ranks;
  readonly toolCalls: readonly number[];
  /** Numbers of tool calls, by their ids. */
  readonly calls: Map<string, number>;
  readonly lastCall: number;
  readonly tip: number | null;
}

/** The conversation as it is now: without turns that are open, and without what comes later. */
export function boundsOf(store: TransferStore, workspaceId: number): Bounds {
  const open = store.openTurns.all(workspaceId).map(({ id }) => id);
  const tip = overTip(store, store.tip.get(workspaceId)?.turn_id ?? null, new Set(open));
  return { open, last: store.lastRows.get()!, tip };
}

export async function* conversationOf(
  store: TransferStore,
  workspaceId: number,
  named: Named,
  bounds: Bounds,
): AsyncGenerator<AnyRecord> {
  const all = await numbered(store, workspaceId, named, bounds);
  const numbering: Numbering = {
    agent: (id) => all.agents.of(id),
    entry: (id) => all.entries.of(id),
    part: (id) => all.parts.of(id) ?? 1,
    call: (id) => `c${numberOf(all.calls, id)}`,
  };
  for (const [index, id] of all.parts.ids.entries()) {
    const content = JSON.parse(store.part.get(id)!.content) as PartContent;
    yield { type: "part", id: index + 1, content: JSON.stringify(mappedPart(content, numbering)) };
  }
  for (const [index, id] of all.turns.ids.entries()) yield turnRecord(index + 1, store.turn.get(id)!, all);
  for (const [index, id] of all.runs.ids.entries()) yield runRecord(index + 1, id, all);
  for (const [index, id] of all.toolCalls.entries()) yield toolCallRecord(index + 1, id, all);
  // Prompts say what was attached, with its hash; the bytes stay behind.
  const attached = new Set<string>();
  for (const [index, id] of all.entries.ids.entries()) {
    for (const { name } of attachedTo(store, id)) attached.add(name);
    yield entryRecord(index + 1, id, all);
  }
  for (const turnId of all.turns.ids)
    for (const { id } of store.callIds.all(turnId, all.lastCall)) yield callRecord(id, all, numbering);
  yield { type: "branch", turn: all.turns.orNull(all.tip) };
  for (const name of attached)
    yield { type: "left_out", kind: "attachment", name, reason: "attachments of messages are not exported" };
}

/** Reads the ids of all rows. */
async function numbered(
  store: TransferStore,
  workspaceId: number,
  named: Named,
  { open, last, tip }: Bounds,
): Promise<Conversation> {
  const base = { workspace_id: workspaceId, open: JSON.stringify(open), limit: IDS_PER_PAGE };
  const idsOf = async <Row extends { id: number }>(read: (after: number) => Row[]): Promise<Row[]> => {
    const rows: Row[] = [];
    for (;;) {
      const page = read(rows.at(-1)?.id ?? 0);
      for (const row of page) rows.push(row);
      if (page.length < IDS_PER_PAGE) return rows;
      await turnOfOthers();
    }
  };
  const ranks = async (read: (after: number) => { id: number }[]) =>
    new Ranks((await idsOf(read)).map(({ id }) => id));
  const toolCalls = await idsOf((after) => store.toolCallIds.all({ ...base, after, upto: last.tool_calls }));
  return {
    store,
    ...named,
    turns: await ranks((after) => store.turnIds.all({ ...base, after, upto: last.turns })),
    runs: await ranks((after) => store.runIds.all({ ...base, after, upto: last.runs })),
    entries: await ranks((after) => store.entryIds.all({ ...base, after, upto: last.entries })),
    parts: await partRanks(store, workspaceId, last.parts),
    toolCalls: toolCalls.map(({ id }) => id),
    calls: new Map(toolCalls.map(({ call_id: callId }, index) => [callId, index + 1])),
    lastCall: last.calls,
    tip,
  };
}

async function partRanks(store: TransferStore, workspaceId: number, upto: number): Promise<Ranks> {
  const ids: number[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (let hash = ""; ;) {
    const page = store.partIds.all({ workspace_id: workspaceId, hash, upto, limit: IDS_PER_PAGE });
    for (const { id } of page) ids.push(id);
    if (page.length < IDS_PER_PAGE) return new Ranks(ids.sort((a, b) => a - b));
    hash = page.at(-1)!.hash;
    if (stretch.isOver()) await turnOfOthers();
  }
}

/** The end of the branch without a turn that is still open, which is always the last one. */
function overTip(store: TransferStore, tip: number | null, open: ReadonlySet<number>): number | null {
  return tip !== null && open.has(tip) ? (store.turn.get(tip)?.after_id ?? null) : tip;
}

/** A turn that was resumed since the export began counts as interrupted. */
function over(status: string): RecordOf<"turn">["status"] {
  return status === "done" || status === "failed" || status === "cancelled" ? status : "interrupted";
}

function turnRecord(id: number, row: TurnRow, { turns, models }: Conversation): AnyRecord {
  return {
    type: "turn",
    id,
    number: row.number,
    status: over(row.status),
    text: row.text,
    user: row.user_name,
    error: row.error,
    truncated: row.truncated === 1,
    tainted_at: rfc3339OrNull(row.tainted_at),
    created_at: rfc3339(row.created_at),
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
    after: turns.orNull(row.after_id),
    placed: row.is_placed === 1,
    model: models.orNull(row.model_id),
  };
}

function runRecord(
  id: number,
  runId: number,
  { store, turns, runs, agents, calls }: Conversation,
): AnyRecord {
  const row = store.run.get(runId)!;
  return {
    type: "run",
    id,
    turn: turns.of(row.turn_id)!,
    agent: agents.of(row.agent_id)!,
    parent: runs.orNull(row.parent_run_id),
    call: row.parent_call_id === null ? null : numberOf(calls, row.parent_call_id),
    depth: row.depth,
    status: over(row.status),
    created_at: rfc3339(row.created_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}

function toolCallRecord(id: number, rowId: number, { store, runs }: Conversation): AnyRecord {
  const row = store.toolCall.get(rowId)!;
  return {
    type: "tool_call",
    id,
    run: runs.of(row.run_id)!,
    position: row.position,
    tool: row.tool,
    arguments: row.arguments,
    state: row.state as RecordOf<"tool_call">["state"],
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}

function entryRecord(id: number, entryId: number, { store, runs, calls }: Conversation): AnyRecord {
  const row = store.entry.get(entryId)!;
  const asked = row.calls === null ? [] : (JSON.parse(row.calls) as { id: string }[]);
  return {
    type: "entry",
    id,
    run: runs.of(row.run_id)!,
    kind: row.kind as RecordOf<"entry">["kind"],
    text: row.text,
    reasoning: row.reasoning,
    calls: asked.map((call) => numberOf(calls, call.id)),
    call: row.call_id === null ? null : numberOf(calls, row.call_id),
    tool: row.tool,
    outcome: row.outcome as RecordOf<"entry">["outcome"],
    duration_ms: row.duration_ms,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    partial: row.partial === 1,
    truncated: row.truncated as RecordOf<"entry">["truncated"],
    dropped_calls: row.dropped_calls === null ? [] : (JSON.parse(row.dropped_calls) as string[]),
    tainted: row.tainted === 1,
    forgotten_at: rfc3339OrNull(row.forgotten_at),
    created_at: rfc3339(row.created_at),
  };
}

function callRecord(id: number, { store, runs }: Conversation, numbering: Numbering): AnyRecord {
  const row = store.call.get(id)!;
  const { may_call, context } = JSON.parse(row.settings) as CallSettings;
  return {
    type: "call",
    run: runs.of(row.run_id)!,
    round: row.round,
    model: row.model_name,
    provider: row.provider_name,
    protocol: row.protocol as RecordOf<"call">["protocol"],
    parts: row.parts === "" ? "" : mappedReferences(row.parts, numbering),
    settings: context ? { may_call, context } : { may_call },
    status: over(row.status),
    attempts: row.attempts,
    finish: row.finish,
    error: row.error,
    http_status: row.http_status,
    input_tokens: row.input_tokens,
    cached_input_tokens: row.cached_input_tokens,
    output_tokens: row.output_tokens,
    cost_nano: row.cost_nano,
    started_at: rfc3339(row.started_at),
    first_chunk_ms: row.first_chunk_ms,
    duration_ms: row.duration_ms,
  };
}

/** Calls of a part that were never recorded get numbers after all others. */
function numberOf(calls: Map<string, number>, id: string): number {
  const known = calls.get(id);
  if (known !== undefined) return known;
  calls.set(id, calls.size + 1);
  return calls.size;
}

function attachedTo(store: TransferStore, entryId: number): { name: string }[] {
  const json = store.attachedTo.get(entryId)?.attachments ?? null;
  return json === null ? [] : (JSON.parse(json) as { name: string }[]);
}
