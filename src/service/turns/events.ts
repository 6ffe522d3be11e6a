// Events of turns, runs and tool calls. `delta` and `partial` are streamed text: sent, and not stored.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../../kit/schema.ts";
import { outcomes } from "../conversation/schema.ts";
import type { Superseded } from "../journal/schema.ts";
import { runStatuses, Turn } from "./schema.ts";

const TurnData = closed({ turn: Turn });
const ofRun = { run_id: Id, agent_id: Id };
/** A tool call; its model call is named by a number. */
const ofToolCall = { ...ofRun, call_id: Type.String(), tool: Type.String() };

/** `thinking`: its model answers; `working`: its tools run; `waiting`: a tool waits for a person; then how the run ended. */
export const runStates = ["thinking", "working", "waiting", ...runStatuses] as const;

export const turnEvents = {
  "turn.queued": TurnData,
  "turn.started": TurnData,
  "turn.resumed": TurnData,
  /** `final` false: the turn was resumed after this end. Only a replay can know. */
  "turn.finished": closed({ turn: Turn, final: Type.Boolean() }),
  status: closed({
    ...ofRun,
    state: oneOf(runStates),
    /** Of a model call that begins. */
    call_id: Type.Optional(Id),
    /** Why it is the run's last. */
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

/** The end of a stream that shows one turn. */
export const TURN_FINISHED = "turn.finished" satisfies keyof TurnEvents;

/** An end that was not final, as a replay tells it. */
export const resumedEnds: Superseded = {
  type: TURN_FINISHED,
  by: ["turn.resumed", "turn.started"] satisfies (keyof TurnEvents)[],
  field: "final",
};

export const DeltaData = closed({
  ...ofRun,
  kind: Type.Union([Type.Literal("text"), Type.Literal("reasoning")]),
  text: Type.String(),
});
export type DeltaData = Static<typeof DeltaData>;

/** What an agent has said so far in a model call that is still streaming; for viewers that join late. */
export const PartialData = closed({ ...ofRun, text: Type.String(), reasoning: Type.String() });
export type PartialData = Static<typeof PartialData>;

export const streamedEvents = { delta: DeltaData, partial: PartialData };
export type StreamedEvents = typeof streamedEvents;
