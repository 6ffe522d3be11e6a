// Everything that happens in a workspace, as events: stored before their effect is visible, then sent to every viewer.
// `delta` and `partial` are the exception: streamed text, sent and not stored; so is the last event of a deleted workspace.
// What an event of each type carries is said here once: who appends it is checked against this, who shows it reads it by this.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../../kit/schema.ts";
import { Approval, approvalKinds } from "../approvals/schema.ts";
import { Agent, Wire } from "../blueprint/schema.ts";
import { Entry, outcomes } from "../conversation/schema.ts";
import { EgressGrant } from "../egress/schema.ts";
import { GearBinding, GearStatus } from "../gears/schema.ts";
import { InstructionBinding } from "../library/schema.ts";
import { AuthKind } from "../identity/schema.ts";
import { runStatuses, Turn } from "../turns/schema.ts";
import { Workspace } from "../workspaces/schema.ts";

const TurnData = closed({ turn: Turn });
const AgentData = closed({ agent: Agent });
const EntryIdData = closed({ entry_id: Id });
const ofRun = { run_id: Id, agent_id: Id };
/** A tool call; its model call is named by a number. */
const ofToolCall = { ...ofRun, call_id: Type.String(), tool: Type.String() };

/** `thinking`: its model answers; `working`: its tools run; `waiting`: one of them for a person; then how the run ended. */
export const runStates = ["thinking", "working", "waiting", ...runStatuses] as const;

/** What became of an approval. `withdrawn`: what it was about is gone. */
export const approvalDecisions = [
  "approved",
  "accepted",
  "refused",
  "disabled",
  "expired",
  "withdrawn",
] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

export const ApprovalDecided = closed({
  kind: oneOf(approvalKinds),
  id: Id,
  decision: oneOf(approvalDecisions),
  /** Null: the service, since time ran out or the turn was cancelled. */
  by: nullable(Type.String()),
  auth: nullable(AuthKind),
  reason: nullable(Type.String()),
  content_hash: Type.String(),
});
export type ApprovalDecided = Static<typeof ApprovalDecided>;

/** `data` of every type of event that is stored. */
export const storedEventData = {
  "turn.queued": TurnData,
  "turn.started": TurnData,
  "turn.resumed": TurnData,
  /** `final` false: the turn was resumed after this end. Only a replay can know. */
  "turn.finished": closed({ turn: Turn, final: Type.Boolean() }),
  entry: closed({ entry: Entry }),
  "entry.forgotten": EntryIdData,
  "entry.restored": EntryIdData,
  "entry.taint_cleared": EntryIdData,
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
  "approval.requested": closed({ approval: Approval }),
  "approval.decided": ApprovalDecided,
  "agent.created": AgentData,
  "agent.updated": AgentData,
  "agent.removed": closed({ agent_id: Id }),
  "wire.created": closed({ wire: Wire }),
  "wire.removed": closed({ wire_id: Id }),
  "gear.bound": closed({ binding: GearBinding }),
  "gear.unbound": closed({ binding_id: Id }),
  "gear.updated": closed({
    gear_id: Id,
    name: Type.String(),
    status: GearStatus,
    version: Id,
    user: Type.String(),
  }),
  "gear.removed": closed({ gear_id: Id, name: Type.String(), user: Type.String() }),
  "grant.created": closed({ grant: EgressGrant }),
  "grant.removed": closed({ grant_id: Id }),
  "file.saved": closed({
    path: Type.String(),
    version: Type.String(),
    size: Type.Integer(),
    created: Type.Boolean(),
    user: Type.String(),
    agent: nullable(Type.String()),
  }),
  "instruction.bound": closed({ binding: InstructionBinding }),
  "instruction.unbound": closed({ binding_id: Id, instruction_id: Id, agent_id: nullable(Id) }),
  "instruction.updated": closed({
    instruction_id: Id,
    name: Type.String(),
    version: Id,
    user: Type.String(),
  }),
  "workspace.updated": closed({ workspace: Workspace }),
};
export type StoredType = keyof typeof storedEventData;

export const DeltaData = closed({
  ...ofRun,
  kind: Type.Union([Type.Literal("text"), Type.Literal("reasoning")]),
  text: Type.String(),
});
export type DeltaData = Static<typeof DeltaData>;

/** What an agent has said so far in a model call that is still streaming; for viewers that join late. */
export const PartialData = closed({ ...ofRun, text: Type.String(), reasoning: Type.String() });
export type PartialData = Static<typeof PartialData>;

/** `data` of what is sent without an id and not stored: with `workspace.removed` all that was stored is gone. */
export const transientEventData = {
  delta: DeltaData,
  partial: PartialData,
  "workspace.removed": closed({ workspace_id: Id }),
};
export type TransientType = keyof typeof transientEventData;

export const eventData = { ...storedEventData, ...transientEventData };
export type EventType = keyof typeof eventData;
export type EventData<T extends EventType> = Static<(typeof eventData)[T]>;

/** An event with what its frame says beside `data:`. */
export type WorkspaceEvent =
  | {
      [T in StoredType]: {
        readonly id: number;
        readonly type: T;
        readonly turn_id: number | null;
        /** RFC 3339, UTC. */
        readonly time: string;
        readonly data: EventData<T>;
      };
    }[StoredType]
  | {
      [T in TransientType]: {
        readonly id: null;
        readonly type: T;
        readonly turn_id: number | null;
        /** Empty: it is of the moment. */
        readonly time: "";
        readonly data: EventData<T>;
      };
    }[TransientType];

/** One event as viewers get it in `data:`; `id:` and `event:` carry its number (ascending per workspace) and type. */
export interface EventEnvelope<T extends EventType = EventType> {
  readonly turn_id: number | null;
  readonly time: string;
  readonly data: EventData<T>;
}

export const EventsQuery = closed({ after: Type.Optional(Type.Integer({ minimum: 0 })) });
