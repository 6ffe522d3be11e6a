// Turns records into rows of a workspace that nobody sees yet. Ids were reserved, so the id of a row is a base plus its number in the file.

import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { parseName } from "../../kit/text/names.ts";
import type { Caller } from "../identity/caller.ts";
import { requireTime, timeOrNull } from "./record-checks.ts";
import type { AnyRecord, PartContent, RecordOf } from "./format.ts";
import { mappedPart, mappedReferences, type Numbering } from "./numbering.ts";
import type { Numbered, TransferStore } from "./store.ts";
import type { Survey } from "./survey.ts";

const CALL_DIGITS = 8;

/** Ids before the first of each kind. */
export type Bases = Readonly<Record<Numbered, number>>;

export interface Target {
  readonly store: TransferStore;
  readonly survey: Survey;
  readonly caller: Caller;
  readonly workspaceId: number;
  readonly bases: Bases;
  /** Begins the id of every tool call. */
  readonly callPrefix: string;
  /** Models of this server, by their number in the file; agents of the past get one that is here. */
  readonly model: (number: number) => number;
  /** As `model`, by name; for calls that name no number. */
  readonly modelNamed: (provider: string, name: string) => number;
}

/** The blueprint that turns of the past are shown with: that of the import. */
type KeepBlueprint = () => number;

export class Restoring {
  readonly #target: Target;
  readonly #numbering: Numbering;
  readonly #keepBlueprint: KeepBlueprint;
  #blueprintId: number | undefined;

  constructor(target: Target, keepBlueprint: KeepBlueprint) {
    this.#target = target;
    this.#keepBlueprint = keepBlueprint;
    const { bases } = target;
    this.#numbering = {
      agent: (number) => bases.agents + number,
      entry: (number) => bases.entries + number,
      part: (number) => bases.prompt_parts + number,
      call: (name) => this.#callId(Number(name.slice(1))),
    };
  }

  /** Inserts the row of a record, inside a write. Records without rows of their own are ignored. */
  insert(record: AnyRecord): void {
    switch (record.type) {
      case "agent":
        return this.#insertAgent(record);
      case "wire":
        return this.#insertWire(record);
      case "part":
        return this.#insertPart(record);
      case "turn":
        return this.#insertTurn(record);
      case "run":
        return this.#insertRun(record);
      case "tool_call":
        return this.#insertToolCall(record);
      case "entry":
        return this.#insertEntry(record);
      case "call":
        return this.#insertCall(record);
      default:
    }
  }

  /** Yields an insertion for each turn that is not on the current branch. */
  *asides(): Generator<() => void> {
    const { store, survey, workspaceId, bases } = this.#target;
    const { after, tip } = survey.conversation;
    const path = new Set<number>();
    for (let turn = tip; turn !== null && turn !== undefined; turn = after[turn] ?? null) path.add(turn);
    for (const [turn, follows] of after.entries())
      if (turn > 0 && follows !== undefined && !path.has(turn))
        yield () => void store.putAside.run(bases.turns + turn, workspaceId);
    yield () => void store.setTip.run(workspaceId, tip === null ? null : bases.turns + tip);
  }

  agentId(number: number | null): number | null {
    return number === null ? null : this.#target.bases.agents + number;
  }

  #insertAgent(record: RecordOf<"agent">): void {
    const { store, workspaceId, bases, model } = this.#target;
    const { text, key } = parseName("name", record.name);
    store.insertAgent.run({
      id: bases.agents + record.id,
      workspace_id: workspaceId,
      name: text,
      name_key: key,
      role: record.role,
      model_id: model(record.model),
      orchestrator: record.orchestrator ? 1 : 0,
      x: record.x,
      y: record.y,
      budget: record.budget === null ? null : JSON.stringify(record.budget),
      created_at: requireTime(record.created_at),
      removed_at: timeOrNull(record.removed_at),
    });
  }

  #insertWire({ from, to, created_at: createdAt }: RecordOf<"wire">): void {
    const { store, workspaceId, bases } = this.#target;
    store.insertWire.run({
      workspace_id: workspaceId,
      from_agent_id: bases.agents + from,
      to_agent_id: bases.agents + to,
      created_at: requireTime(createdAt),
    });
  }

  #insertPart(record: RecordOf<"part">): void {
    const { store, workspaceId, bases } = this.#target;
    const content = canonicalJson(mappedPart(JSON.parse(record.content) as PartContent, this.#numbering));
    store.insertPart.run({
      id: bases.prompt_parts + record.id,
      workspace_id: workspaceId,
      hash: sha256Hex(content),
      content,
    });
  }

  #insertTurn(record: RecordOf<"turn">): void {
    const { store, caller, workspaceId, bases, model } = this.#target;
    store.insertTurn.run({
      id: bases.turns + record.id,
      workspace_id: workspaceId,
      number: record.number,
      status: record.status,
      text: record.text,
      user_id: caller.userId,
      user_name: record.user,
      auth: caller.auth,
      blueprint_id: (this.#blueprintId ??= this.#keepBlueprint()),
      error: record.error,
      created_at: requireTime(record.created_at),
      started_at: timeOrNull(record.started_at),
      finished_at: timeOrNull(record.finished_at),
      tainted_at: timeOrNull(record.tainted_at),
      truncated: record.truncated ? 1 : 0,
      after_id: record.after === null ? null : bases.turns + record.after,
      is_placed: record.placed ? 1 : 0,
      model_id: record.model === null ? null : model(record.model),
    });
  }

  #insertRun(record: RecordOf<"run">): void {
    const { store, workspaceId, bases } = this.#target;
    store.insertRun.run({
      id: bases.runs + record.id,
      workspace_id: workspaceId,
      turn_id: bases.turns + record.turn,
      agent_id: bases.agents + record.agent,
      parent_run_id: record.parent === null ? null : bases.runs + record.parent,
      parent_call_id: record.call === null ? null : this.#callId(record.call),
      depth: record.depth,
      status: record.status,
      created_at: requireTime(record.created_at),
      finished_at: timeOrNull(record.finished_at),
    });
  }

  #insertToolCall(record: RecordOf<"tool_call">): void {
    const { store } = this.#target;
    const { workspace_id, turn_id, run_id } = this.#ofRun(record.run);
    store.insertToolCall.run({
      call_id: this.#callId(record.id),
      workspace_id,
      turn_id,
      run_id,
      position: record.position,
      tool: record.tool,
      arguments: record.arguments,
      state: record.state,
      started_at: timeOrNull(record.started_at),
      finished_at: timeOrNull(record.finished_at),
    });
  }

  #insertEntry(record: RecordOf<"entry">): void {
    const { store, survey, bases } = this.#target;
    const isOfWorker = survey.conversation.runParent[record.run] !== null;
    const calls = record.calls.map((number) => {
      const id = this.#callId(number);
      const { tool: name, arguments: json } = store.toolCallNamed.get(id)!;
      return { id, name, arguments: json };
    });
    store.insertEntry.run({
      ...this.#ofRun(record.run),
      id: bases.entries + record.id,
      thread: isOfWorker ? bases.runs + record.run : 0,
      kind: record.kind,
      text: record.text,
      reasoning: record.reasoning,
      calls: calls.length === 0 ? null : JSON.stringify(calls),
      call_id: record.call === null ? null : this.#callId(record.call),
      tool: record.tool,
      outcome: record.outcome,
      duration_ms: record.duration_ms,
      input_tokens: record.input_tokens,
      output_tokens: record.output_tokens,
      partial: record.partial ? 1 : 0,
      truncated: record.truncated,
      dropped_calls: record.dropped_calls.length === 0 ? null : JSON.stringify(record.dropped_calls),
      tainted: record.tainted ? 1 : 0,
      forgotten_at: timeOrNull(record.forgotten_at),
      created_at: requireTime(record.created_at),
    });
  }

  #insertCall(record: RecordOf<"call">): void {
    const { store, modelNamed } = this.#target;
    const { type: _, run, model, provider, parts, settings, started_at: startedAt, ...rest } = record;
    store.insertCall.run({
      ...rest,
      ...this.#ofRun(run),
      model_id: modelNamed(provider, model),
      model_name: model,
      provider_name: provider,
      parts: parts === "" ? "" : mappedReferences(parts, this.#numbering),
      settings: JSON.stringify(settings),
      started_at: requireTime(startedAt),
    });
  }

  #ofRun(run: number): { workspace_id: number; turn_id: number; run_id: number; agent_id: number } {
    const { survey, workspaceId, bases } = this.#target;
    return {
      workspace_id: workspaceId,
      turn_id: bases.turns + survey.conversation.runTurn[run]!,
      run_id: bases.runs + run,
      agent_id: bases.agents + survey.conversation.runAgent[run]!,
    };
  }

  #callId(number: number): string {
    return `${this.#target.callPrefix}${number.toString(16).padStart(CALL_DIGITS, "0")}`;
  }
}

/** A file that passed the survey and still breaks a rule of the database is refused like any other. */
export function asRefusal(error: unknown): unknown {
  if (!systemCode(error)?.startsWith("SQLITE_CONSTRAINT")) return error;
  return new AppError("invalid", "the file contradicts itself: two of its records cannot both be stored");
}
