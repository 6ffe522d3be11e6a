// Events of turns, runs and tool calls. `delta` and `partial` are streamed text, which is sent but not stored.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../../kit/schema.ts";
import { outcomes } from "../conversation/schema.ts";
import type { Superseded } from "../journal/schema.ts";
import { overStatuses, runStatuses, Turn } from "./schema.ts";

const TurnData = closed({ turn: Turn });
const ofRun = { run_id: Id, agent_id: Id };
/** `call_id` is that of the tool call, a text; a model call has a number. */
const ofToolCall = { ...ofRun, call_id: Type.String(), tool: Type.String() };

/** `thinking`: the model is answering. `working`: tools are running. `waiting`: a tool waits for a person. The others are ends of the run. */
const runStates = ["thinking", "working", "waiting", ...runStatuses] as const;

export const turnEvents = {
  "turn.queued": TurnData,
  "turn.started": TurnData,
  "turn.resumed": TurnData,
  /** `error` is absent if there is none. `final` is false if the turn was resumed later, which only a replay can show. */
  "turn.finished": closed({
    status: oneOf(overStatuses),
    error: Type.Optional(Type.String()),
    turn: Turn,
    final: Type.Boolean(),
  }),
  /** Another branch became current; `turn_id` is its last turn, null for none. */
  "branch.switched": closed({ turn_id: nullable(Id) }),
  status: closed({
    ...ofRun,
    state: oneOf(runStates),
    /** Id of a model call that begins. */
    call_id: Type.Optional(Id),
    /** Why this is the run's last model call. */
    limit: Type.Optional(Type.String()),
  }),
  "tool.call": closed({ ...ofToolCall, arguments: Type.String() }),
  "tool.output": closed({ ...ofToolCall, stream: oneOf(["stdout", "stderr"] as const), text: Type.String() }),
  "tool.result": closed({
    ...ofToolCall,
    outcome: oneOf(outcomes),
    text: Type.String(),
    duration_ms: nullable(Type.Integer()),
  }),
  usage: closed({
    ...ofRun,
    call_id: Id,
    input_tokens: nullable(Type.Integer()),
    cached_input_tokens: nullable(Type.Integer()),
    output_tokens: nullable(Type.Integer()),
    cost: nullable(Type.Number()),
  }),
};
export type TurnEvents = typeof turnEvents;

/** The event that ends a turn's stream. */
export const TURN_FINISHED = "turn.finished" satisfies keyof TurnEvents;

/** Marks the ends of resumed turns as not final in a replay. */
export const resumedEnds: Superseded = {
  type: TURN_FINISHED,
  by: ["turn.resumed", "turn.started"] satisfies (keyof TurnEvents)[],
  field: "final",
};

const DeltaData = closed({
  ...ofRun,
  kind: Type.Union([Type.Literal("text"), Type.Literal("reasoning")]),
  text: Type.String(),
});

/** The text so far of a model call that is still streaming, for late viewers. */
const PartialData = closed({ ...ofRun, text: Type.String(), reasoning: Type.String() });
type PartialData = Static<typeof PartialData>;

/** The provider refused a model call, or was not reached. The next attempt begins after `wait_ms`; 0: it begins now. Late viewers get the rest. */
const RetryData = closed({
  ...ofRun,
  wait_ms: Type.Integer({ minimum: 0 }),
  /** HTTP status of the refusal; null when there was none. */
  status: nullable(Type.Integer()),
});

type RetryData = Static<typeof RetryData>;

/** The text of open model calls for a viewer who joins late. */
export type InProgress =
  | { readonly turnId: number; readonly type: "partial"; readonly data: PartialData }
  | { readonly turnId: number; readonly type: "retry"; readonly data: RetryData };

export const streamedEvents = { delta: DeltaData, partial: PartialData, retry: RetryData };
export type StreamedEvents = typeof streamedEvents;
