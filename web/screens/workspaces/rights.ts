// The server's rules for workspaces, to hide controls that it would refuse. Pure.

import type { WhoAmI } from "../../../src/service/people/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";

/** Admins may share a workspace with any team; its owner with teams that they lead. */
export function mayShare(who: WhoAmI, workspace: Workspace, teamId: number): boolean {
  if (who.role === "admin") return true;
  return who.role === "team-lead" && workspace.owner_id === who.id && who.team_ids.includes(teamId);
}

/** Delete, rename, archive and export. */
export function owns(who: WhoAmI, workspace: Workspace): boolean {
  return who.role === "admin" || workspace.owner_id === who.id;
}
