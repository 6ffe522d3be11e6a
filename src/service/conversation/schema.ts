// Entries of a conversation, and the parts of a prompt as people see them.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";

export const entryKinds = ["person", "task", "agent", "tool"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** How a tool call ended. `unknown`: it was cut off by a crash, and whether it took effect is not known. */
export const outcomes = ["ok", "error", "cancelled", "interrupted", "unknown"] as const;
export type Outcome = (typeof outcomes)[number];

/** Why an answer ended before its model was done. */
export const truncations = ["length", "content_filter"] as const;
export type Truncation = (typeof truncations)[number];

export const ToolCallRecord = closed({ id: Type.String(), name: Type.String(), arguments: Type.String() });

export const Entry = closed({
  id: Id,
  workspace_id: Id,
  turn_id: Id,
  run_id: Id,
  agent_id: Id,
  /** 0: the conversation with the orchestrator. Otherwise the run of the worker that this belongs to. */
  thread: Type.Integer({ minimum: 0 }),
  kind: oneOf(entryKinds),
  text: Type.String(),
  reasoning: nullable(Type.String()),
  calls: Type.Array(ToolCallRecord),
  /** Of a tool's result: the call that it answers. Of a task: the call, `delegate`, that gave it. */
  call_id: nullable(Type.String()),
  tool: nullable(Type.String()),
  outcome: nullable(oneOf(outcomes)),
  /** Of a tool's result: how long the call took; null when it never started, or when its end is not known. */
  duration_ms: nullable(Type.Integer()),
  /** The answer was broken off: by a stop, a failure of the provider or of the service. */
  partial: Type.Boolean(),
  /** The answer was cut off by its provider: by a length limit, or by a content filter. */
  truncated: nullable(oneOf(truncations)),
  /** Names of tool calls that were cut off with it; none of them was made. */
  dropped_calls: Type.Array(Type.String()),
  /** Holds text from the web, or was written by an agent that had read some. While it is replayed, agents get no tools that write durably. */
  tainted: Type.Boolean(),
  forgotten: Type.Boolean(),
  created_at: Time,
});
export type Entry = Static<typeof Entry>;

/** Marks cleared by one request, and characters of their texts, which are hashed; what is left is cleared by the next. */
export const MARKS_CLEARED_MAX = 200;
export const CLEARED_CHARACTERS_MAX = 1024 * 1024;

/** `through`: the last entry that the person has looked at. What was marked since is not cleared unseen. */
export const ClearTaint = closed({ through: Id });
export const ClearedTaint = closed({
  cleared: Type.Integer(),
  /** Up to `through`; more than none only after a full request. */
  left: Type.Integer(),
});
export type ClearedTaint = Static<typeof ClearedTaint>;

export const partKinds = ["role", "instruction", "context", "tools", "entry", "notice"] as const;

/** One part of a prompt, in the order in which it is sent. */
export const PromptPart = closed({
  kind: oneOf(partKinds),
  /** Where it comes from: `agent:3`, `tools`, `entry:12`, `notice:rounds`. */
  source: Type.String(),
  /** As whom it is said. */
  role: Type.Union([
    Type.Literal("system"),
    Type.Literal("user"),
    Type.Literal("assistant"),
    Type.Literal("tool"),
    Type.Literal("tools"),
  ]),
  text: Type.String(),
  calls: Type.Array(ToolCallRecord),
  call_id: nullable(Type.String()),
  tokens: Type.Integer(),
  /** True: counted here with the o200k encoding. Providers report only totals of a call. */
  tokens_estimated: Type.Boolean(),
  /** Can be taken out: an entry by forgetting it, an instruction or context by unbinding it. */
  droppable: Type.Boolean(),
  /** An entry that carries the mark now. */
  tainted: Type.Boolean(),
});
export type PromptPart = Static<typeof PromptPart>;

export const Prompt = closed({
  agent_id: Id,
  model_id: Id,
  parts: Type.Array(PromptPart),
  tokens: Type.Integer(),
  tokens_estimated: Type.Boolean(),
});
export type Prompt = Static<typeof Prompt>;
