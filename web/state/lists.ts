// Lists that several screens read, by name. `refresh("gears")` after a change refetches them on every screen.

import type { ContextStatus } from "../../src/service/memory/schema.ts";
import { api, take } from "../api/client.ts";
import { createQuery, type Query } from "../api/query.ts";
import { byName } from "../kit/names.ts";
import { notifies } from "./notify.ts";
import { isAdmin, me } from "./session.ts";

const APPROVALS_EVERY_MS = 15_000;
const SPACE_EVERY_MS = 15_000;
const DOCUMENTS_EVERY_MS = 30_000;

const nameOf = ({ name }: { readonly name: string }) => name;

export const workspacesQuery = () =>
  createQuery(() => ({
    key: ["workspaces"],
    read: async () => byName(await take(api.workspaces.get({ query: {} })), ({ display_name: name }) => name),
  }));
/** Archived workspaces are a list of their own; `refresh("workspaces")` reads both. */
export const archivedQuery = () =>
  createQuery(() => ({
    key: ["workspaces", "archived"],
    read: () => take(api.workspaces.get({ query: { archived: "1" } })),
  }));
export const modelsQuery = () =>
  createQuery(() => ({
    key: ["models"],
    read: async () => byName(await take(api.models.get()), ({ label }) => label),
  }));
export const providersQuery = () =>
  createQuery(() => ({
    key: ["providers"],
    read: async () => byName(await take(api.providers.get()), nameOf),
  }));
export const gearsQuery = () =>
  createQuery(() => ({ key: ["gears"], read: async () => byName(await take(api.gears.get()), nameOf) }));
/** Whether gears run isolated on this server, and which images are missing. */
export const isolationQuery = () =>
  createQuery(() => ({ key: ["gears", "isolation"], read: () => take(api.gears.isolation.get()) }));
export const instructionsQuery = () =>
  createQuery(() => ({
    key: ["instructions"],
    read: async () => byName(await take(api.instructions.get()), nameOf),
  }));
export const teamsQuery = () =>
  createQuery(() => ({
    key: ["teams"],
    read: async () =>
      byName(await take(api.teams.get()), nameOf).map((team) => ({
        ...team,
        members: byName(team.members, nameOf),
      })),
  }));
/** Admins only: no one else may list people. */
export const usersQuery = () =>
  createQuery(() =>
    isAdmin() ? { key: ["users"], read: async () => byName(await take(api.users.get()), nameOf) } : undefined,
  );
/** Whether agents may search the web here, and why not. */
export const egressQuery = () =>
  createQuery(() => ({ key: ["egress", "status"], read: () => take(api.egress.status.get()) }));
/** Approvals that the signed-in person may decide, over all workspaces. */
export const approvalsQuery = () =>
  createQuery(() => (me() ? { key: ["approvals"], read: () => take(api.approvals.get()) } : undefined), {
    every: APPROVALS_EVERY_MS,
    hidden: notifies,
  });
/** Whether there is a context space, and what to do if not. */
export const spaceQuery = () =>
  createQuery(() => ({ key: ["context", "status"], read: () => take(api.context.status.get()) }), {
    every: SPACE_EVERY_MS,
  });
/** Every document of the space, also deleted ones. For admins, while there is a space. */
export function documentsQuery(space: Query<ContextStatus>) {
  return createQuery(
    () =>
      isAdmin() && space.data()?.available
        ? { key: ["context", "files"], read: () => take(api.context.files.get({ query: { deleted: "1" } })) }
        : undefined,
    { every: DOCUMENTS_EVERY_MS },
  );
}
