// Records each step of the engine in one commit, before its effect is visible, and reads back the state that a resumed run needs.
// A cancellation does not stop writes: everything that began gets its end recorded.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { randomCallId } from "../../kit/random.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import type { Part, ThreadEntry } from "../conversation/assembly.ts";
import type { Conversation, NewEntry } from "../conversation/conversation.ts";
import type { SentPrompts } from "../conversation/sent-prompts.ts";
import type { Entry, Outcome, Truncation } from "../conversation/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { DataOf } from "../journal/schema.ts";
import type { TurnEvents } from "./events.ts";
import { amountOf } from "../../kit/text/money.ts";
import { NO_USAGE, toolNameAsSent, type ModelAnswer, type TokenUsage } from "../llm/model.ts";
import type { ToolResult } from "../tools/tool.ts";
import { costOf, type Usages } from "../usage/usage.ts";
import type { RunStatus } from "./schema.ts";
import type { RunRow, ToolCallRow, TurnStore } from "./store.ts";

interface RecorderDeps {
  db: Db;
  turns: TurnStore;
  prompts: SentPrompts;
  conversation: Conversation;
  journal: Journal<TurnEvents>;
  usages: Usages;
  clock: Clock;
}

/** A run with its agent and the agents above it, its own first. They share its cost and must not be delegated to again. */
export interface Run {
  readonly row: RunRow;
  readonly agentIds: readonly number[];
}

export interface OpenCall {
  readonly id: number;
  readonly endpoint: ModelEndpoint;
  readonly startedAt: number;
  /** The prompt contains untrusted text, so the answer is tainted, whatever is forgotten meanwhile. */
  readonly tainted: boolean;
  attempts: number;
  firstChunkAt: number | undefined;
  /** Of the provider's refusal. */
  httpStatus: number | undefined;
  /** The pause before the next attempt of a refused call; ends at a reading of the clock's `elapsed`. */
  retry: { readonly until: number; readonly status: number | null } | undefined;
  text: string;
  reasoning: string;
  /** Reported so far. */
  usage: TokenUsage;
  /** How many characters of each are stored (arrived-texts.ts). */
  kept: { readonly text: number; readonly reasoning: number };
  /** The answer is stored, so the text is no longer partial. */
  over: boolean;
}

interface CallEnd {
  readonly status: RunStatus;
  /** The provider's reason for the end of its answer. */
  readonly finish: string | null;
  readonly error: string | null;
  readonly usage: TokenUsage;
}

interface Interruption extends Pick<CallEnd, "error"> {
  readonly status: Exclude<RunStatus, "running" | "done">;
}

interface CallTerms {
  readonly round: number;
  /** The reason why this is the run's last call, without tools. */
  readonly limit: string | undefined;
  /** The state of the space that its documents were read from. */
  readonly context: CallSettings["context"];
}

/** The stored fields of a call beside its parts. */
export interface CallSettings {
  readonly may_call: boolean;
  readonly context: { readonly space: string; readonly head: string } | undefined;
}

type RunEvent = "status" | "tool.call" | "tool.output" | "tool.result" | "usage";

interface Waiting {
  readonly runWaits: boolean;
  readonly turnWaits: boolean;
}

interface Counts {
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #counts: Counts = { calls: 0, inputTokens: 0, outputTokens: 0 };

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Totals of finished calls since the start, for metrics. */
  get counts(): Readonly<Counts> {
    return this.#counts;
  }

  /** Loads a thread with pauses; call it before `thread` for one that may be long. */
  async loadThread(run: RunRow): Promise<void> {
    await this.#deps.conversation.loaded(run.workspace_id, threadOf(run));
  }

  thread(run: RunRow): readonly ThreadEntry[] {
    return this.#deps.conversation.thread(run.workspace_id, threadOf(run));
  }

  /** The model that the turn's person chose for the orchestrator; undefined: its own. */
  chosenModel({ turn_id: turnId, parent_run_id: parent }: RunRow): number | undefined {
    if (parent !== null) return undefined;
    return this.#deps.turns.chosenModel.get(turnId)?.model_id ?? undefined;
  }

  /** Returns this run's tool calls without a result, in the order requested. */
  pendingCalls(run: RunRow): ToolCallRow[] {
    return this.#deps.turns.toolCallsOf.all(run.id);
  }

  /** Reports whether the run's prompt contains untrusted text, so that it gets no durable tools. */
  isTainted(run: RunRow): boolean {
    return this.#deps.conversation.isTainted(run.workspace_id, threadOf(run));
  }

  /** Number of answered model calls of this run. */
  roundsOf(run: RunRow): number {
    return this.#deps.turns.roundsOf.get(run.turn_id, run.id)!.count;
  }

  delegatedRun(call: ToolCallRow): RunRow | null {
    return this.#deps.turns.runOfCall.get(call.turn_id, call.call_id);
  }

  async beginCall(
    run: Run,
    endpoint: ModelEndpoint,
    parts: readonly Part[],
    { round, limit, context }: CallTerms,
  ): Promise<OpenCall> {
    const { db, turns, prompts, clock } = this.#deps;
    const { row } = run;
    const tainted = parts.some((part) => part.kind === "entry" && part.tainted) || this.isTainted(row);
    const id = await db.write(() => {
      const references = prompts.keep(row.workspace_id, parts);
      const settings = JSON.stringify({ may_call: limit === undefined, context } satisfies CallSettings);
      const inserted = turns.insertCall.get({
        workspace_id: row.workspace_id,
        turn_id: row.turn_id,
        run_id: row.id,
        agent_id: row.agent_id,
        round,
        model_id: endpoint.modelId,
        model_name: endpoint.modelName,
        provider_name: endpoint.providerName,
        protocol: endpoint.protocol,
        parts: references,
        settings,
        started_at: clock.now(),
      })!;
      const status = { state: "thinking" as const, call_id: inserted.id };
      if (tainted) turns.taint.run(clock.now(), row.turn_id);
      this.#announce(row, "status", limit === undefined ? status : { ...status, limit });
      return inserted.id;
    });
    return {
      id,
      endpoint,
      startedAt: clock.elapsed(),
      tainted,
      attempts: 0,
      firstChunkAt: undefined,
      httpStatus: undefined,
      retry: undefined,
      text: "",
      reasoning: "",
      usage: NO_USAGE,
      kept: { text: 0, reasoning: 0 },
      over: false,
    };
  }

  /**
   * Records an answer with its tool calls and usage. An answer without calls ends the run in the same commit. A truncated answer of the
   * orchestrator marks the turn as truncated. Returns the ID of its entry.
   */
  finishCall(run: Run, call: OpenCall, answer: ModelAnswer): Promise<number> {
    const { db, turns } = this.#deps;
    const truncated = truncationOf(answer);
    const { row } = run;
    const asked = answer.calls.map(({ name, arguments: json }) => ({
      id: randomCallId(),
      name: toolNameAsSent(name),
      arguments: json,
    }));
    return db.write(() => {
      this.#closeCall(run, call, { status: "done", finish: answer.finish, error: null, usage: answer.usage });
      const entry = this.#appendEntry(row, {
        kind: "agent",
        text: answer.text,
        reasoning: answer.reasoning,
        calls: asked,
        truncated,
        droppedCalls: answer.dropped.map(toolNameAsSent),
        usage: answer.usage,
        tainted: call.tainted,
      });
      if (truncated && row.parent_run_id === null) turns.truncate.run(row.turn_id);
      for (const [position, one] of asked.entries()) {
        const { id, name, arguments: json } = one;
        turns.insertToolCall.run({
          call_id: id,
          workspace_id: row.workspace_id,
          turn_id: row.turn_id,
          run_id: row.id,
          position,
          tool: name,
          arguments: json,
        });
        this.#announce(row, "tool.call", { call_id: id, tool: name, arguments: json });
      }
      if (asked.length === 0) this.#closeRun(row, "done");
      else this.#announce(row, "status", { state: "working" });
      return entry.id;
    });
  }

  /** Records an interrupted answer and ends the run. Keeps its text, marked as partial, but no incomplete tool call, and the tokens that were reported. */
  interruptCall(run: Run, call: OpenCall, { status, error }: Interruption): Promise<void> {
    return this.#deps.db.write(() => {
      const { text, reasoning, tainted } = call;
      // No request has an input of 0 tokens: that stands for figures that come with the end of the answer.
      const usage = call.usage.input === 0 ? NO_USAGE : call.usage;
      this.#closeCall(run, call, { status, finish: null, error, usage });
      if (text.trim() !== "") {
        this.#appendEntry(run.row, { kind: "agent", text, reasoning, partial: true, tainted, usage });
      }
      this.#closeRun(run.row, status);
    });
  }

  endRun(run: RunRow, status: RunStatus): Promise<void> {
    return this.#deps.db.write(() => this.#closeRun(run, status));
  }

  /** Runs a database tool and records its result in one commit. An error rolls back both and is rethrown. */
  applyTool(run: RunRow, call: ToolCallRow, apply: () => ToolResult): Promise<void> {
    return this.#deps.db.write(() => {
      const started = this.#markStarted(call);
      this.#recordResult(run, started, apply());
    });
  }

  /** Records the start of a tool before it can have an effect. */
  startTool(call: ToolCallRow): Promise<ToolCallRow> {
    return this.#deps.db.write(() => this.#markStarted(call));
  }

  finishTool(run: RunRow, call: ToolCallRow, result: ToolResult): Promise<void> {
    return this.#deps.db.write(() => this.#recordResult(run, call, result));
  }

  /** Records a worker's run and task together with the start of the call. */
  beginDelegation(
    run: Run,
    call: ToolCallRow,
    agentId: number,
    task: string,
  ): Promise<{ call: ToolCallRow; child: Run }> {
    const { db, turns, clock } = this.#deps;
    const { row } = run;
    return db.write(() => {
      const started = this.#markStarted(call);
      const child = turns.insertRun.get({
        workspace_id: row.workspace_id,
        turn_id: row.turn_id,
        agent_id: agentId,
        parent_run_id: row.id,
        parent_call_id: call.call_id,
        depth: row.depth + 1,
        created_at: clock.now(),
      })!;
      this.#appendEntry(child, {
        kind: "task",
        text: task,
        callId: call.call_id,
        tainted: this.isTainted(row),
      });
      return { call: started, child: { row: child, agentIds: [agentId, ...run.agentIds] } };
    });
  }

  /** Reopens the interrupted run of a worker. */
  reopenRun(run: RunRow): Promise<void> {
    const { db, turns } = this.#deps;
    return db.write(() => void turns.setRun.run("running", null, run.id));
  }

  toolOutput(run: RunRow, call: ToolCallRow, stream: "stdout" | "stderr", text: string): Promise<void> {
    const data = { call_id: call.call_id, tool: call.tool, stream, text };
    return this.#deps.db.write(() => this.#announce(run, "tool.output", data));
  }

  /** Records whether the run and its turn, in which other runs may wait, are waiting for a person. Does nothing for an ended turn. */
  setWaiting(run: RunRow, { runWaits, turnWaits }: Waiting): Promise<void> {
    const { db, turns } = this.#deps;
    return db.write(() => {
      if (turns.setWaiting.run(turnWaits ? "waiting" : "running", run.turn_id) === 0) return;
      this.#announce(run, "status", { state: runWaits ? "waiting" : "working" });
    });
  }

  #closeCall(run: Run, call: OpenCall, { status, finish, error, usage }: CallEnd): void {
    const { db, turns, usages, clock } = this.#deps;
    const { row } = run;
    db.afterCommit(() => {
      call.over = true;
      this.#counts.calls += 1;
      this.#counts.inputTokens += usage.input ?? 0;
      this.#counts.outputTokens += usage.output ?? 0;
    });
    const cost = costOf(usage, call.endpoint.prices);
    const firstChunkMs =
      call.firstChunkAt === undefined ? null : Math.round(call.firstChunkAt - call.startedAt);
    const durationMs = Math.round(clock.elapsed() - call.startedAt);
    const { input, cachedInput, output } = usage;
    turns.finishCall.run({
      id: call.id,
      status,
      attempts: call.attempts,
      finish,
      error,
      http_status: call.httpStatus ?? null,
      input_tokens: input,
      cached_input_tokens: cachedInput,
      output_tokens: output,
      cost_nano: cost,
      first_chunk_ms: firstChunkMs,
      duration_ms: durationMs,
    });
    turns.dropArrived.run(call.id);
    // A call that failed without usage was refused, which costs nothing.
    if (status === "done" || input !== null || output !== null)
      usages.spend({
        workspaceId: row.workspace_id,
        turnId: row.turn_id,
        agentIds: run.agentIds,
        usage,
        cost,
      });
    this.#announce(row, "usage", {
      call_id: call.id,
      input_tokens: input,
      cached_input_tokens: cachedInput,
      output_tokens: output,
      cost: cost === null ? null : amountOf(cost),
    });
  }

  #markStarted(call: ToolCallRow): ToolCallRow {
    const now = this.#deps.clock.now();
    this.#deps.turns.startToolCall.run(now, call.call_id);
    return { ...call, state: "started", started_at: now };
  }

  #closeRun(row: RunRow, status: RunStatus): void {
    const { turns, clock } = this.#deps;
    turns.setRun.run(status, clock.now(), row.id);
    this.#announce(row, "status", { state: status });
  }

  #recordResult(run: RunRow, call: ToolCallRow, result: ToolResult): void {
    const { turns, clock } = this.#deps;
    const { outcome, text, tainted = false } = result;
    const { call_id: callId, tool } = call;
    const now = clock.now();
    turns.finishToolCall.run(now, callId);
    const durationMs = durationOf(call, now, outcome);
    this.#appendEntry(run, { kind: "tool", text, callId, tool, outcome, durationMs, tainted });
    if (tainted) turns.taint.run(now, run.turn_id);
    this.#announce(run, "tool.result", { call_id: callId, tool, outcome, text, duration_ms: durationMs });
  }

  #announce<T extends RunEvent>(
    run: RunRow,
    type: T,
    data: Omit<DataOf<TurnEvents, T>, "run_id" | "agent_id">,
  ): void {
    const about = { run_id: run.id, agent_id: run.agent_id, ...data } as DataOf<TurnEvents, T>;
    this.#deps.journal.append(run.workspace_id, run.turn_id, type, about);
  }

  #appendEntry(
    run: RunRow,
    entry: Omit<NewEntry, "workspaceId" | "turnId" | "runId" | "agentId" | "thread">,
  ): Entry {
    const { workspace_id: workspaceId, turn_id: turnId, agent_id: agentId } = run;
    const about = { workspaceId, turnId, runId: run.id, agentId, thread: threadOf(run) };
    return this.#deps.conversation.append({ ...about, ...entry });
  }
}

export function truncationOf(answer: ModelAnswer): Truncation | null {
  if (answer.finish === "length") return "length";
  return answer.finish === "filtered" ? "content_filter" : null;
}

/** Null when the call never started or its outcome is unknown. */
function durationOf(call: ToolCallRow, finishedAt: number, outcome: Outcome): number | null {
  return call.started_at === null || outcome === "unknown" ? null : finishedAt - call.started_at;
}

/** The orchestrator has one thread for all turns; a worker has one per run. */
export function threadOf(run: RunRow): number {
  return run.parent_run_id === null ? 0 : run.id;
}
