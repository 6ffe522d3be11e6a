// Rules for workspaces: create, edit, share with teams, archive, clone, delete. A workspace's name and storage paths never change.
//
// A clone takes several writes and becomes visible with the last; a deleted workspace becomes invisible with the first.

import type { Background } from "../../kit/concurrency/background.ts";
import { rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { inWrites } from "../../kit/storage/in-writes.ts";
import type { Log } from "../../kit/log.ts";
import { suffixed, nameKey, parseName, type Name } from "../../kit/text/names.ts";
import type { Audit } from "../audit/audit.ts";
import type { Journal } from "../journal/journal.ts";
import type { WorkspaceEvents } from "./events.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Teams } from "../people/teams.ts";
import { requireUnarchived, type Access } from "./access.ts";
import { pathSegment } from "./branch-names.ts";
import { Removal } from "./removal.ts";
import {
  WORKSPACES_PER_LIST_MAX,
  type Budget,
  type CreateWorkspace,
  type UpdateWorkspace,
  type Workspace,
} from "./schema.ts";
import { Staging } from "./staging.ts";
import { viewerOf, type WorkspaceRow, type WorkspaceStore } from "./store.ts";

const COPY_NAMES_TRIED_MAX = 1000;

/** A feature's part in the life of a workspace. */
export interface WorkspacePart {
  /** Called inside the write that creates the workspace; an error makes that write fail. */
  readonly created?: (workspaceId: number, input: CreateWorkspace) => void;
  /**
   * Reads the original's rows; the returned function copies them one by one. `agents` maps the original's ids to the copy's, and is
   * complete once the blueprint, the first part, is copied.
   */
  readonly cloned?: (fromId: number) => (toId: number, agents: Map<number, number>) => Generator<void>;
  /** Called inside the write that archives the workspace; an error makes that write fail. */
  readonly archiving?: (workspaceId: number) => void;
  /** Called once the workspace is archived. */
  readonly archived?: (workspaceId: number) => void;
  /** Called once the workspace is no longer visible. */
  readonly removed?: (workspaceId: number) => void;
}

interface NewWorkspace {
  readonly name: Name;
  readonly description: string;
  readonly ownerId: number;
  /** As JSON. */
  readonly budget: string | null;
  readonly state: "live" | "coming";
}

interface WorkspacesDeps {
  db: Db;
  store: WorkspaceStore;
  access: Access;
  teams: Teams;
  journal: Journal<WorkspaceEvents>;
  audit: Audit;
  background: Background;
  log: Log;
  clock: Clock;
  /** Called in this order; the blueprint comes first. */
  parts: readonly WorkspacePart[];
}

export class Workspaces {
  readonly removal: Removal;
  readonly staging: Staging;
  readonly #deps: WorkspacesDeps;

  constructor(deps: WorkspacesDeps) {
    this.#deps = deps;
    this.removal = new Removal(deps);
    this.staging = new Staging({
      ...deps,
      insertComing: (ownerId, made) => this.#insertComing(ownerId, made),
      recordOf: (id) => this.#record(id),
      abandon: (id) => this.removal.abandon(id),
    });
  }

  /** Lists archived workspaces, or all others. */
  list(caller: Caller, which: "archived" | "others"): Workspace[] {
    const archived = which === "archived" ? 1 : 0;
    return this.#deps.store.allVisible
      .all({ ...viewerOf(caller), archived, limit: WORKSPACES_PER_LIST_MAX })
      .map(toWorkspace);
  }

  get(caller: Caller, id: number): Workspace {
    return toWorkspace(this.#deps.access.workspace(caller, id));
  }

  /** Anyone signed in. Raises `invalid`, `conflict` (name taken), `not_found` (model) and then creates nothing. */
  create(caller: Caller, input: CreateWorkspace): Promise<Workspace> {
    const { db, audit, parts } = this.#deps;
    const name = parseName("name", input.name);
    return db.write(() => {
      requireSignedIn(caller);
      this.#requireFreeName(caller.userId, name);
      const id = this.#insert({
        name,
        description: input.description ?? "",
        ownerId: caller.userId,
        budget: null,
        state: "live",
      });
      for (const part of parts) part.created?.(id, input);
      audit.record(caller, {
        action: "workspace.create",
        target: `workspace:${id}`,
        detail: { name: name.text },
      });
      return this.#record(id);
    });
  }

  /** Owner or admin. Raises `forbidden` for anyone else who sees it, `refused` while it is archived, `invalid`. */
  update(caller: Caller, id: number, input: UpdateWorkspace): Promise<Workspace> {
    const { db, access, journal } = this.#deps;
    return db.write(() => {
      const row = access.changeable(caller, id);
      if (input.budget !== undefined) this.#setBudget(caller, row, input.budget);
      if (input.display_name !== undefined) this.#setDisplayName(caller, row, input.display_name);
      const record = this.#record(id);
      journal.append(id, null, "workspace.updated", { workspace: record });
      return record;
    });
  }

  #setBudget(caller: Caller, row: WorkspaceRow, budget: Budget | null): void {
    const { store, access, audit } = this.#deps;
    access.requireOwner(caller, row, "change its budgets");
    const text = budget === null ? null : JSON.stringify(budget);
    const detail = { from: row.budget, to: text };
    audit.record(caller, { action: "workspace.budget", target: `workspace:${row.id}`, detail });
    store.setBudget.run(text, row.id);
  }

  /** The name itself never changes, because the branch is named after it. */
  #setDisplayName(caller: Caller, row: WorkspaceRow, given: string | null): void {
    const { store, access, audit } = this.#deps;
    access.requireOwner(caller, row, "change its display name");
    const text = given === null ? row.name : parseName("display_name", given).text;
    if (text === row.display_name) return;
    const detail = { from: row.display_name, to: text };
    audit.record(caller, { action: "workspace.rename", target: `workspace:${row.id}`, detail });
    store.setDisplayName.run(text === row.name ? null : text, row.id);
  }

  /** Owner or admin. Idempotent. Raises `turn_running` while a turn runs or is queued, `forbidden` for anyone else who sees it. */
  archive(caller: Caller, id: number): Promise<Workspace> {
    const { db, parts, clock } = this.#deps;
    return this.#setArchived(caller, id, clock.now(), () => {
      for (const part of parts) part.archiving?.(id);
      db.afterCommit(() => {
        for (const part of parts) part.archived?.(id);
      });
    });
  }

  /** Owner or admin. Idempotent. */
  unarchive(caller: Caller, id: number): Promise<Workspace> {
    return this.#setArchived(caller, id, null, () => {});
  }

  #setArchived(caller: Caller, id: number, at: number | null, also: () => void): Promise<Workspace> {
    const { db, store, access, journal, audit } = this.#deps;
    const verb = at === null ? "unarchive" : "archive";
    return db.write(() => {
      const row = access.requireOwner(caller, access.workspace(caller, id), `${verb} a workspace`);
      if ((row.archived_at === null) === (at === null)) return toWorkspace(row);
      also();
      store.setArchived.run(at, id);
      const detail = { name: row.name };
      audit.record(caller, { action: `workspace.${verb}`, target: `workspace:${id}`, detail });
      const record = this.#record(id);
      journal.append(id, null, "workspace.updated", { workspace: record });
      return record;
    });
  }

  /**
   * Copies the blueprint, positions, budgets and bindings, as of its start, for the caller. The conversation and files are not copied; turns in
   * the original continue.
   */
  async clone(caller: Caller, id: number, input: { name?: string }): Promise<Workspace> {
    const { db } = this.#deps;
    const given = input.name === undefined ? undefined : parseName("name", input.name);
    let copyId: number | undefined;
    const stored = (made: number) => (copyId = made);
    try {
      return await inWrites(db, this.#cloning(caller, id, given, stored));
    } catch (error) {
      if (copyId !== undefined) this.removal.abandon(copyId);
      throw error;
    }
  }

  /** Runs inside several writes. `stored` receives the copy's id after the first, from which on a crash leaves rows behind. */
  *#cloning(
    caller: Caller,
    id: number,
    given: Name | undefined,
    stored: (copyId: number) => void,
  ): Generator<void, Workspace> {
    const { db, store, access, audit, parts } = this.#deps;
    const original = access.workspace(caller, id);
    if (given) this.#requireFreeName(caller.userId, given);
    const name = given ?? this.#copyName(caller.userId, original.name);
    const copies = parts.flatMap(({ cloned }) => cloned?.(id) ?? []);
    const copyId = this.#insert({
      name,
      description: original.description,
      ownerId: caller.userId,
      budget: original.budget,
      state: "coming",
    });
    db.afterCommit(() => stored(copyId));
    const agents = new Map<number, number>();
    for (const copy of copies) yield* copy(copyId, agents);
    // Check again: this may be a later write than the first.
    access.workspace(caller, id);
    store.setLive.run(copyId);
    audit.record(caller, {
      action: "workspace.clone",
      target: `workspace:${copyId}`,
      detail: { name: name.text, from: id },
    });
    return this.#record(copyId);
  }

  /** Owner or admin. `stopTurns` resolves once the workspace's turns have ended. Raises `forbidden` for anyone else who sees it. */
  async remove(caller: Caller, id: number, stopTurns: (workspaceId: number) => Promise<void>): Promise<void> {
    const { db, access, journal, audit, parts } = this.#deps;
    const requireOwner = () =>
      access.requireOwner(caller, access.workspace(caller, id), "delete a workspace");
    requireOwner();
    await stopTurns(id);
    await db.write(() => {
      const row = requireOwner();
      this.removal.begin(id);
      audit.record(caller, {
        action: "workspace.delete",
        target: `workspace:${id}`,
        detail: { name: row.name },
      });
      db.afterCommit(() => {
        journal.end(id, { type: "workspace.removed", data: { workspace_id: id } });
        for (const part of parts) part.removed?.(id);
        journal.recheck();
      });
    });
  }

  /** Admin, or the owner if they are a team-lead of that team. */
  share(caller: Caller, id: number, teamId: number): Promise<Workspace> {
    return this.#changeSharing(caller, { id, teamId, action: "workspace.share" }, (store, row) => {
      requireUnarchived(row);
      return store.share.run(id, teamId);
    });
  }

  /** Also of an archived workspace: access can always be taken away. */
  async unshare(caller: Caller, id: number, teamId: number): Promise<void> {
    await this.#changeSharing(caller, { id, teamId, action: "workspace.unshare" }, (store) =>
      store.unshare.run(id, teamId),
    );
  }

  /** Inserts, inside a write, a workspace that nobody sees yet, under the given name or a free one like the original's. Returns its id. */
  #insertComing(
    ownerId: number,
    made: { given: Name | undefined; original: string; description: string; budget: string | null },
  ): number {
    const { given, original, description, budget } = made;
    if (given) this.#requireFreeName(ownerId, given);
    const name = given ?? this.#freeName(ownerId, original);
    return this.#insert({ name, description, ownerId, budget, state: "coming" });
  }

  budgetOf(id: number): Budget | null {
    const json = this.#deps.store.byId.get(id)?.budget ?? null;
    return json === null ? null : (JSON.parse(json) as Budget);
  }

  #changeSharing(
    caller: Caller,
    { id, teamId, action }: { id: number; teamId: number; action: string },
    change: (store: WorkspaceStore, row: WorkspaceRow) => number,
  ): Promise<Workspace> {
    const { db, store, access, teams, journal, audit } = this.#deps;
    return db.write(() => {
      const row = access.workspace(caller, id);
      const team = teams.existing(teamId);
      const leads =
        caller.role === "team-lead" &&
        row.owner_id === caller.userId &&
        teams.isMember(teamId, caller.userId);
      if (caller.role !== "admin" && !leads) {
        throw new AppError(
          "forbidden",
          "only an admin, or the owner who is a team-lead of that team, may change sharing",
        );
      }
      const changed = change(store, row) > 0;
      const record = this.#record(id);
      if (!changed) return record;
      audit.record(caller, {
        action,
        target: `workspace:${id}`,
        detail: { team: teamId, team_name: team.name },
      });
      journal.append(id, null, "workspace.updated", { workspace: record });
      db.afterCommit(() => journal.recheck());
      return record;
    });
  }

  #insert({ name, description, ownerId, budget, state }: NewWorkspace): number {
    const { store, clock } = this.#deps;
    const { id } = store.insert.get({
      name: name.text,
      name_key: name.key,
      description,
      owner_id: ownerId,
      budget,
      created_at: clock.now(),
      state,
    })!;
    const branch = `workspaces/${pathSegment(name.text)}-${id}`;
    store.setBranches.run(branch, `${branch}/shared`, id);
    return id;
  }

  #requireFreeName(ownerId: number, name: Name): void {
    if (this.#deps.store.nameTaken.get(ownerId, name.key)) {
      throw fieldError("conflict", "name", `you already have a workspace named "${name.text}"`);
    }
  }

  #freeName(ownerId: number, original: string): Name {
    const name = parseName("name", original);
    return this.#deps.store.nameTaken.get(ownerId, name.key) ? this.#copyName(ownerId, name.text) : name;
  }

  #copyName(ownerId: number, original: string): Name {
    for (let count = 1; count <= COPY_NAMES_TRIED_MAX; count++) {
      const suffix = count === 1 ? " copy" : ` copy ${count}`;
      const text = suffixed(original, suffix);
      const key = nameKey(text);
      if (!this.#deps.store.nameTaken.get(ownerId, key)) return { text, key };
    }
    throw fieldError("conflict", "name", "there are too many copies; give the clone a name");
  }

  #record(id: number): Workspace {
    return toWorkspace(this.#deps.store.byId.get(id)!);
  }
}

function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    branch: row.branch,
    shared_branch: row.shared_branch,
    owner_id: row.owner_id,
    team_ids: JSON.parse(row.team_ids) as number[],
    budget: row.budget === null ? null : (JSON.parse(row.budget) as Budget),
    created_at: rfc3339(row.created_at),
    archived_at: rfc3339OrNull(row.archived_at),
  };
}
