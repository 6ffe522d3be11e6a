// The blueprint: agents and the wires between them. A wire is the permission to delegate, in its direction.

import { Type, type Static } from "@sinclair/typebox";
import { judgedText, closed, Id, nullable, Time } from "../../kit/schema.ts";
import { EgressGrant } from "../egress/schema.ts";
import { GearBinding } from "../gears/schema.ts";
import { InstructionBinding } from "../library/schema.ts";
import { Budget } from "../workspaces/schema.ts";

export const ROLE_CHARACTERS_MAX = 100_000;
export const AGENTS_PER_WORKSPACE_MAX = 500;
export const WIRES_PER_WORKSPACE_MAX = 5_000;
export const ORCHESTRATOR_NAME = "orchestrator";
/** Agent names are what models write to delegate; short, so that they stay readable on the canvas. */
export const AGENT_NAME_CHARACTERS_MAX = 60;

/** Canvas units; the origin and scale are the interface's. */
export const Position = closed({
  x: Type.Number({ minimum: -1e6, maximum: 1e6 }),
  y: Type.Number({ minimum: -1e6, maximum: 1e6 }),
});
export type Position = Static<typeof Position>;

export const Agent = closed({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  role: Type.String({ description: "the system prompt, always carried" }),
  model_id: Id,
  orchestrator: Type.Boolean(),
  position: Position,
  budget: nullable(Budget),
  created_at: Time,
});
export type Agent = Static<typeof Agent>;

const AgentName = judgedText({ minLength: 1, maxLength: AGENT_NAME_CHARACTERS_MAX });
const Role = Type.String({ maxLength: ROLE_CHARACTERS_MAX });

export const CreateAgent = closed({
  name: AgentName,
  role: Role,
  model_id: Id,
  position: Type.Optional(Position),
});
export type CreateAgent = Static<typeof CreateAgent>;

/** What is absent stays as it is. */
export const UpdateAgent = closed({
  name: Type.Optional(AgentName),
  role: Type.Optional(Role),
  model_id: Type.Optional(Id),
  position: Type.Optional(Position),
  budget: Type.Optional(nullable(Budget)),
});
export type UpdateAgent = Static<typeof UpdateAgent>;

export const Wire = closed({
  id: Id,
  workspace_id: Id,
  from_agent_id: Id,
  to_agent_id: Id,
  created_at: Time,
});
export type Wire = Static<typeof Wire>;

export const CreateWire = closed({ from_agent_id: Id, to_agent_id: Id });
export type CreateWire = Static<typeof CreateWire>;

export const BlueprintQuery = closed({ at: Type.Optional(Id) });

/** What hangs on agents: gears and instructions bound to them or to all, and who may search the web. */
export const Attachments = closed({
  gear_bindings: Type.Array(GearBinding),
  instruction_bindings: Type.Array(InstructionBinding),
  egress_grants: Type.Array(EgressGrant),
});
export type Attachments = Static<typeof Attachments>;

export const BlueprintRecord = closed({
  workspace_id: Id,
  /** The turn that began with it; null: as it is now. */
  turn_id: nullable(Id),
  /** Last event that this answer includes: follow the workspace's events from here. Null for the past. */
  event_id: nullable(Type.Integer()),
  agents: Type.Array(Agent),
  wires: Type.Array(Wire),
  ...Attachments.properties,
});
export type BlueprintRecord = Static<typeof BlueprintRecord>;
