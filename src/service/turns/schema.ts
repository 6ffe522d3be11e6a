// Turns, model calls, and the limits of a turn.

import { Type, type Static } from "@sinclair/typebox";
import { ATTACHMENTS_PER_MESSAGE_MAX, ChatAttachment, MessageAttachment } from "../attachments/schema.ts";
import { closed, Id, LIST_MAX, nullable, oneOf, PageQuery, Time } from "../../kit/schema.ts";
import { outcomes, partKinds, PromptPart } from "../conversation/schema.ts";

/** Limit of an agent's model calls with tools in one run, including resumed ones. One last call without tools follows. */
export const ROUNDS_MAX = 16;
/** The orchestrator is at depth 0. */
export const DELEGATION_DEPTH_MAX = 4;
export const TOOL_CALLS_AT_ONCE_MAX = 8;
/** Each further call of one answer gets an error as its result. */
export const TOOL_CALLS_PER_ANSWER_MAX = 64;
export const TURNS_QUEUED_MAX = 16;
export const CHAT_CHARACTERS_MAX = 400_000;
/** The newest places where a conversation has several continuations. */
export const FORKS_MAX = 200;
/** Of a question, as far as it is shown to tell continuations apart. */
export const FORK_CHARACTERS_MAX = 200;

export const overStatuses = ["done", "failed", "cancelled", "interrupted"] as const;
export type OverStatus = (typeof overStatuses)[number];
const turnStatuses = ["queued", "running", "waiting", ...overStatuses] as const;
export type TurnStatus = (typeof turnStatuses)[number];
export const runStatuses = ["running", ...overStatuses] as const;
export type RunStatus = (typeof runStatuses)[number];

const Imported = Type.Boolean({
  description:
    "it came in with an imported file: user_id is the person who imported it, user_name the name of its person in the file",
});

export const Turn = closed({
  id: Id,
  workspace_id: Id,
  /** Counts the turns of the workspace from 1, in the order in which they were sent. */
  number: Id,
  status: oneOf(turnStatuses),
  text: Type.String(),
  /** Of the message. */
  attachments: Type.Array(MessageAttachment),
  user_id: Id,
  user_name: Type.String(),
  imported: Imported,
  /** Why it failed, or why the service cancelled it, for example because its person lost access. */
  error: nullable(Type.String()),
  /** The last answer was truncated by a length limit or a content filter; its entry says which. */
  truncated: Type.Boolean(),
  /** An agent of the turn has read text from the web, and so lost its durable tools. */
  tainted: Type.Boolean(),
  created_at: Time,
  started_at: nullable(Time),
  finished_at: nullable(Time),
  /** The turn that it follows; null: it begins the conversation, or has not started. */
  after_id: nullable(Id),
  /** The model that its person chose in place of the orchestrator's. */
  model_id: nullable(Id),
  /** The workspace's event with which the turn began (queued or started). To see all of it, follow the workspace from the preceding event. */
  first_event_id: nullable(Type.Integer()),
});
export type Turn = Static<typeof Turn>;

export const Chat = closed({
  /** May be empty if something is attached. */
  text: Type.String({ maxLength: CHAT_CHARACTERS_MAX }),
  attachments: Type.Optional(Type.Array(ChatAttachment, { maxItems: ATTACHMENTS_PER_MESSAGE_MAX })),
  queue: Type.Optional(Type.Boolean()),
  /** The turn to follow, for another branch; null begins the conversation again. Default: the end of the current branch. */
  after: Type.Optional(nullable(Id)),
  /** Answers in place of the orchestrator's model, in this turn. */
  model_id: Type.Optional(Id),
});
export type Chat = Static<typeof Chat>;

const Fork = closed({
  /** The turn after which the conversation has several continuations; null: at its beginning. */
  after_id: nullable(Id),
  turns: Type.Array(
    closed({
      id: Id,
      /** The beginning of its question. */
      text: Type.String(),
      /** On the current branch. */
      current: Type.Boolean(),
    }),
  ),
});
export type Fork = Static<typeof Fork>;

export const Branches = closed({
  /** The last turn of the current branch; null: there is none yet. */
  turn_id: nullable(Id),
  forks: Type.Array(Fork),
});
export type Branches = Static<typeof Branches>;

export const ChooseBranch = closed({ turn_id: Id });
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
  attempts: nullable(
    Type.Integer({ description: "null while the call runs, and if a crash ended it: unknown is not zero" }),
  ),
  finish: nullable(Type.String()),
  error: nullable(Type.String()),
  /** With which the provider refused the last attempt; null when it answered, or was not reached. */
  http_status: nullable(Type.Integer()),
  /** Reported by the provider; null when it reported nothing, which is not zero. */
  input_tokens: nullable(Type.Integer()),
  cached_input_tokens: nullable(Type.Integer()),
  output_tokens: nullable(Type.Integer()),
  /** In the unit of the model's prices; null when a price or the tokens are unknown. */
  cost: nullable(Type.Number()),
  started_at: Time,
  first_chunk_ms: nullable(Type.Integer()),
  duration_ms: nullable(Type.Integer()),
};

export const CallSummary = closed(callFields);
export type CallSummary = Static<typeof CallSummary>;

export const Call = closed({
  ...callFields,
  /** False for the last answer of a run at a limit, which may not call tools. */
  may_call: Type.Boolean(),
  parts: Type.Array(PromptPart),
});
export type Call = Static<typeof Call>;

const toolStates = ["asked", "started", "done"] as const;
export type ToolState = (typeof toolStates)[number];

export const TurnRunStep = closed({
  id: Id,
  agent_id: Id,
  /** The agent's name, even if it was removed since. */
  agent: Type.String(),
  parent_run_id: nullable(Id),
  /** The `delegate` call that created the run; null for the orchestrator's own. */
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
  /** The model's text, unchanged. */
  arguments: Type.String(),
  state: oneOf(toolStates),
  outcome: nullable(oneOf(outcomes)),
  /** Null if it never started. */
  started_at: nullable(Time),
  finished_at: nullable(Time),
  /** Set if the tool is a gear whose run is on record. */
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

/** Of a message, as far as a summary shows it; the filter reads more. */
export const SUMMARY_CHARACTERS_MAX = 1_000;
export const SUMMARY_CHARACTERS_SEARCHED = 20_000;
export const SUMMARIES_DEFAULT = 50;
const FILTER_CHARACTERS_MAX = 200;

/** A turn with what it took. */
export const TurnSummary = closed({
  id: Id,
  number: Id,
  status: oneOf(turnStatuses),
  truncated: Type.Boolean(),
  /** The first 1,000 characters of the message. */
  text: Type.String(),
  user_name: Type.String(),
  imported: Imported,
  error: nullable(Type.String()),
  created_at: Time,
  started_at: nullable(Time),
  finished_at: nullable(Time),
  /** The names of the agents that took part, the orchestrator first. */
  agents: Type.Array(Type.String()),
  /** Ended model calls. */
  calls: Type.Integer(),
  /** Calls whose provider reported no tokens. */
  unreported_calls: Type.Integer(),
  /** Sums of what was reported; null if nothing was, which is not zero. */
  input_tokens: nullable(Type.Integer()),
  cached_input_tokens: nullable(Type.Integer()),
  output_tokens: nullable(Type.Integer()),
  /** In the unit of the models' prices; null if no price is known. */
  cost: nullable(Type.Number()),
  /** Calls whose cost is not known, and so not part of `cost`. */
  unpriced_calls: Type.Integer(),
});
export type TurnSummary = Static<typeof TurnSummary>;

const filterFields = {
  status: Type.Optional(oneOf(turnStatuses)),
  /** Turns in which this agent took part. */
  agent_id: Type.Optional(Id),
  /** Words of the message, or of the name of its person. */
  text: Type.Optional(Type.String({ maxLength: FILTER_CHARACTERS_MAX })),
};
export const TurnFilter = closed(filterFields);
export type TurnFilter = Static<typeof TurnFilter>;

export const TurnSummariesQuery = closed({
  ...PageQuery.properties,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_MAX, default: SUMMARIES_DEFAULT })),
  ...filterFields,
});
export type TurnSummariesQuery = Static<typeof TurnSummariesQuery>;

export const TurnSummaries = closed({
  turns: Type.Array(TurnSummary, { description: "newest first" }),
  /** Continue before this turn; null: there are no more. A page may be short of matches and yet not the last. */
  before: nullable(Id),
});
export type TurnSummaries = Static<typeof TurnSummaries>;

export const ExportTurnsQuery = closed({
  /** Default: json. */
  format: Type.Optional(oneOf(["csv", "json"])),
  ...filterFields,
});

export const ExportedTurns = closed({ workspace_id: Id, turns: Type.Array(TurnSummary) });

export const DiffQuery = closed({ to: Id });

export const CallDiff = closed({
  from: Id,
  to: Id,
  /** Number of common parts at the start. */
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
