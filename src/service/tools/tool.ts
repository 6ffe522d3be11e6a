// What a tool is. A feature that gives agents tools exports a ToolSource; the registry knows nothing else about it.

import type { Static, TObject } from "@sinclair/typebox";
import type { Outcome } from "../conversation/schema.ts";
import type { Caller } from "../identity/caller.ts";
import { parseArguments, type Parsed } from "./arguments.ts";

/** What a tool call's outcome says to the model and to people. Plain data: it is stored. */
export interface ToolResult {
  readonly outcome: Outcome;
  readonly text: string;
  /** The text comes from outside: from here on the agent that reads it is not offered tools marked `durable`. */
  readonly tainted?: boolean;
}

export function ok(text: string): ToolResult {
  return { outcome: "ok", text };
}

export function failed(text: string): ToolResult {
  return { outcome: "error", text };
}

/** The agent that calls, in its turn. */
export interface ToolScope {
  readonly workspaceId: number;
  readonly turnId: number;
  readonly runId: number;
  readonly agentId: number;
  readonly agentName: string;
  readonly orchestrator: boolean;
  /** The person for whom the turn acts, marked with the agent that does; with the rights of now, so ask inside the write that acts. */
  readonly caller: Caller;
  /** Agents this one may delegate to now: wires as the turn began, and those added since. */
  readonly targets: readonly { readonly id: number; readonly name: string }[];
  /** What the agent's next prompt replays holds untrusted text from outside. */
  readonly tainted: boolean;
}

/** What models and people see of a tool. */
interface ToolFace {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Writes something that outlives the turn; not offered to an agent that has read untrusted text. */
  readonly durable?: boolean;
}

/**
 * Works on the database only. It runs inside the write that also records its result, so that a crash leaves both or neither. An AppError
 * thrown by it undoes its changes and becomes the result.
 */
export interface DatabaseTool extends ToolFace {
  readonly kind: "database";
  /** The call with these arguments, or what is wrong with them. */
  readonly prepare: (json: string) => Parsed<(scope: ToolScope) => ToolResult>;
}

/** What a tool that takes its time gets from the engine. */
export interface ToolPorts {
  /** Aborted when the turn is cancelled or the service stops. */
  readonly signal: AbortSignal;
  /** Id of this tool call, stable over restarts. */
  readonly callId: string;
  /** Live output for the viewers of the turn. */
  readonly output: (stream: "stdout" | "stderr", text: string) => void;
  /** The turn shows as waiting for a person while `work` runs. */
  readonly waiting: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Has effects outside the database. That it started is recorded before; without a recorded result it is repeated only if it resumes. */
export interface ExternalTool extends ToolFace {
  readonly kind: "external";
  readonly resumes: boolean;
  readonly prepare: (json: string) => Parsed<ExternalCall>;
}

export interface ExternalCall {
  readonly run: (scope: ToolScope, ports: ToolPorts) => Promise<ToolResult>;
  /** In place of `run` when it had begun before a restart. */
  readonly resume: (scope: ToolScope, ports: ToolPorts) => Promise<ToolResult>;
}

/** Hands work to another agent. The engine runs it: a delegation is a run of its own, and resuming goes on with it. */
export interface DelegateTool extends ToolFace {
  readonly kind: "delegate";
  readonly prepare: (json: string) => Parsed<DelegateOrder>;
}

export interface DelegateOrder {
  /** Name. */
  readonly agent: string;
  readonly task: string;
}

export type Tool = DatabaseTool | ExternalTool | DelegateTool;

/** Tools that this agent has at this moment. */
export type ToolSource = (scope: ToolScope) => Tool[];

/** Checked before the tool runs: a closed object. */
type Typed<S extends TObject> = Omit<ToolFace, "parameters"> & { readonly parameters: S };

export function databaseTool<S extends TObject>({
  apply,
  ...face
}: Typed<S> & {
  readonly apply: (scope: ToolScope, input: Static<S>) => ToolResult;
}): DatabaseTool {
  const prepare = (json: string) =>
    prepared(parseArguments(face.parameters, json), (input) => (scope: ToolScope) => apply(scope, input));
  return { ...face, kind: "database", prepare };
}

type ExternalRun<Input> = (scope: ToolScope, input: Input, ports: ToolPorts) => Promise<ToolResult>;

export interface ExternalWork<Input> {
  readonly run: ExternalRun<Input>;
  /** For calls whose state is stored elsewhere (a search that waits for a person): goes on after a restart instead of "outcome unknown". */
  readonly resume?: ExternalRun<Input>;
}

export function externalTool<S extends TObject>({
  run,
  resume,
  ...face
}: Typed<S> & ExternalWork<Static<S>>): ExternalTool {
  const work = { run, ...(resume && { resume }) };
  return parsingTool(face, (json) => parseArguments(face.parameters, json), work);
}

/** For tools whose schema comes from outside (gears): `parse` takes the place of the common check. */
export function parsingTool<Input>(
  face: ToolFace,
  parse: (json: string) => Parsed<Input>,
  { run, resume }: ExternalWork<Input>,
): ExternalTool {
  const prepare = (json: string) =>
    prepared(parse(json), (input): ExternalCall => ({
      run: (scope, ports) => run(scope, input, ports),
      resume: (scope, ports) => (resume ?? run)(scope, input, ports),
    }));
  return { ...face, kind: "external", resumes: resume !== undefined, prepare };
}

function prepared<Input, Call>(parsed: Parsed<Input>, callWith: (input: Input) => Call): Parsed<Call> {
  return parsed.ok ? { ok: true, value: callWith(parsed.value) } : parsed;
}
