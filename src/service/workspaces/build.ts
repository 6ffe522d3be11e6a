// Builds workspaces. Access to them comes first, because the features that are parts of a workspace ask for it.

import type { Ground } from "../ground.ts";
import type { Teams } from "../people/teams.ts";
import type { Access } from "./access.ts";
import type { WorkspaceStore } from "./store.ts";
import { Workspaces, type WorkspacePart } from "./workspaces.ts";

interface WorkspacesNeeds {
  readonly workspaceRows: WorkspaceStore;
  readonly access: Access;
  readonly teams: Teams;
  readonly parts: readonly WorkspacePart[];
}

export function buildWorkspaces(ground: Ground, { workspaceRows, access, teams, parts }: WorkspacesNeeds) {
  const { db, clock, log, background, audit, journal } = ground;
  const store = workspaceRows;
  const workspaces = new Workspaces({
    db,
    store,
    access,
    teams,
    journal,
    audit,
    background,
    log,
    clock,
    parts,
  });
  return { workspaces, workspaceBudget: workspaces.budgetOf.bind(workspaces) };
}
