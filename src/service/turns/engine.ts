// The turn engine. An agent's run alternates model calls and tool calls until the model answers without tool calls.
//
// It uses no HTTP and no SQL: models, tools and the recorder are injected. Every step is recorded before the next begins, and a run continues from
// the record, so that starting a run and resuming one after a crash are the same code. Failures of models, tools and workers are data for the
// caller, never exceptions.

import type { Db } from "../../kit/storage/db.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { AttachmentReader } from "../attachments/attachment-contents.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Agent } from "../blueprint/schema.ts";
import type { ModelEndpoint, Models, Reader } from "../catalog/models.ts";
import { assemble, toRequest, type AssemblyInput, type Part } from "../conversation/assembly.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import {
  ModelFailure,
  type CallModel,
  type ModelAnswer,
  type ModelListener,
  type ModelRequest,
} from "../llm/model.ts";
import type { PlacedThought } from "../llm/thoughts.ts";
import { adviceOn, refusedInput } from "../llm/refused-input.ts";
import type { Caller } from "../identity/caller.ts";
import { toSpec, type ToolRegistry } from "../tools/registry.ts";
import type { Usages } from "../usage/usage.ts";
import type { ListenTo } from "./arriving-text.ts";
import { stopReason, type Documents, type RunOutcome, type TurnContext } from "./turn-context.ts";
import { truncationOf, type OpenCall, type Recorder, type Run } from "./recorder.ts";
import { ROUNDS_MAX } from "./schema.ts";
import { Scopes } from "./scopes.ts";
import { ToolCalls } from "./tool-calls.ts";

const MODEL_DELETED = "its model was deleted; send the message again with another one";

export type ContextFor = (agent: Agent) => Promise<Documents>;

interface EngineDeps {
  db: Db;
  attachmentReader: AttachmentReader;
  recorder: Recorder;
  callModel: CallModel;
  registry: ToolRegistry;
  models: Models;
  blueprint: Blueprint;
  usages: Usages;
  log: Log;
  /** Returns the library's instructions bound to an agent or its workspace. */
  instructionsFor: (workspaceId: number, agentId: number) => { source: string; text: string }[];
  /** Reads the documents in front of an agent. Never raises for a document or a missing space. */
  contextFor: ContextFor;
  /** Returns the listener of a model call's streamed answer. */
  listenTo: ListenTo;
}

type Broken = Exclude<RunOutcome, { status: "done" }>;
type Asked = { readonly status: "answered"; readonly answer: ModelAnswer } | Broken;

interface Sending {
  readonly endpoint: ModelEndpoint;
  readonly request: ModelRequest;
  readonly listener: ModelListener;
}

/** The parts of a prompt besides the thread. */
interface Composed {
  readonly agent: Agent;
  readonly documents: Documents;
  readonly reader: Reader;
  /** The reason for a last answer without tools. */
  readonly limit: string | undefined;
}

export class Engine {
  readonly #deps: EngineDeps;
  readonly #scopes: Scopes;
  readonly #toolCalls: ToolCalls;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#scopes = new Scopes(deps.blueprint, deps.registry, deps.recorder);
    const runAgent = (context: TurnContext, run: Run) => this.run(context, run);
    this.#toolCalls = new ToolCalls({
      recorder: deps.recorder,
      scopes: this.#scopes,
      log: deps.log,
      runAgent,
    });
  }

  /** Runs an agent to its end, continuing from the record. */
  async run(context: TurnContext, run: Run): Promise<RunOutcome> {
    const { recorder } = this.#deps;
    for (let round = recorder.roundsOf(run.row); ; round++) {
      const open = recorder.pendingCalls(run.row);
      if (open.length > 0) await this.#toolCalls.run(context, run, open);
      context.check();
      if (context.signal.aborted) return this.#stop(context, run);
      const limit = this.#limit(run, round);
      if (limit && round === 0) return this.#fail(run, limit);
      const asked = await this.#ask(context, run, round, limit);
      if (asked.status !== "answered") return asked;
      const { answer } = asked;
      if (answer.calls.length === 0)
        return { status: "done", text: answer.text, truncated: truncationOf(answer) };
    }
  }

  /** Returns the parts that `run` would send for this agent now. */
  async preview(caller: Caller, agent: Agent, thread: AssemblyInput["thread"]): Promise<Part[]> {
    // First, because it also finds out whether there is memory, and so which tools the agent has.
    const { parts: context } = await this.#deps.contextFor(agent);
    const tainted = thread.some((entry) => entry.tainted && !entry.forgotten);
    const scope = this.#scopes.preview(caller, agent, { tainted });
    return assemble({
      agent,
      instructions: this.#instructions(agent),
      context,
      tools: this.#scopes.tools(scope).map(toSpec),
      thread,
      reader: this.#deps.models.readerOf(agent.model_id),
      draft: true,
    });
  }

  #instructions(agent: Agent): { source: string; text: string }[] {
    return this.#deps.instructionsFor(agent.workspace_id, agent.id);
  }

  #limit(run: Run, round: number): string | undefined {
    if (round >= ROUNDS_MAX) return `the limit of ${ROUNDS_MAX} model rounds is reached`;
    return this.#deps.usages.exhausted(run.row.workspace_id, run.row.turn_id, run.agentIds);
  }

  async #ask(context: TurnContext, run: Run, round: number, limit: string | undefined): Promise<Asked> {
    const { recorder, listenTo, models } = this.#deps;
    const agent = this.#scopes.agentOf(run);
    const endpoint = attempt(() => models.endpoint(recorder.chosenModel(run.row) ?? agent.model_id));
    if (endpoint instanceof AppError)
      return this.#fail(run, endpoint.code === "not_found" ? MODEL_DELETED : endpoint.message);
    const mayCall = limit === undefined;
    await recorder.loadThread(run.row);
    const documents = await this.#documents(context, agent);
    const reader = { id: endpoint.modelId, ...endpoint };
    const parts = this.#parts(context, run, { agent, documents, reader, limit });
    const call = await recorder.beginCall(run, endpoint, parts, { round, limit, context: documents.read });
    context.speaking.set(run.row.id, { run, call });
    try {
      const request = toRequest(parts, { mayCall });
      const answer = await this.#call(context, run, { endpoint, request, listener: listenTo(run, call) });
      const kept = mayCall ? answer : withoutCalls(answer, limit!);
      keepThoughts(context, endpoint.modelId, await recorder.finishCall(run, call, kept), kept);
      return { status: "answered", answer: kept };
    } catch (error) {
      return await this.#interrupt(context, run, call, error);
    } finally {
      context.speaking.delete(run.row.id);
    }
  }

  /** Holds the attachments in memory while they are sent. */
  async #call(
    { signal }: TurnContext,
    run: Run,
    { endpoint, request, listener }: Sending,
  ): Promise<ModelAnswer> {
    const sent = request.messages.flatMap((message) =>
      message.role === "user" ? (message.attachments ?? []) : [],
    );
    if (sent.length === 0) return this.#deps.callModel(endpoint, request, listener, signal);
    const { contents, release } = await this.#deps.attachmentReader.hold(run.row.workspace_id, sent, signal);
    try {
      return await this.#deps.callModel(endpoint, { ...request, contents }, listener, signal);
    } catch (error) {
      throw await this.#refusedInput(endpoint, sent, error);
    } finally {
      release();
    }
  }

  /** A provider that refuses images or PDFs no longer gets them, and the person is told what to do. */
  async #refusedInput(
    endpoint: ModelEndpoint,
    sent: readonly SentAttachment[],
    error: unknown,
  ): Promise<unknown> {
    const input = error instanceof ModelFailure ? refusedInput(error, sent) : undefined;
    if (!(error instanceof ModelFailure) || input === undefined) return error;
    await this.#deps.db.write(() => this.#deps.models.noteRefused(endpoint.modelId, input));
    return new ModelFailure(`${error.message}; ${adviceOn(input, endpoint.label)}`, error.status);
  }

  /** Reads an agent's documents once in a turn, so that its rounds see the same versions. */
  #documents(context: TurnContext, agent: Agent): Promise<Documents> {
    const known = context.documents.get(agent.id);
    if (known) return known;
    const read = this.#deps.contextFor(agent);
    context.documents.set(agent.id, read);
    return read;
  }

  #parts(context: TurnContext, run: Run, { agent, documents, reader, limit }: Composed): Part[] {
    return assemble({
      agent,
      instructions: this.#instructions(agent),
      context: documents.parts,
      tools: this.#scopes.tools(this.#scopes.of(context, run, agent)).map(toSpec),
      thread: this.#deps.recorder.thread(run.row),
      reader,
      thoughts: thoughtsOf(context, reader.id),
      ...(limit === undefined ? {} : { notice: { source: "notice:limit", text: limitNotice(limit) } }),
    });
  }

  async #interrupt(context: TurnContext, run: Run, call: OpenCall, error: unknown): Promise<Broken> {
    const { recorder, log } = this.#deps;
    const how = stopReason(context.signal);
    if (how) {
      await recorder.interruptCall(run, call, { status: how, error: null });
      return { status: how };
    }
    const known = error instanceof ModelFailure || error instanceof AppError;
    if (!known)
      log.error("model call failed", { turn: run.row.turn_id, call: call.id, error: messageOf(error) });
    const shown = known ? error.message : "internal error";
    if (error instanceof ModelFailure) call.httpStatus = error.status;
    await recorder.interruptCall(run, call, { status: "failed", error: shown });
    return { status: "failed", error: shown };
  }

  /** After a cancellation, every call of the run has a result. When the service stops, open calls stay open for `resume`. */
  async #stop(context: TurnContext, run: Run): Promise<RunOutcome> {
    const how = stopReason(context.signal)!;
    await this.#deps.recorder.endRun(run.row, how);
    return { status: how };
  }

  async #fail(run: Run, error: string): Promise<{ status: "failed"; error: string }> {
    await this.#deps.recorder.endRun(run.row, "failed");
    return { status: "failed", error };
  }
}

function keepThoughts(
  { thoughts }: TurnContext,
  modelId: number,
  entryId: number,
  { calls, dropped, thoughts: placed }: ModelAnswer,
): void {
  if (calls.length > 0 && dropped.length === 0 && placed.length > 0)
    thoughts.set(entryId, { modelId, placed });
}

/** Those that this model can read, by entry. */
function thoughtsOf({ thoughts }: TurnContext, modelId: number): Map<number, readonly PlacedThought[]> {
  const own = thoughts.entries().filter(([, { modelId: by }]) => by === modelId);
  return new Map(own.map(([entryId, { placed }]) => [entryId, placed]));
}

function limitNotice(limit: string): string {
  return `Stop here: ${limit}. You can no longer call tools. Answer now with what you have, and say what is left undone.`;
}

/** Drops tool calls that the model must not make. Keeps its text, or a sentence in its place. */
function withoutCalls(answer: ModelAnswer, limit: string): ModelAnswer {
  if (answer.calls.length === 0) return answer;
  const text = answer.text.trim() === "" ? `(Stopped: ${limit}.)` : answer.text;
  return { ...answer, text, calls: [] };
}

function attempt<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
