// A workspace's blueprint with everything attached to it: what the canvas shows, now or as it was when a turn began.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable } from "../../kit/schema.ts";
import { Agent, Wire } from "../blueprint/schema.ts";
import { EgressGrant } from "../egress/schema.ts";
import { GearBinding } from "../gears/schema.ts";
import { InstructionBinding } from "../library/schema.ts";

export const BlueprintQuery = closed({ at: Type.Optional(Id) });

/** One part for each feature; stored as it is with every turn. */
export const SnapshotContent = closed({
  agents: Type.Array(Agent),
  wires: Type.Array(Wire),
  gear_bindings: Type.Array(GearBinding),
  instruction_bindings: Type.Array(InstructionBinding),
  egress_grants: Type.Array(EgressGrant),
});
export type SnapshotContent = Static<typeof SnapshotContent>;

export const BlueprintRecord = closed({
  workspace_id: Id,
  /** The turn that began with it; null: as it is now. */
  turn_id: nullable(Id),
  /** Last event that this answer includes: follow the workspace's events from here. Null for the past. */
  event_id: nullable(Type.Integer()),
  ...SnapshotContent.properties,
});
export type BlueprintRecord = Static<typeof BlueprintRecord>;
