// Writes down what the engine does, each step in one commit, before its effect is visible. Reads back what a resumed run needs.
// Writes are not stopped by a cancel: whatever was begun gets its end on record.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { randomCallId } from "../../kit/random.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import type { Part, ThreadEntry } from "../conversation/assembly.ts";
import type { Conversation, NewEntry } from "../conversation/conversation.ts";
import { keepParts } from "../conversation/records.ts";
import type { ConversationStore } from "../conversation/store.ts";
import type { Journal } from "../journal/journal.ts";
import type { ModelAnswer, TokenUsage } from "../llm/model.ts";
import type { ToolResult } from "../tools/tool.ts";
import { costOf, type Usages } from "../usage/usage.ts";
import type { RunStatus } from "./schema.ts";
import type { RunRow, ToolCallRow, TurnStore } from "./store.ts";

export interface RecorderDeps {
  db: Db;
  turns: TurnStore;
  parts: ConversationStore;
  conversation: Conversation;
  journal: Journal;
  usages: Usages;
  clock: Clock;
}

/** A run with the agents above it, its own first: who pays, and who must not be called again. */
export interface Run {
  readonly row: RunRow;
  readonly agentIds: readonly number[];
}

export interface OpenCall {
  readonly id: number;
  readonly endpoint: ModelEndpoint;
  readonly startedAt: number;
  attempts: number;
  firstChunkAt: number | undefined;
  text: string;
  reasoning: string;
}

export class Recorder {
  readonly #deps: RecorderDeps;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  thread(run: RunRow): readonly ThreadEntry[] {
    return this.#deps.conversation.thread(run.workspace_id, threadOf(run));
  }

  /** Tool calls of this run that have no result yet, in the order asked. */
  pendingCalls(run: RunRow): ToolCallRow[] {
    return this.#deps.turns.toolCallsOf.all(run.id);
  }

  delegatedRun(call: ToolCallRow): RunRow | null {
    return this.#deps.turns.runOfCall.get(call.turn_id, call.call_id);
  }

  async beginCall(run: Run, round: number, endpoint: ModelEndpoint, parts: readonly Part[], mayCall: boolean): Promise<OpenCall> {
    const { db, turns, parts: partStore, journal, clock } = this.#deps;
    const { row } = run;
    const id = await db.write(() => {
      const references = keepParts(partStore, row.workspace_id, parts);
      const settings = JSON.stringify({ may_call: mayCall });
      const inserted = turns.insertCall.get(
        row.workspace_id,
        row.turn_id,
        row.id,
        row.agent_id,
        round,
        endpoint.modelId,
        endpoint.modelName,
        endpoint.providerName,
        endpoint.protocol,
        references,
        settings,
        clock.now(),
      )!;
      journal.append(row.workspace_id, row.turn_id, "status", { run_id: row.id, agent_id: row.agent_id, state: "thinking", call_id: inserted.id });
      return inserted.id;
    });
    return { id, endpoint, startedAt: clock.elapsed(), attempts: 0, firstChunkAt: undefined, text: "", reasoning: "" };
  }

  /** The answer, its tool calls as asked, its use. An answer without calls ends the run in the same commit. */
  finishCall(run: Run, call: OpenCall, answer: ModelAnswer, calls: ModelAnswer["calls"]): Promise<void> {
    const { db, turns, conversation, journal } = this.#deps;
    const { row } = run;
    const asked = calls.map(({ name, arguments: json }) => ({ id: randomCallId(), name, arguments: json }));
    return db.write(() => {
      this.#closeCall(run, call, "done", answer.finish, null, answer.usage);
      conversation.append({ ...this.#entryBase(row), kind: "agent", text: answer.text, reasoning: answer.reasoning, calls: asked });
      for (const [position, one] of asked.entries()) {
        turns.insertToolCall.run(one.id, row.workspace_id, row.turn_id, row.id, position, one.name, one.arguments);
        journal.append(row.workspace_id, row.turn_id, "tool.call", {
          run_id: row.id,
          agent_id: row.agent_id,
          call_id: one.id,
          tool: one.name,
          arguments: one.arguments,
        });
      }
      if (asked.length === 0) this.#closeRun(row, "done");
      else journal.append(row.workspace_id, row.turn_id, "status", { run_id: row.id, agent_id: row.agent_id, state: "working" });
    });
  }

  /** An answer that was broken off: what was said so far stays, marked; half a tool call does not. Ends the run. */
  breakOffCall(run: Run, call: OpenCall, status: Exclude<RunStatus, "running" | "done">, error: string | null): Promise<void> {
    const { db, conversation } = this.#deps;
    return db.write(() => {
      this.#closeCall(run, call, status, null, error, { input: null, cachedInput: null, output: null });
      if (call.text.trim() !== "") {
        conversation.append({ ...this.#entryBase(run.row), kind: "agent", text: call.text, reasoning: call.reasoning, partial: true });
      }
      this.#closeRun(run.row, status);
    });
  }

  endRun(run: RunRow, status: RunStatus): Promise<void> {
    return this.#deps.db.write(() => this.#closeRun(run, status));
  }

  /** Runs a tool that works on the database, and records its result, in one commit. A throw in it undoes both and is passed on. */
  applyTool(run: RunRow, call: ToolCallRow, apply: () => ToolResult): Promise<void> {
    return this.#deps.db.write(() => this.#recordResult(run, call, apply()));
  }

  startTool(call: ToolCallRow): Promise<void> {
    const { db, turns, clock } = this.#deps;
    return db.write(() => void turns.startToolCall.run(clock.now(), call.call_id));
  }

  finishTool(run: RunRow, call: ToolCallRow, result: ToolResult): Promise<void> {
    return this.#deps.db.write(() => this.#recordResult(run, call, result));
  }

  /** The worker's run and its task, in one commit with the call's start. */
  beginDelegation(run: Run, call: ToolCallRow, agentId: number, task: string): Promise<Run> {
    const { db, turns, conversation, clock } = this.#deps;
    const { row } = run;
    return db.write(() => {
      turns.startToolCall.run(clock.now(), call.call_id);
      const child = turns.insertRun.get(row.workspace_id, row.turn_id, agentId, row.id, call.call_id, row.depth + 1, clock.now())!;
      conversation.append({ ...this.#entryBase(child), kind: "task", text: task });
      return { row: child, agentIds: [agentId, ...run.agentIds] };
    });
  }

  /** A worker's run that was broken off goes on. */
  reopenRun(run: RunRow): Promise<void> {
    const { db, turns } = this.#deps;
    return db.write(() => void turns.setRun.run("running", null, run.id));
  }

  #closeCall(run: Run, call: OpenCall, status: RunStatus, finish: string | null, error: string | null, usage: TokenUsage): void {
    const { turns, journal, usages, clock } = this.#deps;
    const { row } = run;
    const cost = costOf(usage, call.endpoint.prices);
    const firstChunkMs = call.firstChunkAt === undefined ? null : Math.round(call.firstChunkAt - call.startedAt);
    const durationMs = Math.round(clock.elapsed() - call.startedAt);
    const { input, cachedInput, output } = usage;
    turns.finishCall.run(status, call.attempts, finish, error, input, cachedInput, output, cost, firstChunkMs, durationMs, call.id);
    usages.spend(row.workspace_id, row.turn_id, run.agentIds, usage, cost);
    journal.append(row.workspace_id, row.turn_id, "usage", {
      call_id: call.id,
      run_id: row.id,
      agent_id: row.agent_id,
      input_tokens: input,
      cached_input_tokens: cachedInput,
      output_tokens: output,
      cost,
    });
  }

  #closeRun(row: RunRow, status: RunStatus): void {
    const { turns, journal, clock } = this.#deps;
    turns.setRun.run(status, clock.now(), row.id);
    journal.append(row.workspace_id, row.turn_id, "status", { run_id: row.id, agent_id: row.agent_id, state: status });
  }

  #recordResult(run: RunRow, call: ToolCallRow, result: ToolResult): void {
    const { turns, conversation, journal, clock } = this.#deps;
    const now = clock.now();
    turns.finishToolCall.run(now, now, call.call_id);
    conversation.append({ ...this.#entryBase(run), kind: "tool", text: result.text, callId: call.call_id, tool: call.tool, outcome: result.outcome });
    journal.append(run.workspace_id, run.turn_id, "tool.result", {
      run_id: run.id,
      agent_id: run.agent_id,
      call_id: call.call_id,
      tool: call.tool,
      outcome: result.outcome,
      text: result.text,
      duration_ms: now - (call.started_at ?? now),
    });
  }

  #entryBase(run: RunRow): Pick<NewEntry, "workspaceId" | "turnId" | "runId" | "agentId" | "thread"> {
    return { workspaceId: run.workspace_id, turnId: run.turn_id, runId: run.id, agentId: run.agent_id, thread: threadOf(run) };
  }
}

/** The orchestrator's entries are one conversation from turn to turn; a worker's belong to its run alone. */
export function threadOf(run: RunRow): number {
  return run.parent_run_id === null ? 0 : run.id;
}
