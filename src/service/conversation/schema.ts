// Entries of a conversation, and the parts of a prompt as the API shows them.

import { Type, type Static } from "@sinclair/typebox";
import { MessageAttachment, SentAttachment } from "../attachments/schema.ts";
import { closed, Id, nullable, oneOf, PageQuery, Time } from "../../kit/schema.ts";

export const entryKinds = ["person", "task", "agent", "tool"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** How a tool call ended. `unknown` means that a crash interrupted it, and that it may or may not have taken effect. */
export const outcomes = ["ok", "error", "cancelled", "interrupted", "unknown"] as const;
export type Outcome = (typeof outcomes)[number];

/** Why an answer is incomplete. */
const truncations = ["length", "content_filter"] as const;
export type Truncation = (typeof truncations)[number];

export const ToolCallRecord = closed({ id: Type.String(), name: Type.String(), arguments: Type.String() });

export const Entry = closed({
  id: Id,
  workspace_id: Id,
  turn_id: Id,
  run_id: Id,
  agent_id: Id,
  /** 0 is the conversation with the orchestrator; otherwise the run of a worker. */
  thread: Type.Integer({ minimum: 0 }),
  kind: oneOf(entryKinds),
  text: Type.String(),
  reasoning: nullable(Type.String()),
  calls: Type.Array(ToolCallRecord),
  /** For a tool result, the call that it answers; for a task, the `delegate` call that created it. */
  call_id: nullable(Type.String()),
  tool: nullable(Type.String()),
  outcome: nullable(oneOf(outcomes)),
  /** For a tool result, the duration of the call; null when it never started or its end is unknown. */
  duration_ms: nullable(Type.Integer()),
  /** For an answer, what the provider reported for its model call; null when it reported nothing, which is not zero. */
  input_tokens: nullable(Type.Integer()),
  output_tokens: nullable(Type.Integer()),
  /** The answer was interrupted by a stop, or by a failure of the provider or the service. */
  partial: Type.Boolean(),
  /** The provider truncated the answer, because of a length limit or a content filter. */
  truncated: nullable(oneOf(truncations)),
  /** Names of tool calls that were truncated with the answer; none was executed. */
  dropped_calls: Type.Array(Type.String()),
  /** Contains text from the web or an attachment marked as untrusted, or was written by an agent that had read some. While it is replayed, its agent gets no durable tools. */
  tainted: Type.Boolean(),
  /** Of a person's message. */
  attachments: Type.Array(MessageAttachment),
  forgotten: Type.Boolean(),
  /** Its turn is on another branch of the conversation, so it is not replayed. */
  aside: Type.Boolean(),
  created_at: Time,
});
export type Entry = Static<typeof Entry>;

export const EntriesQuery = closed({
  ...PageQuery.properties,
  /** `all` includes the entries of other branches. */
  branches: Type.Optional(oneOf(["current", "all"])),
});
export type EntriesQuery = Static<typeof EntriesQuery>;

/** Limits of one request: the marks that it clears, and the characters of their texts, which are hashed. The next request clears the rest. */
export const MARKS_CLEARED_MAX = 200;
export const CLEARED_CHARACTERS_MAX = 1024 * 1024;

/** `through` is the last entry that the person has reviewed, so that entries marked later stay marked. */
export const ClearTaint = closed({ through: Id });
export const ClearedTaint = closed({
  cleared: Type.Integer(),
  /** Marks left up to `through`, if there were more than one request clears. */
  left: Type.Integer(),
});
export type ClearedTaint = Static<typeof ClearedTaint>;

export const partKinds = ["role", "instruction", "context", "tools", "entry", "notice"] as const;

/** The document of a `context` part. */
const PromptDocument = closed({
  path: Type.String(),
  /** Null: an edit that is not recorded, or a document that could not be read. */
  version: nullable(Type.Integer()),
  /** Why it could not be read; null: the part contains it. */
  unread: nullable(Type.String()),
});

/** One part of a prompt, in the order in which it is sent. */
export const PromptPart = closed({
  kind: oneOf(partKinds),
  /** The origin of the part: `agent:3`, `tools`, `entry:12`, `notice:rounds`. */
  source: Type.String(),
  /** The role under which it is sent. */
  role: Type.Union([
    Type.Literal("system"),
    Type.Literal("user"),
    Type.Literal("assistant"),
    Type.Literal("tool"),
    Type.Literal("tools"),
  ]),
  text: Type.String(),
  /** Null: another kind of part, or the note about documents that the prompt has no room for. */
  document: nullable(PromptDocument),
  calls: Type.Array(ToolCallRecord),
  call_id: nullable(Type.String()),
  /** In the order in which they are sent, before the text. */
  attachments: Type.Array(SentAttachment),
  tokens: Type.Integer(),
  /** Always true: counted with the o200k encoding, because providers report only totals of a call. */
  tokens_estimated: Type.Boolean(),
  /** Whether the part can be removed: an entry by forgetting it, an instruction or context by unbinding it. */
  droppable: Type.Boolean(),
  /** Whether the entry is currently marked as untrusted. */
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
