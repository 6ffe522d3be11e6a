// Executes the tool calls of one answer: database tools in the order requested, long-running tools in parallel. A failure of a call becomes its
// result; only a failure to record is raised, after all running calls have ended.

import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Truncation } from "../conversation/schema.ts";
import type { Parsed } from "../tools/arguments.ts";
import {
  failed,
  ok,
  type DatabaseCall,
  type DelegateOrder,
  type ExternalCall,
  type ExternalTool,
  type Tool,
  type ToolResult,
  type ToolScope,
} from "../tools/tool.ts";
import { stopReason, type RunOutcome, type TurnContext } from "./turn-context.ts";
import { openPorts } from "./ports.ts";
import type { Recorder, Run } from "./recorder.ts";
import { TOOL_CALLS_AT_ONCE_MAX, TOOL_CALLS_PER_ANSWER_MAX } from "./schema.ts";
import type { Scopes } from "./scopes.ts";
import type { RunRow, ToolCallRow } from "./store.ts";

interface ToolCallsDeps {
  recorder: Recorder;
  scopes: Scopes;
  log: Log;
  /** Runs a worker to its end. */
  runAgent: (context: TurnContext, run: Run) => Promise<RunOutcome>;
}

interface Work {
  /** If true, no other call of this answer begins before it is done. */
  readonly now: boolean;
  readonly done: Promise<void>;
}

interface PendingCall {
  readonly context: TurnContext;
  readonly run: Run;
  readonly call: ToolCallRow;
  readonly scope: ToolScope;
}

export class ToolCalls {
  readonly #deps: ToolCallsDeps;

  constructor(deps: ToolCallsDeps) {
    this.#deps = deps;
  }

  async run(context: TurnContext, run: Run, calls: readonly ToolCallRow[]): Promise<void> {
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    for (const call of calls) {
      if (failures.length > 0) break;
      const work = this.#begin(context, run, call);
      const tracked: Promise<void> = work.done
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(tracked));
      running.add(tracked);
      if (work.now) await tracked;
      else if (running.size >= TOOL_CALLS_AT_ONCE_MAX) await Promise.race(running);
    }
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
  }

  #begin(context: TurnContext, run: Run, call: ToolCallRow): Work {
    try {
      return this.#work(context, run, call);
    } catch (error) {
      return { now: true, done: Promise.reject(error) };
    }
  }

  #work(context: TurnContext, run: Run, call: ToolCallRow): Work {
    const { scopes } = this.#deps;
    context.check();
    const how = stopReason(context.signal);
    if (how === "interrupted") return { now: true, done: Promise.resolve() };
    if (how === "cancelled") return this.#answer(run, call, CANCELLED);
    if (call.state === "started" && this.#deps.recorder.delegatedRun(call))
      return this.#pickUp(context, run, call);
    if (call.position >= TOOL_CALLS_PER_ANSWER_MAX) return this.#answer(run, call, TOO_MANY);
    const scope = scopes.of(context, run, scopes.agentOf(run));
    const tools = scopes.tools(scope);
    const tool = tools.find((each) => each.name === call.tool);
    const again = call.state === "started";
    if (again && !(tool?.kind === "external" && tool.resumes)) return this.#answer(run, call, UNKNOWN);
    if (!tool) return this.#answer(run, call, failed(noSuchTool(call.tool, tools, scope)));
    const json = call.arguments;
    const pending = { context, run, call, scope };
    const prepared = <Call>(parsed: Parsed<Call>, begin: (ready: Call) => Work): Work =>
      parsed.ok ? begin(parsed.value) : this.#answer(run, call, failed(parsed.problem));
    switch (tool.kind) {
      case "database":
        return prepared(tool.prepare(json), (ready) => ({
          now: true,
          done: this.#apply(pending, ready),
        }));
      case "external":
        return prepared(tool.prepare(json), (ready) => ({
          now: false,
          done: this.#runExternal(pending, tool, ready),
        }));
      case "delegate":
        return prepared(tool.prepare(json), (order) => ({
          now: false,
          done: this.#delegate(pending, order),
        }));
    }
  }

  /** Continues a delegation that a stop of the service interrupted. Other effects are not repeated. */
  #pickUp(context: TurnContext, run: Run, call: ToolCallRow): Work {
    const child = this.#deps.recorder.delegatedRun(call)!;
    return { now: false, done: this.#reopen(context, run, call, child) };
  }

  #answer(run: Run, call: ToolCallRow, result: ToolResult): Work {
    return { now: true, done: this.#deps.recorder.finishTool(run.row, call, result) };
  }

  async #apply({ context, run, call, scope }: PendingCall, ready: DatabaseCall): Promise<void> {
    const { recorder } = this.#deps;
    try {
      await ready.check(scope);
      await recorder.applyTool(run.row, call, () => {
        context.require();
        return ready.apply(scope);
      });
    } catch (error) {
      await recorder.finishTool(run.row, call, failed(this.#shown(error, call)));
    }
  }

  async #runExternal(pending: PendingCall, tool: ExternalTool, ready: ExternalCall): Promise<void> {
    const { context, run, call, scope } = pending;
    const { recorder } = this.#deps;
    const again = call.state === "started";
    const started = again ? call : await recorder.startTool(call);
    context.check();
    const how = stopReason(context.signal);
    if (how && !again)
      return recorder.finishTool(run.row, started, how === "cancelled" ? CANCELLED : NOT_BEGUN);
    const { ports, close } = openPorts(recorder, context, run, started);
    const work = again ? ready.resume : ready.run;
    const result = await this.#outcome(context, call, tool, () => work(scope, ports));
    await close();
    if (result) await recorder.finishTool(run.row, started, result);
  }

  /** Undefined when the service is stopping and the tool will continue after the next start. */
  async #outcome(
    context: TurnContext,
    call: ToolCallRow,
    tool: ExternalTool,
    work: () => Promise<ToolResult>,
  ): Promise<ToolResult | undefined> {
    try {
      return await work();
    } catch (error) {
      const how = stopReason(context.signal);
      if (how === "interrupted" && tool.resumes) return undefined;
      return how ? UNKNOWN : failed(this.#shown(error, call));
    }
  }

  async #delegate({ context, run, call, scope }: PendingCall, order: DelegateOrder): Promise<void> {
    const { recorder } = this.#deps;
    const target = scope.targets.find((each) => each.name === order.agent)!;
    const { call: started, child } = await recorder.beginDelegation(run, call, target.id, order.task);
    await this.#finishDelegation(run, started, child, await this.#deps.runAgent(context, child));
  }

  async #reopen(context: TurnContext, run: Run, call: ToolCallRow, row: RunRow): Promise<void> {
    const { recorder, runAgent } = this.#deps;
    const child: Run = { row, agentIds: [row.agent_id, ...run.agentIds] };
    if (row.status !== "done") await recorder.reopenRun(row);
    const outcome = row.status === "done" ? lastAnswer(recorder, child) : await runAgent(context, child);
    await this.#finishDelegation(run, call, child, outcome);
  }

  /** A worker's failure becomes the tool result of its caller. An interrupted worker leaves the call open. */
  async #finishDelegation(run: Run, call: ToolCallRow, child: Run, outcome: RunOutcome): Promise<void> {
    const { recorder, scopes } = this.#deps;
    if (outcome.status === "interrupted") return;
    await recorder.finishTool(run.row, call, {
      ...delegationResult(scopes.agentOf(child).name, outcome),
      tainted: recorder.isTainted(child.row),
    });
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
  text: "Interrupted: it is not known whether this call took effect. It is not repeated automatically; check before you repeat it.",
};
const NOT_BEGUN: ToolResult = {
  outcome: "interrupted",
  text: "Interrupted before it began: nothing was done.",
};
const TOO_MANY = failed(
  `Not done: an answer may contain at most ${TOOL_CALLS_PER_ANSWER_MAX} tool calls. Call again in your next answer.`,
);

function noSuchTool(name: string, tools: readonly Tool[], { tainted }: Pick<ToolScope, "tainted">): string {
  const wires = name === "delegate" ? " You have no wire to an agent that you could delegate to." : "";
  const taint = tainted
    ? " You have read text from the web or an untrusted file, so you have no tools that write durably."
    : "";
  const hint = `${wires}${taint}`;
  return `There is no tool "${name}".${hint} You have: ${tools.map((tool) => tool.name).join(", ") || "none"}.`;
}

function delegationResult(
  agent: string,
  outcome: Exclude<RunOutcome, { status: "interrupted" }>,
): ToolResult {
  if (outcome.status === "done") return ok(outcome.text + truncationNote(outcome.truncated));
  if (outcome.status === "failed") return failed(`Agent "${agent}" failed: ${outcome.error}`);
  return CANCELLED;
}

function truncationNote(truncated: Truncation | null): string {
  if (truncated === null) return "";
  const why = truncated === "length" ? "its model's length limit" : "the provider's content filter";
  return `\n[This answer is incomplete: it was truncated by ${why}.]`;
}

/** Returns the recorded answer of a worker that had finished before the service stopped. */
function lastAnswer(recorder: Recorder, child: Run): RunOutcome {
  const answer = recorder.thread(child.row).findLast((entry) => entry.kind === "agent");
  return { status: "done", text: answer?.text ?? "", truncated: answer?.truncated ?? null };
}
