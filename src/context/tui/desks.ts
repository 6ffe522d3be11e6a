// The desks of `cairn tui`: a folder of this machine, lent for one unit of work at a time, and a server through its API.

import type { HealthState } from "../../kit/health.ts";
import { encodedPath, type Client } from "../client/client.ts";
import { openConflicts, showConflict } from "../replica/conflicts.ts";
import type { SpaceDoor } from "../space/door.ts";
import type { LentSpace } from "../space/lent.ts";
import { listedSpaces } from "../space/listed-spaces.ts";
import { RemoteSpace } from "../space/remote.ts";
import type { Acl } from "../access/schema.ts";
import type { Token, User } from "../people/schema.ts";
import type { Desk, ReadDoor, ServerDesk, UserDetails, WritingHands } from "./desk.ts";

type Editor = Pick<WritingHands, "edit">;

export function folderDesk(lent: LentSpace, place: string, editor: Editor): Desk {
  return {
    place,
    spaces: () => lent.use(async (space) => ({ spaces: [await space.record()], unopened: [] })),
    look: (_, work) => lent.use(work),
    deleted: (_, limit) => lent.use((space) => deletedOf(space, limit)),
    conflicts: () => lent.use((space) => openConflicts(space)),
    compare: (_, { copy }) => lent.use(async (space) => (await showConflict(space, copy)).diff),
    hands: { transport: "terminal", use: (_, work) => lent.use(work), ...editor },
  };
}

/** The caller closes the client. */
export function serverDesk(client: Client, editor: Editor): Desk {
  const doorOf = (space: string): SpaceDoor => new RemoteSpace(client, space);
  const look = <T>(space: string, work: (door: ReadDoor) => Promise<T>) => work(doorOf(space));
  return {
    place: client.name,
    spaces: () => listedSpaces(client),
    look,
    deleted: (space, limit) => look(space, (door) => deletedOf(door, limit)),
    conflicts: (space) => look(space, (door) => openConflicts(door)),
    compare: (space, { copy }) => look(space, async (door) => (await showConflict(door, copy)).diff),
    server: serverOf(client),
    hands: {
      transport: "terminal",
      use: (space, work) => work(doorOf(space)),
      ...editor,
      setDisabled: (user, disabled) =>
        client.json("POST", `/users/${encodedPath(user)}/${disabled ? "disable" : "enable"}`),
    },
  };
}

function serverOf(client: Client): ServerDesk {
  return {
    whoAmI: () => client.get("/auth/whoami"),
    health: () => healthOf(client),
    users: () => client.get("/users"),
    user: (name) => userOf(client, name),
    audit: (query) => client.get("/audit", query),
    verify: () => client.get("/audit/verify"),
  };
}

async function userOf(client: Client, name: string): Promise<UserDetails> {
  const path = `/users/${encodedPath(name)}`;
  const [user, tokens, { rules }] = await Promise.all([
    client.get<User>(path),
    client.get<Token[]>(`${path}/tokens`),
    client.get<Acl>(`${path}/acl`),
  ]);
  const uses = tokens.flatMap(({ last_used_at: used }) => used ?? []);
  return { user, tokens, rules, lastSeen: uses.toSorted().at(-1) ?? null };
}

/** The files that were changed last come first. */
async function deletedOf(space: Pick<ReadDoor, "list">, limit: number) {
  const files = (await space.list({ deleted: true })).filter(({ state }) => state === "deleted");
  const sorted = files.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  return { files: sorted.slice(0, limit), isMore: files.length > limit };
}

/** A server that is not well says so with an error status. */
async function healthOf(client: Client): Promise<HealthState> {
  return client.get("/health");
}
