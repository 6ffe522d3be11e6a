// Events of workspaces.

import { closed, Id } from "../../kit/schema.ts";
import { Workspace } from "./schema.ts";

export const workspaceEvents = { "workspace.updated": closed({ workspace: Workspace }) };
export type WorkspaceEvents = typeof workspaceEvents;

/** The last event of a deleted workspace; it is not stored. */
export const workspaceEnd = { "workspace.removed": closed({ workspace_id: Id }) };
