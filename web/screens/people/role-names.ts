// Names and descriptions of the three roles.

import type { Role } from "../../../src/service/identity/schema.ts";

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: "Admin",
  "team-lead": "Team lead",
  member: "Member",
};

export const ROLE_MEANS: Readonly<Record<Role, string>> = {
  admin: "Sees and changes everything, and decides on gears and searches.",
  "team-lead": "Like a member; also manages their teams and shares their workspaces with them.",
  member: "Sees their own workspaces and those shared with their teams.",
};

export const roleChoices = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }));
