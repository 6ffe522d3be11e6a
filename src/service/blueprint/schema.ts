// The blueprint: agents, and the wires between them. A wire is the permission to delegate, in one direction.

import { Type, type Static } from "@sinclair/typebox";
import { judgedText, closed, Id, nullable, Time } from "../../kit/schema.ts";
import { Budget } from "../workspaces/schema.ts";

export const ROLE_CHARACTERS_MAX = 100_000;
export const AGENTS_PER_WORKSPACE_MAX = 500;
/** Of the agents of a workspace together: each list of them has all roles, and each turn keeps those that it began with. */
export const ROLES_BYTES_MAX = 2 * 1024 * 1024;
export const WIRES_PER_WORKSPACE_MAX = 5_000;
export const ORCHESTRATOR_NAME = "orchestrator";
/** Models write agent names to delegate. Short, so that they stay readable on the canvas. */
export const AGENT_NAME_CHARACTERS_MAX = 60;

/** In canvas units; the interface defines the origin and scale. */
export const Position = closed({
  x: Type.Number({ minimum: -1e6, maximum: 1e6 }),
  y: Type.Number({ minimum: -1e6, maximum: 1e6 }),
});
export type Position = Static<typeof Position>;

export const Agent = closed({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  role: Type.String({ description: "the system prompt, part of every request" }),
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

/** An absent field is unchanged. */
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
