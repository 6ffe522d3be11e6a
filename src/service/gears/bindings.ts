// Rules for bindings, which let agents call a gear. Binding is separate from approval: an unapproved gear can be bound, and becomes callable once
// it is approved. New content keeps the bindings, which are inert until the next approval; the approval shows them.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import type { Audit } from "../audit/audit.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Journal } from "../journal/journal.ts";
import type { GearEvents } from "./events.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { BindingRow, BindingStore } from "./binding-store.ts";
import type { Gears } from "./gears.ts";
import type { CreateGearBinding, GearBinding } from "./schema.ts";

interface GearBindingsDeps {
  db: Db;
  store: BindingStore;
  gears: Gears;
  access: Access;
  blueprint: Blueprint;
  journal: Journal<GearEvents>;
  audit: Audit;
  clock: Clock;
}

interface Bound {
  readonly workspaceId: number;
  readonly gearId: number;
  readonly agentId: number;
}

export class GearBindings {
  readonly #deps: GearBindingsDeps;

  constructor(deps: GearBindingsDeps) {
    this.#deps = deps;
  }

  list(caller: Caller, workspaceId: number): GearBinding[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.ofWorkspace(workspaceId);
  }

  ofWorkspace(workspaceId: number): GearBinding[] {
    return this.#deps.store.ofWorkspace.all(workspaceId).map(toBinding);
  }

  /** Anyone who sees the workspace. Raises `not_found` (gear), `invalid` (agent of another workspace), `conflict` (already bound). */
  bind(caller: Caller, workspaceId: number, input: CreateGearBinding): Promise<GearBinding> {
    const { db, access } = this.#deps;
    return db.write(() => {
      access.changeable(caller, workspaceId);
      return this.bindIn(caller, workspaceId, input.gear_id, input.agent_id ?? null);
    });
  }

  bindIn(caller: Caller, workspaceId: number, gearId: number, agentId: number | null): GearBinding {
    const { store, gears, blueprint, audit } = this.#deps;
    const gear = gears.existing(gearId);
    if (agentId !== null && blueprint.agentById(agentId)?.workspace_id !== workspaceId) {
      throw fieldError("invalid", "agent_id", `agent ${agentId} is not in this workspace`);
    }
    if (store.between.get(workspaceId, gearId, agentId))
      throw new AppError("conflict", `gear "${gear.name}" is already bound to it`);
    const binding = this.#insert(workspaceId, gearId, agentId, caller.turnId ?? null);
    const detail = { workspace: workspaceId, gear: gearId, name: gear.name, agent_id: agentId };
    audit.record(caller, { action: "gear.bind", target: `gear-binding:${binding.id}`, detail });
    return binding;
  }

  unbind(caller: Caller, id: number): Promise<void> {
    const { db, store, access } = this.#deps;
    return db.write(() => {
      access.changeableIn(caller, "gear binding", id, store.byId.get(id));
      this.unbindIn(caller, id);
    });
  }

  unbindIn(caller: Caller, id: number): void {
    const { store, journal, audit } = this.#deps;
    const row = store.byId.get(id);
    if (!row) throw notFound("gear binding", id);
    store.remove.run(id);
    const detail = {
      workspace: row.workspace_id,
      gear: row.gear_id,
      name: row.gear_name,
      agent_id: row.agent_id,
    };
    audit.record(caller, { action: "gear.unbind", target: `gear-binding:${id}`, detail });
    journal.append(row.workspace_id, caller.turnId ?? null, "gear.unbound", { binding_id: id });
  }

  /** Undefined when there is no such binding. */
  between(workspaceId: number, gearId: number, agentId: number | null): GearBinding | undefined {
    const row = this.#deps.store.between.get(workspaceId, gearId, agentId);
    return row ? toBinding(row) : undefined;
  }

  isBound({ workspaceId, gearId, agentId }: Bound): boolean {
    return this.#deps.store.isBound.get(workspaceId, gearId, agentId) !== null;
  }

  /** Returns the ids of approved gears that this agent may call, in order of name. */
  approvedFor(workspaceId: number, agentId: number): number[] {
    return this.#deps.store.approvedFor.all(workspaceId, agentId).map((row) => row.gear_id);
  }

  /** Copies bindings for a clone, like `Blueprint.copyOf`. `agents` maps the original's agents to their copies. */
  copyOf(
    fromWorkspaceId: number,
  ): (toWorkspaceId: number, agents: ReadonlyMap<number, number>) => Generator<void> {
    const rows = this.#deps.store.ofWorkspace.all(fromWorkspaceId);
    return (toWorkspaceId, agents) => this.#copy(rows, toWorkspaceId, agents);
  }

  *#copy(
    rows: readonly BindingRow[],
    toWorkspaceId: number,
    agents: ReadonlyMap<number, number>,
  ): Generator<void> {
    for (const row of rows) {
      yield;
      const agentId = row.agent_id === null ? null : agents.get(row.agent_id);
      // The gear was deleted after the bindings were read.
      if (!this.#deps.gears.isThere(row.gear_id)) continue;
      if (agentId !== undefined) this.#insert(toWorkspaceId, row.gear_id, agentId, null);
    }
  }

  #insert(workspaceId: number, gearId: number, agentId: number | null, turnId: number | null): GearBinding {
    const { store, journal, clock } = this.#deps;
    const { id } = store.insert.get({
      workspace_id: workspaceId,
      gear_id: gearId,
      agent_id: agentId,
      created_at: clock.now(),
    })!;
    const binding = toBinding(store.byId.get(id)!);
    journal.append(workspaceId, turnId, "gear.bound", { binding });
    return binding;
  }
}

function toBinding(row: BindingRow): GearBinding {
  const { id, workspace_id, gear_id, gear_name, gear_status, agent_id, created_at } = row;
  return { id, workspace_id, gear_id, gear_name, gear_status, agent_id, created_at: rfc3339(created_at) };
}
