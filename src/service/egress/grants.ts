// Lock 2: the agents that may request a search. Only an admin creates and revokes grants; there is no tool for it.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import type { Audit } from "../audit/audit.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Journal } from "../journal/journal.ts";
import type { GrantEvents } from "./events.ts";
import { requirePerson, type Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { Locks } from "./locks.ts";
import type { EgressGrant } from "./schema.ts";
import type { Searches } from "./searches.ts";
import type { EgressStore, GrantRow } from "./store.ts";

interface GrantsDeps {
  db: Db;
  store: EgressStore;
  access: Access;
  blueprint: Blueprint;
  journal: Journal<GrantEvents>;
  audit: Audit;
  clock: Clock;
  locks: Locks;
  searches: Searches;
}

export class Grants {
  readonly #deps: GrantsDeps;

  constructor(deps: GrantsDeps) {
    this.#deps = deps;
  }

  /** Raises `not_found` for a workspace that the caller may not see. */
  list(caller: Caller, workspaceId: number): EgressGrant[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.ofWorkspace(workspaceId);
  }

  /** Lists grants for the blueprint, without an access check. */
  ofWorkspace(workspaceId: number): EgressGrant[] {
    return this.#deps.store.grants.all(workspaceId).map(toGrant);
  }

  /** Admin. Raises `refused` while lock 1 is closed, `invalid` (agent of another workspace), `conflict` (already has one). */
  create(caller: Caller, workspaceId: number, agentId: number): Promise<EgressGrant> {
    const { db, store, access, blueprint, journal, audit, clock, locks } = this.#deps;
    return db.write(() => {
      requirePerson(caller);
      access.changeable(caller, workspaceId);
      const closed = locks.switchProblem();
      if (closed !== undefined) throw new AppError("refused", closed);
      const agent = blueprint.agentById(agentId);
      if (agent?.workspace_id !== workspaceId)
        throw fieldError("invalid", "agent_id", `agent ${agentId} is not in this workspace`);
      if (store.grantOfAgent.get(agentId))
        throw new AppError("conflict", `agent "${agent.name}" already has a grant for web search`);
      const { id } = store.insertGrant.get({
        workspace_id: workspaceId,
        agent_id: agentId,
        granted_by_id: caller.userId,
        granted_by: caller.name,
        auth: caller.auth,
        created_at: clock.now(),
      })!;
      const grant = toGrant(store.grantById.get(id)!);
      audit.record(caller, {
        action: "egress.grant",
        target: `agent:${agentId}`,
        detail: { workspace: workspaceId, grant: id },
      });
      journal.append(workspaceId, null, "grant.created", { grant });
      return grant;
    });
  }

  /** Admin. Also refuses the agent's open requests. Raises `not_found`. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, access, journal, audit, searches } = this.#deps;
    return db.write(() => {
      requirePerson(caller);
      const grant = access.nested(caller, "egress grant", id, store.grantById.get(id));
      store.deleteGrant.run(id);
      audit.record(caller, {
        action: "egress.revoke",
        target: `agent:${grant.agent_id}`,
        detail: { workspace: grant.workspace_id, grant: id },
      });
      journal.append(grant.workspace_id, null, "grant.removed", {
        grant_id: id,
        agent_id: grant.agent_id,
        by: caller.name,
        auth: caller.auth,
      });
      searches.refuseOpenIn(caller, grant.agent_id, "the agent's grant was revoked");
    });
  }
}

function toGrant({ id, workspace_id, agent_id, granted_by, auth, created_at }: GrantRow): EgressGrant {
  return { id, workspace_id, agent_id, granted_by, auth, created_at: rfc3339(created_at) };
}
