// The three roles in words: their names, and what each may do.

import type { Role } from "../../../src/service/identity/schema.ts";

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: "Admin",
  "team-lead": "Team lead",
  member: "Member",
};

export const ROLE_MEANS: Readonly<Record<Role, string>> = {
  admin: "Sees and changes everything, and decides on gears and searches.",
  "team-lead": "As a member; also manages the teams they belong to and shares own workspaces with them.",
  member: "Sees own workspaces and those shared with a team they belong to.",
};

export const roleChoices = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }));
