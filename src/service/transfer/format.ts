// The file format of an exported workspace: lines of JSON, one record each. Documented in docs/workspaces.md.
//
// Records refer to each other by numbers that count the records of one kind from 1, so the file holds no id of a database. A long text is cut:
// the record has its beginning, and `more` lines after it have the rest.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";
import { SentAttachment } from "../attachments/schema.ts";
import { outcomes } from "../conversation/schema.ts";
import { ANSWER_CHARACTERS_MAX } from "../llm/answer.ts";
import { CHAT_CHARACTERS_MAX } from "../turns/schema.ts";
import { Budget } from "../workspaces/schema.ts";

export const FORMAT = "cairn-workspace";
export const FORMAT_VERSION = 1;

/** Of a text in one line, in UTF-16 units. */
export const CUT_CHARACTERS = 128 * 1024;
/** Two cut texts in nothing but escapes, and the rest of the record. */
export const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** Of one text with all its pieces: a gear's largest file in Base64. */
export const TEXT_CHARACTERS_MAX = 6 * 1024 * 1024;
/** Of a part of sent prompts, as JSON: an answer whose every second character is escaped. */
export const PART_CHARACTERS_MAX = 3 * 1024 * 1024;
/** Of a text that the service itself keeps short. */
const LABEL_CHARACTERS_MAX = 10_000;

/** The number of a record of the kind that the field names. */
const Ref = Type.Integer({ minimum: 1, maximum: 100_000_000 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Text = Type.String();
const Label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const overStatuses = ["done", "failed", "cancelled", "interrupted"] as const;

const record = <T extends string, P extends Record<string, TSchema>>(type: T, fields: P) =>
  closed({ type: Type.Literal(type), ...fields });

/** In the order of the file. */
export const records = {
  workspace: record("workspace", {
    format: Type.Literal(FORMAT),
    version: Type.Integer(),
    /** Version of the program that wrote it. */
    program: Type.String({ maxLength: 100 }),
    exported_at: Time,
    name: Text,
    /** Null: the name. */
    display_name: nullable(Text),
    description: Text,
    budget: nullable(Budget),
    created_at: Time,
  }),
  model: record("model", { id: Ref, provider: Label, name: Label, label: Label }),
  agent: record("agent", {
    id: Ref,
    name: Text,
    role: Text,
    model: Ref,
    orchestrator: Type.Boolean(),
    x: Type.Number({ minimum: -1e6, maximum: 1e6 }),
    y: Type.Number({ minimum: -1e6, maximum: 1e6 }),
    budget: nullable(Budget),
    created_at: Time,
    /** A removed agent is there because turns name it. */
    removed_at: nullable(Time),
  }),
  wire: record("wire", { from: Ref, to: Ref, created_at: Time }),
  instruction: record("instruction", { id: Ref, name: Text, text: Text }),
  instruction_binding: record("instruction_binding", { instruction: Ref, agent: nullable(Ref) }),
  gear: record("gear", {
    id: Ref,
    name: Text,
    description: Text,
    tags: Type.Array(Text, { maxItems: 20 }),
    runtime: Text,
    entrypoint: Text,
    args_schema: Text,
    /** A JSON array. */
    tests: Text,
  }),
  gear_file: record("gear_file", {
    gear: Ref,
    path: Text,
    encoding: oneOf(["utf8", "base64"] as const),
    content: Text,
  }),
  gear_binding: record("gear_binding", { gear: Ref, agent: nullable(Ref) }),
  /** A document of the context space that stands in prompts. The document itself is not in the file. */
  document: record("document", { path: Text, agent: nullable(Ref) }),
  /** A part of sent prompts that is not exactly an entry, as JSON. */
  part: record("part", { id: Ref, content: Type.String({ maxLength: PART_CHARACTERS_MAX }) }),
  turn: record("turn", {
    id: Ref,
    number: Ref,
    status: oneOf(overStatuses),
    text: Text,
    user: Text,
    error: nullable(Text),
    truncated: Type.Boolean(),
    tainted_at: nullable(Time),
    created_at: Time,
    started_at: nullable(Time),
    finished_at: nullable(Time),
    /** The turn that it follows. */
    after: nullable(Ref),
    /** Its person chose after which turn it comes. */
    placed: Type.Boolean(),
    /** The model that its person chose. */
    model: nullable(Ref),
  }),
  run: record("run", {
    id: Ref,
    turn: Ref,
    agent: Ref,
    parent: nullable(Ref),
    /** The `delegate` call that created it. */
    call: nullable(Ref),
    depth: Count,
    status: oneOf(overStatuses),
    created_at: Time,
    finished_at: nullable(Time),
  }),
  tool_call: record("tool_call", {
    id: Ref,
    run: Ref,
    position: Count,
    tool: Label,
    arguments: Type.String({ maxLength: ANSWER_CHARACTERS_MAX }),
    state: oneOf(["asked", "started", "done"] as const),
    started_at: nullable(Time),
    finished_at: nullable(Time),
  }),
  entry: record("entry", {
    id: Ref,
    run: Ref,
    kind: oneOf(["person", "task", "agent", "tool"] as const),
    text: Text,
    reasoning: nullable(Text),
    /** The tool calls of an answer. */
    calls: Type.Array(Ref, { maxItems: 1_000 }),
    call: nullable(Ref),
    tool: nullable(Label),
    outcome: nullable(oneOf(outcomes)),
    duration_ms: nullable(Type.Integer()),
    input_tokens: nullable(Count),
    output_tokens: nullable(Count),
    partial: Type.Boolean(),
    truncated: nullable(oneOf(["length", "content_filter"] as const)),
    dropped_calls: Type.Array(Label, { maxItems: 1_000 }),
    tainted: Type.Boolean(),
    forgotten_at: nullable(Time),
    created_at: Time,
  }),
  /** A model call as it was sent. */
  call: record("call", {
    run: Ref,
    round: Count,
    model: Label,
    provider: Label,
    protocol: oneOf(["anthropic", "openai-compatible"] as const),
    /** `p3,e12-40`: parts, and ranges of entries. */
    parts: Text,
    settings: closed({
      may_call: Type.Boolean(),
      context: Type.Optional(closed({ space: Label, head: Label })),
    }),
    status: oneOf(overStatuses),
    attempts: Count,
    finish: nullable(Label),
    error: nullable(Type.String({ maxLength: CHAT_CHARACTERS_MAX })),
    http_status: nullable(Count),
    input_tokens: nullable(Count),
    cached_input_tokens: nullable(Count),
    output_tokens: nullable(Count),
    /** Billionths of the prices' unit. */
    cost_nano: nullable(Count),
    started_at: Time,
    first_chunk_ms: nullable(Type.Integer()),
    duration_ms: nullable(Type.Integer()),
  }),
  /** The last turn of the current branch. */
  branch: record("branch", { turn: nullable(Ref) }),
  file: record("file", { path: Text, encoding: oneOf(["utf8", "base64"] as const), content: Text }),
  /** A part of the workspace that is not in the file. */
  left_out: record("left_out", { kind: Label, name: Label, reason: Label }),
} as const;

export const more = record("more", { field: Text, text: Text });
/** The SHA-256, hex, of all bytes before this line. */
export const end = record("end", { lines: Count, sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }) });

export type Kind = keyof typeof records;
export type RecordOf<K extends Kind> = Static<(typeof records)[K]>;
export type AnyRecord = { [K in Kind]: RecordOf<K> }[Kind];
export const KINDS = Object.keys(records) as readonly Kind[];

const CALL_NAME = Type.String({ pattern: "^c[1-9][0-9]{0,8}$" });
const TOOL_CALL = closed({ id: CALL_NAME, name: Text, arguments: Text });
const Message = Type.Union([
  closed({
    role: Type.Literal("user"),
    text: Text,
    attachments: Type.Optional(Type.Array(SentAttachment, { maxItems: 100 })),
  }),
  closed({ role: Type.Literal("assistant"), text: Text, calls: Type.Array(TOOL_CALL) }),
  closed({ role: Type.Literal("tool"), callId: CALL_NAME, tool: Text, text: Text, failed: Type.Boolean() }),
]);
/** `content` of a part. Its `source` names an agent or an entry by the file's number; calls are `c` and their number. */
export const PartContent = Type.Union([
  closed({ kind: oneOf(["role", "instruction"] as const), source: Text, text: Text }),
  closed({
    kind: Type.Literal("context"),
    source: Text,
    text: Text,
    document: Type.Optional(
      closed({ path: Text, version: nullable(Type.Integer()), hash: Text, bytes: Count }),
    ),
    unread: Type.Optional(closed({ path: Text, reason: Text })),
  }),
  closed({
    kind: Type.Literal("tools"),
    source: Text,
    tools: Type.Array(closed({ name: Text, description: Text, parameters: Type.Object({}) })),
  }),
  closed({
    kind: Type.Literal("entry"),
    source: Text,
    message: Message,
    tainted: Type.Optional(Type.Literal(true)),
  }),
  closed({ kind: Type.Literal("notice"), source: Text, message: Message }),
]);
export type PartContent = Static<typeof PartContent>;
