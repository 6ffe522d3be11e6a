// The tool interface. A feature that gives agents tools exports a ToolSource; the registry knows nothing else about it.

import type { Static, TObject } from "@sinclair/typebox";
import type { Outcome } from "../conversation/schema.ts";
import type { Caller } from "../identity/caller.ts";
import { parseArguments, type Parsed } from "./arguments.ts";

/** The outcome of a tool call, for the model and for people. Plain data, because it is stored. */
export interface ToolResult {
  readonly outcome: Outcome;
  readonly text: string;
  /** The text comes from outside: the agent that reads it no longer gets tools marked `durable`. */
  readonly tainted?: boolean;
}

export function ok(text: string): ToolResult {
  return { outcome: "ok", text };
}

export function failed(text: string): ToolResult {
  return { outcome: "error", text };
}

/** For a call that may have taken effect, although nothing confirms it. */
export function unknown(why: string): ToolResult {
  return {
    outcome: "unknown",
    text: `${why}. It is not known whether this call took effect; check before you repeat it.`,
  };
}

/** The calling agent and its turn. */
export interface ToolScope {
  readonly workspaceId: number;
  readonly turnId: number;
  readonly runId: number;
  readonly agentId: number;
  readonly agentName: string;
  readonly orchestrator: boolean;
  /** The person for whom the agent acts. Rights are current at each check, so check inside the write that acts. */
  readonly caller: Caller;
  /** Agents that this one may delegate to: the wires when the turn began, and those added since. */
  readonly targets: readonly { readonly id: number; readonly name: string }[];
  /** The agent's next prompt will contain untrusted text from outside. */
  readonly tainted: boolean;
}

/** The part of a tool that models and people see. */
interface ToolFace {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The tool writes something that outlives the turn, so an agent that has read untrusted text does not get it. */
  readonly durable?: boolean;
}

/**
 * A tool that works on the database only. It runs inside the write that records its result, so that a crash leaves both or neither. If it
 * throws an AppError, its changes are rolled back and the error becomes the result.
 */
export interface DatabaseTool extends ToolFace {
  readonly kind: "database";
  /** Returns the call with these arguments, or the problem with them. */
  readonly prepare: (json: string) => Parsed<DatabaseCall>;
}

export interface DatabaseCall {
  /** Slow checks, before the write. Raises AppErrors, which become the result. */
  readonly check: (scope: ToolScope) => Promise<void>;
  readonly apply: (scope: ToolScope) => ToolResult;
}

/** The engine's services for a long-running tool. */
export interface ToolPorts {
  /** Aborted when the turn is cancelled or the service stops. */
  readonly signal: AbortSignal;
  /** Id of this tool call, stable across restarts. */
  readonly callId: string;
  /** Sends live output to the viewers of the turn. */
  readonly output: (stream: "stdout" | "stderr", text: string) => void;
  /** Shows the turn as waiting for a person while `work` runs. */
  readonly waiting: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A tool with effects outside the database. Its start is recorded first; a call without a recorded result is repeated only if the tool resumes. */
export interface ExternalTool extends ToolFace {
  readonly kind: "external";
  readonly resumes: boolean;
  readonly prepare: (json: string) => Parsed<ExternalCall>;
}

export interface ExternalCall {
  readonly run: (scope: ToolScope, ports: ToolPorts) => Promise<ToolResult>;
  /** Replaces `run` for a call that began before a restart. */
  readonly resume: (scope: ToolScope, ports: ToolPorts) => Promise<ToolResult>;
}

/** Delegates work to another agent. The engine executes it as a separate run, which a resumed turn continues. */
export interface DelegateTool extends ToolFace {
  readonly kind: "delegate";
  readonly prepare: (json: string) => Parsed<DelegateOrder>;
}

export interface DelegateOrder {
  /** The agent's name. */
  readonly agent: string;
  readonly task: string;
}

export type Tool = DatabaseTool | ExternalTool | DelegateTool;

/** Returns the tools that an agent has now. */
export type ToolSource = (scope: ToolScope) => Tool[];

/** A tool whose parameters are a closed object, checked before it runs. */
type Typed<S extends TObject> = Omit<ToolFace, "parameters"> & { readonly parameters: S };

export function databaseTool<S extends TObject>({
  check,
  apply,
  ...face
}: Typed<S> & {
  readonly check?: (scope: ToolScope, input: Static<S>) => Promise<void>;
  readonly apply: (scope: ToolScope, input: Static<S>) => ToolResult;
}): DatabaseTool {
  const prepare = (json: string) =>
    prepared(parseArguments(face.parameters, json), (input) => ({
      check: async (scope: ToolScope) => check?.(scope, input),
      apply: (scope: ToolScope) => apply(scope, input),
    }));
  return { ...face, kind: "database", prepare };
}

type ExternalRun<Input> = (scope: ToolScope, input: Input, ports: ToolPorts) => Promise<ToolResult>;

export interface ExternalWork<Input> {
  readonly run: ExternalRun<Input>;
  /** Continues a call after a restart if its state is stored elsewhere (a pending search); otherwise its outcome is unknown. */
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

/** Makes a tool whose schema comes from outside (gears): `parse` replaces the common check, and `run` does the rest of it. */
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
