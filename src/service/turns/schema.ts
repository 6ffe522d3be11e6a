// Turns, model calls, and every limit of a turn, each named once.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { outcomes, partKinds, PromptPart } from "../conversation/schema.ts";

/** Model calls with tools that one agent may make in one run, resumed ones counted; then comes its last answer, without. */
export const ROUNDS_MAX = 16;
/** The orchestrator is at depth 0. */
export const DELEGATION_DEPTH_MAX = 4;
export const TOOL_CALLS_AT_ONCE_MAX = 8;
/** Calls in one answer beyond this are answered with an error each. */
export const TOOL_CALLS_PER_ANSWER_MAX = 64;
export const TURNS_QUEUED_MAX = 16;
export const CHAT_CHARACTERS_MAX = 400_000;

export const turnStatuses = [
  "queued",
  "running",
  "waiting",
  "done",
  "failed",
  "cancelled",
  "interrupted",
] as const;
export type TurnStatus = (typeof turnStatuses)[number];
export const runStatuses = ["running", "done", "failed", "cancelled", "interrupted"] as const;
export type RunStatus = (typeof runStatuses)[number];

export const Turn = closed({
  id: Id,
  workspace_id: Id,
  status: oneOf(turnStatuses),
  text: Type.String(),
  user_id: Id,
  user_name: Type.String(),
  /** Why it failed; of a turn that the service cancelled, for example since its person lost access: why. */
  error: nullable(Type.String()),
  /** Its last answer was cut off by a length limit or a content filter: the entry says which. */
  truncated: Type.Boolean(),
  /** An agent has read text from the web in it, so that it had no tools that write durably from then on. */
  tainted: Type.Boolean(),
  created_at: Time,
  started_at: nullable(Time),
  finished_at: nullable(Time),
  /** The workspace's event with which it began: it was queued, or started. Who follows from the one before sees all of it. */
  first_event_id: nullable(Type.Integer()),
});
export type Turn = Static<typeof Turn>;

export const Chat = closed({
  text: Type.String({ maxLength: CHAT_CHARACTERS_MAX }),
  queue: Type.Optional(Type.Boolean()),
});
export type Chat = Static<typeof Chat>;
export const ChatAnswer = closed({ turn: Turn });

const callFields = {
  id: Id,
  turn_id: Id,
  run_id: Id,
  agent_id: Id,
  round: Type.Integer(),
  model_id: Id,
  model_name: Type.String(),
  provider_name: Type.String(),
  protocol: Type.String(),
  status: oneOf(runStatuses),
  attempts: Type.Integer(),
  finish: nullable(Type.String()),
  error: nullable(Type.String()),
  /** As the provider reported; null: it reported nothing, which is not zero. */
  input_tokens: nullable(Type.Integer()),
  cached_input_tokens: nullable(Type.Integer()),
  output_tokens: nullable(Type.Integer()),
  /** In the unit of the model's prices; null while a price or the tokens are not known. */
  cost: nullable(Type.Number()),
  started_at: Time,
  first_chunk_ms: nullable(Type.Integer()),
  duration_ms: nullable(Type.Integer()),
};

export const CallSummary = closed(callFields);
export type CallSummary = Static<typeof CallSummary>;

export const Call = closed({
  ...callFields,
  /** False: the last answer of a run at a limit, without tool calls. */
  may_call: Type.Boolean(),
  parts: Type.Array(PromptPart),
});
export type Call = Static<typeof Call>;

export const toolStates = ["asked", "started", "done"] as const;
export type ToolState = (typeof toolStates)[number];

export const TurnRunStep = closed({
  id: Id,
  agent_id: Id,
  /** Its name, also when it was removed since. */
  agent: Type.String(),
  parent_run_id: nullable(Id),
  /** The tool call, `delegate`, that asked for it; null: the orchestrator's own run. */
  call_id: nullable(Type.String()),
  depth: Type.Integer({ minimum: 0 }),
  status: oneOf(runStatuses),
  started_at: Time,
  finished_at: nullable(Time),
});
export type TurnRunStep = Static<typeof TurnRunStep>;

export const TurnToolStep = closed({
  call_id: Type.String(),
  run_id: Id,
  agent_id: Id,
  tool: Type.String(),
  /** As the model wrote them. */
  arguments: Type.String(),
  state: oneOf(toolStates),
  outcome: nullable(oneOf(outcomes)),
  /** Null when it never started. */
  started_at: nullable(Time),
  finished_at: nullable(Time),
  /** Where the tool was a gear whose run is on record. */
  gear_run_id: nullable(Id),
  gear_id: nullable(Id),
  gear_version: nullable(Id),
});
export type TurnToolStep = Static<typeof TurnToolStep>;

export const TurnSteps = closed({
  turn: Turn,
  runs: Type.Array(TurnRunStep),
  calls: Type.Array(CallSummary),
  tools: Type.Array(TurnToolStep),
});
export type TurnSteps = Static<typeof TurnSteps>;

export const DiffQuery = closed({ to: Id });

export const CallDiff = closed({
  from: Id,
  to: Id,
  /** Parts in both, at the beginning. */
  same: Type.Integer(),
  changes: Type.Array(
    closed({
      change: Type.Union([
        Type.Literal("added"),
        Type.Literal("removed"),
        Type.Literal("changed"),
        Type.Literal("same"),
      ]),
      kind: oneOf(partKinds),
      source: Type.String(),
      before: nullable(Type.String()),
      after: nullable(Type.String()),
    }),
  ),
});
export type CallDiff = Static<typeof CallDiff>;
