// What a tool is. A feature that gives agents tools exports a ToolSource; the registry knows nothing else about it.

import type { TObject } from "@sinclair/typebox";
import type { Caller } from "../identity/caller.ts";
import type { ParsedArguments } from "./arguments.ts";
import type { Outcome } from "../conversation/schema.ts";

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

interface ToolBase {
  readonly name: string;
  readonly description: string;
  /** A closed object; checked before the tool runs. Any JSON Schema of an object when `parse` checks by itself. */
  readonly parameters: TObject | Readonly<Record<string, unknown>>;
  /** In place of the common check: for tools whose schema comes from outside (gears). */
  readonly parse?: (json: string) => ParsedArguments;
  /** Writes something that outlives the turn; not offered to an agent that has read untrusted text. */
  readonly durable?: boolean;
}

/**
 * Works on the database only. It runs inside the write that also records its result, so that a crash leaves both or neither. An AppError
 * thrown by it undoes its changes and becomes the result.
 */
export interface DatabaseTool extends ToolBase {
  readonly kind: "database";
  readonly apply: (scope: ToolScope, input: never) => ToolResult;
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

/** Has effects outside the database. That it started is recorded before; without a recorded result it is never repeated. */
export interface ExternalTool extends ToolBase {
  readonly kind: "external";
  readonly run: (scope: ToolScope, input: never, ports: ToolPorts) => Promise<ToolResult>;
  /** For calls whose state is stored elsewhere (a search that waits for a person): goes on after a restart instead of "outcome unknown". */
  readonly resume?: (scope: ToolScope, input: never, ports: ToolPorts) => Promise<ToolResult>;
}

/** Hands work to another agent. The engine runs it: a delegation is a run of its own, and resuming goes on with it. */
export interface DelegateTool extends ToolBase {
  readonly kind: "delegate";
}

export type Tool = DatabaseTool | ExternalTool | DelegateTool;

/** Tools that this agent has at this moment. */
export type ToolSource = (scope: ToolScope) => Tool[];
