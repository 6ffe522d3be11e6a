// Workspaces, their sharing, and the budgets of workspaces and agents.

import { Type, type Static } from "@sinclair/typebox";
import { GivenName, closed, Id, ID_LIMITS, judgedNumber, nullable, Time, Flag } from "../../kit/schema.ts";

export const DESCRIPTION_CHARACTERS_MAX = 10_000;
export const WORKSPACES_PER_LIST_MAX = 10_000;

const Tokens = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Spending limits; null or absent means no limit. Tokens are input plus output; costs are in the unit of the model prices. */
export const Budget = closed({
  tokens_per_turn: Type.Optional(nullable(Tokens)),
  tokens_per_day: Type.Optional(nullable(Tokens)),
  cost_per_turn: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0 }))),
  cost_per_day: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0 }))),
});
export type Budget = Static<typeof Budget>;

export const Workspace = closed({
  id: Id,
  name: Type.String(),
  /** The name that people see: `name`, until someone chooses another one. */
  display_name: Type.String(),
  description: Type.String(),
  branch: Type.String(),
  shared_branch: Type.String(),
  owner_id: Id,
  team_ids: Type.Array(Id),
  budget: nullable(Budget),
  created_at: Time,
  /** An archived workspace is hidden from lists, and nothing in it changes; null: it is not archived. */
  archived_at: nullable(Time),
});
export type Workspace = Static<typeof Workspace>;

export const CreateWorkspace = closed({
  name: GivenName,
  description: Type.Optional(Type.String({ maxLength: DESCRIPTION_CHARACTERS_MAX })),
  /** A number that is no ID is a model that does not exist: 404, not 400. */
  orchestrator_model_id: judgedNumber(ID_LIMITS, { whole: true, description: "a model of the catalog" }),
});
export type CreateWorkspace = Static<typeof CreateWorkspace>;

/** Name and description are immutable. A null `display_name` restores the name. */
export const UpdateWorkspace = Type.Object(
  { budget: Type.Optional(nullable(Budget)), display_name: Type.Optional(nullable(GivenName)) },
  { additionalProperties: false, minProperties: 1, "x-immutable": ["name", "description"] },
);
export type UpdateWorkspace = Static<typeof UpdateWorkspace>;

/** Archived workspaces are a list of their own. */
export const WorkspacesQuery = closed({ archived: Flag });
export const CloneWorkspace = closed({ name: Type.Optional(GivenName) });
export const TeamParams = closed({ id: Id, team_id: Id });
