// The turn engine: an agent's run is rounds of "ask the model, do what it calls for" until it answers without calls.
//
// It knows no HTTP and no SQL: models, tools and the recorder are handed in. Every step is recorded before the next begins, and a run
// picks up from what is recorded, so resuming after a crash and starting anew are the same code. What models, tools and workers
// do wrong is data for the caller, never an exception.

import type { Clock } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { nameKey } from "../../kit/names.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Agent } from "../blueprint/schema.ts";
import type { Models } from "../catalog/models.ts";
import { assemble, toRequest, type Part } from "../conversation/assembly.ts";
import { ModelFailure, type CallModel, type ModelAnswer, type ModelListener } from "../llm/model.ts";
import type { Caller } from "../people/caller.ts";
import { parseArguments } from "../tools/arguments.ts";
import { toSpec, type ToolRegistry } from "../tools/registry.ts";
import { failed, ok, type Tool, type ToolResult, type ToolScope } from "../tools/tool.ts";
import type { Usages } from "../usage/usage.ts";
import type { DelegateInput } from "./delegate-tool.ts";
import type { OpenCall, Recorder, Run } from "./recorder.ts";
import { DELEGATION_DEPTH_MAX, ROUNDS_MAX, TOOL_CALLS_AT_ONCE_MAX, TOOL_CALLS_PER_ANSWER_MAX } from "./schema.ts";
import type { ToolCallRow } from "./store.ts";

export interface EngineDeps {
  recorder: Recorder;
  callModel: CallModel;
  registry: ToolRegistry;
  models: Models;
  blueprint: Blueprint;
  usages: Usages;
  clock: Clock;
  log: Log;
  /** Streamed text, for who is looking. */
  say: (run: Run, kind: "text" | "reasoning", text: string) => void;
}

/** Why a turn's signal was aborted: a person stopped it, or the service is stopping. */
export class TurnStopped extends Error {
  readonly how: "cancelled" | "interrupted";

  constructor(how: "cancelled" | "interrupted") {
    super(how);
    this.how = how;
  }
}

export interface TurnContext {
  readonly caller: Caller;
  /** `from>to` of the wires as the turn began: those deleted since still count for this turn. */
  readonly wires: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** What is being said in model calls that are open now, by run. */
  readonly speaking: Map<number, { run: Run; call: OpenCall }>;
}

export type RunOutcome =
  | { readonly status: "done"; readonly text: string }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "cancelled" | "interrupted" };

type Asked = { readonly status: "answered"; readonly answer: ModelAnswer } | Exclude<RunOutcome, { status: "done" }>;

export class Engine {
  readonly #deps: EngineDeps;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  /** Runs an agent to its end, from wherever the record stands. */
  async run(context: TurnContext, run: Run): Promise<RunOutcome> {
    for (let round = 0; ; round++) {
      const open = this.#deps.recorder.pendingCalls(run.row);
      if (open.length > 0) await this.#doCalls(context, run, open);
      if (context.signal.aborted) return this.#stop(context, run);
      const limit = this.#limit(run, round);
      if (limit && round === 0) return this.#fail(run, limit);
      const asked = await this.#ask(context, run, round, limit);
      if (asked.status !== "answered") return asked;
      if (limit || asked.answer.calls.length === 0) return { status: "done", text: asked.answer.text };
    }
  }

  /** What would be sent to this agent now: the same parts as `run` sends. */
  preview(caller: Caller, agent: Agent, thread: Parameters<typeof assemble>[0]["thread"]): Part[] {
    const wires = new Set<string>();
    const scope = this.#scope({ caller, wires }, agent, { turnId: 0, runId: 0, depth: agent.orchestrator ? 0 : 1, above: [] });
    return assemble({ agent, tools: this.#deps.registry.toolsFor(scope).map(toSpec), thread });
  }

  #limit(run: Run, round: number): string | undefined {
    if (round >= ROUNDS_MAX) return `the limit of ${ROUNDS_MAX} model rounds is reached`;
    return this.#deps.usages.exhausted(run.row.workspace_id, run.row.turn_id, run.agentIds);
  }

  async #ask(context: TurnContext, run: Run, round: number, limit: string | undefined): Promise<Asked> {
    const { recorder, callModel, models } = this.#deps;
    const agent = this.#agent(run);
    const mayCall = limit === undefined;
    const parts = assemble({
      agent,
      tools: this.#tools(context, run, agent).map(toSpec),
      thread: recorder.thread(run.row),
      ...(limit === undefined ? {} : { notice: { source: "notice:limit", text: limitNotice(limit) } }),
    });
    const endpoint = attempt(() => models.endpoint(agent.model_id));
    if (endpoint instanceof AppError) return this.#fail(run, endpoint.message);
    const call = await recorder.beginCall(run, round, endpoint, parts, mayCall);
    context.speaking.set(run.row.id, { run, call });
    try {
      const answer = await callModel(endpoint, toRequest(parts, mayCall), this.#listener(run, call), context.signal);
      const kept = mayCall ? answer : withoutCalls(answer, limit!);
      await recorder.finishCall(run, call, kept, kept.calls);
      return { status: "answered", answer: kept };
    } catch (error) {
      return await this.#breakOff(context, run, call, error);
    } finally {
      context.speaking.delete(run.row.id);
    }
  }

  #listener(run: Run, call: OpenCall): ModelListener {
    const { clock, say } = this.#deps;
    return {
      text: (delta) => {
        call.text += delta;
        say(run, "text", delta);
      },
      reasoning: (delta) => {
        call.reasoning += delta;
        say(run, "reasoning", delta);
      },
      attempt: (count) => {
        call.attempts = count;
      },
      firstChunk: () => {
        call.firstChunkAt = clock.elapsed();
      },
    };
  }

  async #breakOff(context: TurnContext, run: Run, call: OpenCall, error: unknown): Promise<Exclude<RunOutcome, { status: "done" }>> {
    const { recorder, log } = this.#deps;
    const how = stopReason(context.signal);
    if (how) {
      await recorder.breakOffCall(run, call, how, null);
      return { status: how };
    }
    const shown = error instanceof ModelFailure || error instanceof AppError ? error.message : "internal error";
    if (shown === "internal error") log.error("model call failed", { turn: run.row.turn_id, call: call.id, error: messageOf(error) });
    await recorder.breakOffCall(run, call, "failed", shown);
    return { status: "failed", error: shown };
  }

  /** After a stop every call of the run has its result; when the service itself stops, they stay open for `resume`. */
  async #stop(context: TurnContext, run: Run): Promise<RunOutcome> {
    const { recorder } = this.#deps;
    const how = stopReason(context.signal)!;
    await recorder.endRun(run.row, how);
    return { status: how };
  }

  async #fail(run: Run, error: string): Promise<{ status: "failed"; error: string }> {
    await this.#deps.recorder.endRun(run.row, "failed");
    return { status: "failed", error };
  }

  /** Tools that work on the database go one after the other, in the order asked; what takes time runs side by side. */
  async #doCalls(context: TurnContext, run: Run, calls: readonly ToolCallRow[]): Promise<void> {
    const running = new Set<Promise<void>>();
    for (const call of calls) {
      const work = this.#doCall(context, run, call);
      if (work.now) {
        await work.done;
        continue;
      }
      const tracked = work.done.finally(() => running.delete(tracked));
      running.add(tracked);
      if (running.size >= TOOL_CALLS_AT_ONCE_MAX) await Promise.race(running);
    }
    await Promise.all(running);
  }

  #doCall(context: TurnContext, run: Run, call: ToolCallRow): { now: boolean; done: Promise<void> } {
    const { recorder } = this.#deps;
    const how = stopReason(context.signal);
    if (how === "interrupted") return { now: true, done: Promise.resolve() };
    if (how === "cancelled") return finishNow(recorder, run, call, CANCELLED);
    if (call.position >= TOOL_CALLS_PER_ANSWER_MAX) {
      return finishNow(recorder, run, call, failed(`Not done: an answer may hold at most ${TOOL_CALLS_PER_ANSWER_MAX} tool calls. Ask again in your next answer.`));
    }
    const scope = this.#scopeOf(context, run, this.#agent(run));
    const tools = this.#deps.registry.toolsFor(scope);
    const tool = tools.find((each) => each.name === call.tool);
    if (call.state === "started" && tool?.kind !== "delegate") return finishNow(recorder, run, call, UNKNOWN);
    if (!tool) return finishNow(recorder, run, call, failed(noSuchTool(call.tool, tools)));
    const input = tool.parse ? tool.parse(call.arguments) : parseArguments(tool.parameters as TObject, call.arguments);
    if (!input.ok) return finishNow(recorder, run, call, failed(input.problem));
    if (tool.kind === "database") return { now: true, done: this.#apply(run, call, () => tool.apply(scope, input.value as never)) };
    if (tool.kind === "external") return { now: false, done: this.#runExternal(context, run, call, tool, scope, input.value) };
    return { now: false, done: this.#delegate(context, run, call, scope, input.value as unknown as DelegateInput) };
  }

  async #apply(run: Run, call: ToolCallRow, apply: () => ToolResult): Promise<void> {
    try {
      await this.#deps.recorder.applyTool(run.row, call, apply);
    } catch (error) {
      await this.#deps.recorder.finishTool(run.row, call, failed(this.#shown(error, call)));
    }
  }

  async #runExternal(context: TurnContext, run: Run, call: ToolCallRow, tool: Extract<Tool, { kind: "external" }>, scope: ToolScope, input: Record<string, unknown>): Promise<void> {
    const { recorder } = this.#deps;
    await recorder.startTool(call);
    let result: ToolResult;
    try {
      result = await tool.run(scope, input as never, this.#ports(context, run, call));
    } catch (error) {
      result = context.signal.aborted ? UNKNOWN : failed(this.#shown(error, call));
    }
    await recorder.finishTool(run.row, call, result);
  }

  /** A worker's failure is its caller's tool result. A worker that was interrupted leaves the call open. */
  async #delegate(context: TurnContext, run: Run, call: ToolCallRow, scope: ToolScope, input: DelegateInput): Promise<void> {
    const { recorder } = this.#deps;
    const child = await this.#childRun(run, call, scope, input);
    const outcome = child.row.status === "done" ? lastAnswer(recorder, child) : await this.run(context, child);
    if (outcome.status === "interrupted") return;
    await recorder.finishTool(run.row, call, delegationResult(input.agent, outcome));
  }

  async #childRun(run: Run, call: ToolCallRow, scope: ToolScope, input: DelegateInput): Promise<Run> {
    const { recorder } = this.#deps;
    const begun = recorder.delegatedRun(call);
    if (begun) {
      if (begun.status !== "done") await recorder.reopenRun(begun);
      return { row: begun, agentIds: [begun.agent_id, ...run.agentIds] };
    }
    const target = scope.targets.find((each) => nameKey(each.name) === nameKey(input.agent))!;
    return recorder.beginDelegation(run, call, target.id, input.task);
  }

  #tools(context: TurnContext, run: Run, agent: Agent): Tool[] {
    return this.#deps.registry.toolsFor(this.#scopeOf(context, run, agent));
  }

  #scopeOf(context: TurnContext, run: Run, agent: Agent): ToolScope {
    const { turn_id: turnId, id: runId, depth } = run.row;
    return this.#scope(context, agent, { turnId, runId, depth, above: run.agentIds });
  }

  #scope(context: Pick<TurnContext, "caller" | "wires">, agent: Agent, at: { turnId: number; runId: number; depth: number; above: readonly number[] }): ToolScope {
    return {
      workspaceId: agent.workspace_id,
      turnId: at.turnId,
      runId: at.runId,
      agentId: agent.id,
      agentName: agent.name,
      orchestrator: agent.orchestrator,
      caller: { ...context.caller, agent: agent.name, turnId: at.turnId },
      targets: at.depth >= DELEGATION_DEPTH_MAX ? [] : this.#targets(context.wires, agent, at.above),
    };
  }

  /** Along wires as the turn began and wires added since; never back up the chain of callers, which would be a circle. */
  #targets(wires: ReadonlySet<string>, agent: Agent, above: readonly number[]): { id: number; name: string }[] {
    const { blueprint } = this.#deps;
    const now = new Set(blueprint.wiresOf(agent.workspace_id).map((wire) => `${wire.from_agent_id}>${wire.to_agent_id}`));
    return blueprint
      .agentsOf(agent.workspace_id)
      .filter((other) => wires.has(`${agent.id}>${other.id}`) || now.has(`${agent.id}>${other.id}`))
      .filter((other) => !above.includes(other.id))
      .map(({ id, name }) => ({ id, name }));
  }

  /** As it is now; an agent removed in the middle of its run goes on as it was. */
  #agent(run: Run): Agent {
    return this.#deps.blueprint.agentWithRemoved(run.row.agent_id);
  }

  #shown(error: unknown, call: ToolCallRow): string {
    if (error instanceof AppError) return `${error.message}. Nothing was done.`;
    this.#deps.log.error("tool failed", { tool: call.tool, turn: call.turn_id, error: messageOf(error) });
    return "The tool failed for an internal reason.";
  }
}

const CANCELLED: ToolResult = { outcome: "cancelled", text: "Cancelled by a person before it was done." };
const UNKNOWN: ToolResult = {
  outcome: "unknown",
  text: "Interrupted: whether this call took effect is not known. It is not repeated by itself; check before you repeat it.",
};

function finishNow(recorder: Recorder, run: Run, call: ToolCallRow, result: ToolResult): { now: true; done: Promise<void> } {
  return { now: true, done: recorder.finishTool(run.row, call, result) };
}

function stopReason(signal: AbortSignal): "cancelled" | "interrupted" | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TurnStopped ? signal.reason.how : "interrupted";
}

function limitNotice(limit: string): string {
  return `Stop here: ${limit}. You can't call tools any more. Answer now with what you have, and say what is left undone.`;
}

/** A model that calls tools where it must not gets its words kept, or one sentence in their place. */
function withoutCalls(answer: ModelAnswer, limit: string): ModelAnswer {
  if (answer.calls.length === 0) return answer;
  const text = answer.text.trim() === "" ? `(Stopped: ${limit}.)` : answer.text;
  return { ...answer, text, calls: [] };
}

function noSuchTool(name: string, tools: readonly Tool[]): string {
  const hint = name === "delegate" ? " You are not wired to any agent that you could delegate to." : "";
  return `There is no tool "${name}".${hint} You have: ${tools.map((tool) => tool.name).join(", ") || "none"}.`;
}

function delegationResult(agent: string, outcome: Exclude<RunOutcome, { status: "interrupted" }>): ToolResult {
  if (outcome.status === "done") return ok(outcome.text);
  if (outcome.status === "failed") return failed(`Agent "${agent}" failed: ${outcome.error}`);
  return CANCELLED;
}

/** A worker that had finished when the service went down: its answer is on record. */
function lastAnswer(recorder: Recorder, child: Run): RunOutcome {
  const answer = recorder.thread(child.row).findLast((entry) => entry.kind === "agent");
  return { status: "done", text: answer?.text ?? "" };
}

function attempt<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
