// What the turn engine says to a model and hears from it: neutral of protocol and vendor, plain data, stored as it is.

import type { ModelEndpoint } from "../catalog/models.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; checked by the tool registry, not here. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
    };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: object;
}

export interface ModelRequest {
  /** Stable first: marked for the provider's prompt cache. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** False: the tools are told (the history may use them), but this answer must not call any. */
  readonly mayCall: boolean;
}

/** Tokens; null: the provider reported nothing, which is not zero. */
export interface TokenUsage {
  /** All input, cached input included. */
  readonly input: number | null;
  readonly cachedInput: number | null;
  readonly output: number | null;
}

export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  /** Complete calls only. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  /** Names of the tool calls that a length stop or a content filter cut off: they are not in `calls`. */
  readonly dropped: readonly string[];
  /** `other`: a reason that only this provider knows. `unknown`: the answer ended in good order without a reason. */
  readonly finish: "stop" | "length" | "calls" | "filtered" | "other" | "unknown";
  readonly usage: TokenUsage;
}

/** What arrives together is told together: a delta is the text of one read from the network. */
export interface ModelListener {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** An attempt at the request begins, counted from 1. */
  attempt(count: number): void;
  /** The first piece of the answer arrived. */
  firstChunk(): void;
}

export const NO_USAGE: TokenUsage = { input: null, cachedInput: null, output: null };

/** A provider that did not give an answer. The message is for people: it carries the provider's status and words, never a key. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly status: number | undefined;
  /** What the failed answer used all the same. */
  readonly usage: TokenUsage;

  constructor(message: string, status?: number, usage: TokenUsage = NO_USAGE) {
    super(message);
    this.status = status;
    this.usage = usage;
  }
}

const TOOL_NAME_CHARACTERS_MAX = 64;

/** Models make up tool names that no provider takes back: what is replayed keeps to the characters and length that both protocols allow. */
export function toolNameAsSent(name: string): string {
  const kept = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, TOOL_NAME_CHARACTERS_MAX);
  return kept === "" ? "unnamed" : kept;
}

/** The port of the engine to models. Raises ModelFailure, or the signal's reason when aborted. */
export type CallModel = (
  endpoint: ModelEndpoint,
  request: ModelRequest,
  listener: ModelListener,
  signal: AbortSignal,
) => Promise<ModelAnswer>;
