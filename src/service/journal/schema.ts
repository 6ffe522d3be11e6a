// Everything that happens in a workspace, as events: stored before their effect is visible, then sent to every viewer.
// `delta` and `partial` are the exception: streamed text, sent and not stored; so is the last event of a deleted workspace.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id } from "../../kit/schema.ts";

export const storedTypes = [
  "turn.queued",
  "turn.started",
  "turn.resumed",
  "turn.finished",
  "entry",
  "entry.forgotten",
  "entry.restored",
  "status",
  "tool.call",
  "tool.output",
  "tool.result",
  "usage",
  "approval.requested",
  "approval.decided",
  "agent.created",
  "agent.updated",
  "agent.removed",
  "wire.created",
  "wire.removed",
  "gear.bound",
  "gear.unbound",
  "grant.created",
  "grant.removed",
  "file.saved",
  "instruction.bound",
  "instruction.unbound",
  "instruction.updated",
  "workspace.updated",
] as const;
export type StoredType = (typeof storedTypes)[number];
/** Sent without an id and not stored: with `workspace.removed` all that was stored is gone. */
export type TransientType = "delta" | "partial" | "workspace.removed";

/** One event as viewers get it in `data:`; `id:` and `event:` carry its number (ascending per workspace) and type. */
export interface EventEnvelope {
  readonly turn_id: number | null;
  readonly time: string;
  readonly data: unknown;
}

export const DeltaData = closed({
  run_id: Id,
  agent_id: Id,
  kind: Type.Union([Type.Literal("text"), Type.Literal("reasoning")]),
  text: Type.String(),
});
export type DeltaData = Static<typeof DeltaData>;

/** What an agent has said so far in a model call that is still streaming; for viewers that join late. */
export const PartialData = closed({
  run_id: Id,
  agent_id: Id,
  text: Type.String(),
  reasoning: Type.String(),
});
export type PartialData = Static<typeof PartialData>;

export const EventsQuery = closed({ after: Type.Optional(Type.Integer({ minimum: 0 })) });
