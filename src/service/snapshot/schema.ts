// A workspace's blueprint with everything attached to it, current or as of the start of a turn. The canvas shows it.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable } from "../../kit/schema.ts";
import { Agent, Wire } from "../blueprint/schema.ts";
import { EgressGrant } from "../egress/schema.ts";
import { GearBinding } from "../gears/schema.ts";
import { InstructionBinding } from "../library/schema.ts";
import { ContextBinding } from "../memory/schema.ts";

export const BlueprintQuery = closed({ at: Type.Optional(Id) });

/** One part per feature; stored as is with every turn. */
export const SnapshotContent = closed({
  agents: Type.Array(Agent),
  wires: Type.Array(Wire),
  gear_bindings: Type.Array(GearBinding),
  instruction_bindings: Type.Array(InstructionBinding),
  context_bindings: Type.Array(ContextBinding),
  egress_grants: Type.Array(EgressGrant),
});
export type SnapshotContent = Static<typeof SnapshotContent>;

export const BlueprintRecord = closed({
  workspace_id: Id,
  /** The turn that began with it; null for the current blueprint. */
  turn_id: nullable(Id),
  /** The last event that this response includes: follow the workspace's events from here. Null for a past blueprint. */
  event_id: nullable(Type.Integer()),
  ...SnapshotContent.properties,
});
export type BlueprintRecord = Static<typeof BlueprintRecord>;
