// The requests that the turn engine makes of a model, and its answers: plain data without protocol or vendor, stored as is.

import type { AttachmentContents } from "../attachments/content.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import type { PlacedThought } from "./thoughts.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The model's JSON text, unchecked; the tool registry validates it. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: "user"; readonly text: string; readonly attachments?: readonly SentAttachment[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** Sent only to providers that demand it back. */
      readonly reasoning?: string;
      /** Of an answer whose tools have run in the same turn. */
      readonly thoughts?: readonly PlacedThought[];
    }
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
  /** JSON Schema of the arguments. */
  readonly parameters: object;
}

export interface ModelRequest {
  /** The most stable text first, for the provider's prompt cache. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** If false, tools are declared, because the history may use them, but this answer must not call any. */
  readonly mayCall: boolean;
  /** Of all attachments of the messages, except notes. */
  readonly contents?: AttachmentContents;
}

/** Counts of tokens; null means that the provider reported nothing, which is not zero. */
export interface TokenUsage {
  /** All input, including cached input. */
  readonly input: number | null;
  readonly cachedInput: number | null;
  readonly output: number | null;
}

export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  /** Only of a protocol that wants them back. */
  readonly thoughts: readonly PlacedThought[];
  /** Complete calls only. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  /** Names of tool calls truncated by a length limit or a content filter; not in `calls`. */
  readonly dropped: readonly string[];
  /** `other` is a reason specific to the provider. `unknown` means that the answer ended normally without a reason. */
  readonly finish: "stop" | "length" | "calls" | "filtered" | "other" | "unknown";
  readonly usage: TokenUsage;
}

/** A delta is the text of one network read. */
export interface ModelListener {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** Called when an attempt begins, counted from 1. */
  attempt(count: number): void;
  /** Called when the next attempt begins only after a pause. `status`: of the refusal; undefined when the provider was not reached. */
  retryIn(waitMs: number, status: number | undefined): void;
  /** Called when the first piece of the answer arrives. */
  firstChunk(): void;
  /** Called whenever the provider reports tokens, with all figures so far: they count even if the answer is never complete. */
  used(usage: TokenUsage): void;
}

export const NO_USAGE: TokenUsage = { input: null, cachedInput: null, output: null };

/** A failed model call. The message is for people: it has the provider's status and words, never a key. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly status: number | undefined;
  /** The provider's words, without the key. */
  readonly words: string | undefined;

  constructor(message: string, status?: number, words?: string) {
    super(message);
    this.words = words;
    this.status = status;
  }
}

const TOOL_NAME_CHARACTERS_MAX = 64;

/** Restricts a tool name to the characters and length that both protocols accept: models invent names that providers refuse on replay. */
export function toolNameAsSent(name: string): string {
  const kept = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, TOOL_NAME_CHARACTERS_MAX);
  return kept === "" ? "unnamed" : kept;
}

/** The engine's port to models. Raises ModelFailure, or the signal's reason when aborted. */
export type CallModel = (
  endpoint: ModelEndpoint,
  request: ModelRequest,
  listener: ModelListener,
  signal: AbortSignal,
) => Promise<ModelAnswer>;
