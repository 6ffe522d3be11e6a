// Names of people and teams by id. Only admins can list all people; others know themselves and the members of their teams.

import { createMemo } from "solid-js";
import type { Team } from "../../../src/service/people/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { teamsQuery, usersQuery } from "../../state/lists.ts";
import { me } from "../../state/session.ts";

export interface Names {
  readonly teams: () => readonly Team[];
  readonly owner: (workspace: Workspace) => string;
  readonly sharedWith: (workspace: Workspace) => readonly string[];
}

export function createNames(): Names {
  const teams = teamsQuery();
  const users = usersQuery();
  const people = createMemo(
    () =>
      new Map(
        [...(teams.data() ?? []).flatMap(({ members }) => members), ...(users.data() ?? [])].map(
          ({ id, name }) => [id, name],
        ),
      ),
  );
  const teamNames = createMemo(() => new Map((teams.data() ?? []).map(({ id, name }) => [id, name])));
  return {
    teams: () => teams.data() ?? [],
    owner: ({ owner_id: id }) => (id === me()?.id ? "you" : (people().get(id) ?? "someone else")),
    sharedWith: ({ team_ids: ids }) => ids.map((id) => teamNames().get(id) ?? `team ${id}`),
  };
}
