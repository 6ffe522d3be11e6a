// Rules for teams. Anyone lists them, admins write them, and a team-lead adds and removes members of their own teams.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { parseName } from "../../kit/text/names.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Team } from "./schema.ts";
import type { PeopleStore, TeamMemberRow, TeamRow } from "./store.ts";

interface TeamsDeps {
  db: Db;
  store: PeopleStore;
  audit: Audit;
  clock: Clock;
  /** Called after members or teams change, so that open streams and turns recheck their rights. */
  rightsChanged: () => void;
}

export class Teams {
  readonly #deps: TeamsDeps;

  constructor(deps: TeamsDeps) {
    this.#deps = deps;
  }

  list(): Team[] {
    const { store } = this.#deps;
    const members = Map.groupBy(store.members.all(), (row) => row.team_id);
    return store.teams.all().map((team) => toTeam(team, members.get(team.id) ?? []));
  }

  create(caller: Caller, input: { name: string }): Promise<Team> {
    const { db, store, audit, clock } = this.#deps;
    const name = parseName("name", input.name);
    return db.write(() => {
      requireAdmin(caller);
      this.#requireFreeName(name.key, name.text);
      const { id } = store.insertTeam.get(name.text, name.key, clock.now())!;
      audit.record(caller, { action: "team.create", target: `team:${id}`, detail: { name: name.text } });
      return this.#record(id);
    });
  }

  rename(caller: Caller, id: number, input: { name: string }): Promise<Team> {
    const { db, store, audit } = this.#deps;
    const name = parseName("name", input.name);
    return db.write(() => {
      requireAdmin(caller);
      const team = this.existing(id);
      this.#requireFreeName(name.key, name.text, id);
      store.renameTeam.run(name.text, name.key, id);
      audit.record(caller, {
        action: "team.rename",
        target: `team:${id}`,
        detail: { from: team.name, to: name.text },
      });
      return this.#record(id);
    });
  }

  /** Also ends the sharing of workspaces with the team. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, audit, rightsChanged } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const team = this.existing(id);
      store.deleteTeam.run(id);
      db.afterCommit(rightsChanged);
      audit.record(caller, { action: "team.delete", target: `team:${id}`, detail: { name: team.name } });
    });
  }

  addMember(caller: Caller, id: number, userId: number): Promise<Team> {
    const { db, store, audit, rightsChanged } = this.#deps;
    return db.write(() => {
      this.#requireLead(caller, id);
      const user = store.userById.get(userId);
      if (!user) throw notFound("user", userId);
      if (store.addMember.run(id, userId) > 0) {
        db.afterCommit(rightsChanged);
        const detail = { user: userId, user_name: user.name };
        audit.record(caller, { action: "team.member.add", target: `team:${id}`, detail });
      }
      return this.#record(id);
    });
  }

  removeMember(caller: Caller, id: number, userId: number): Promise<void> {
    const { db, store, audit, rightsChanged } = this.#deps;
    return db.write(() => {
      this.#requireLead(caller, id);
      if (store.removeMember.run(id, userId) === 0) throw notFound("member", userId);
      db.afterCommit(rightsChanged);
      const detail = { user: userId, user_name: store.userById.get(userId)?.name ?? null };
      audit.record(caller, { action: "team.member.remove", target: `team:${id}`, detail });
    });
  }

  existing(id: number): TeamRow {
    const team = this.#deps.store.teamById.get(id);
    if (!team) throw notFound("team", id);
    return team;
  }

  isMember(id: number, userId: number): boolean {
    return this.#deps.store.isMember.get(id, userId) !== null;
  }

  /** Call it inside a write. Raises `forbidden` unless the caller is an admin, or a team-lead who belongs to the team. */
  #requireLead(caller: Caller, id: number): void {
    this.existing(id);
    if (caller.role === "admin") return;
    if (caller.role === "team-lead" && this.#deps.store.isMember.get(id, caller.userId)) return;
    throw new AppError("forbidden", "only an admin, or a team-lead who belongs to the team, may do this");
  }

  #requireFreeName(key: string, text: string, exceptId?: number): void {
    const other = this.#deps.store.teamByKey.get(key);
    if (other && other.id !== exceptId)
      throw fieldError("conflict", "name", `a team named "${text}" already exists`);
  }

  #record(id: number): Team {
    const { store } = this.#deps;
    return toTeam(this.existing(id), store.membersOf.all(id));
  }
}

function toTeam(team: TeamRow, members: TeamMemberRow[]): Team {
  return { id: team.id, name: team.name, members: members.map(({ id, name, role }) => ({ id, name, role })) };
}
