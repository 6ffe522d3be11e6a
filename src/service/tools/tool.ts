// What a tool is. A feature that gives agents tools exports a ToolSource; the registry knows nothing else about it.

import type { TObject } from "@sinclair/typebox";
import type { Caller } from "../people/caller.ts";
import type { Outcome } from "../conversation/schema.ts";

/** What a tool call's outcome says to the model and to people. Plain data: it is stored. */
export interface ToolResult {
  readonly outcome: Outcome;
  readonly text: string;
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
  /** The person whose turn it is, marked with the agent that acts for them. */
  readonly caller: Caller;
  /** Agents this one may delegate to now: wires as the turn began, and those added since. */
  readonly targets: readonly { readonly id: number; readonly name: string }[];
}

interface ToolBase {
  readonly name: string;
  readonly description: string;
  /** A closed object; checked before the tool runs. */
  readonly parameters: TObject;
}

/**
 * Works on the database only. It runs inside the write that also records its result, so that a crash leaves both or neither. An AppError
 * thrown by it undoes its changes and becomes the result.
 */
export interface DatabaseTool extends ToolBase {
  readonly kind: "database";
  readonly apply: (scope: ToolScope, input: never) => ToolResult;
}

/** Has effects outside the database. That it started is recorded before; without a recorded result it is never repeated. */
export interface ExternalTool extends ToolBase {
  readonly kind: "external";
  readonly run: (scope: ToolScope, input: never, signal: AbortSignal) => Promise<ToolResult>;
}

/** Hands work to another agent. The engine runs it: a delegation is a run of its own, and resuming goes on with it. */
export interface DelegateTool extends ToolBase {
  readonly kind: "delegate";
}

export type Tool = DatabaseTool | ExternalTool | DelegateTool;

/** Tools that this agent has at this moment. */
export type ToolSource = (scope: ToolScope) => Tool[];
