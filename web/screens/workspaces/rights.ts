// Who may do what to a workspace, as the server's rules have it: for leaving out controls that it would refuse. Pure.

import type { WhoAmI } from "../../../src/service/people/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";

/** Who may share a workspace with this team and end it: an admin, or the owner who is a team-lead in it. */
export function mayShare(who: WhoAmI, workspace: Workspace, teamId: number): boolean {
  if (who.role === "admin") return true;
  return who.role === "team-lead" && workspace.owner_id === who.id && who.team_ids.includes(teamId);
}

export function mayDelete(who: WhoAmI, workspace: Workspace): boolean {
  return who.role === "admin" || workspace.owner_id === who.id;
}
