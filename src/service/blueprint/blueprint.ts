// Rules for agents and wires, shared by people (routes) and the orchestrator (tools).
// A function named `…In` runs inside the caller's write, so that an effect and its record are one commit.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { nameKey, parseName, type Name } from "../../kit/text/names.ts";
import type { Audit } from "../audit/audit.ts";
import type { Models } from "../catalog/models.ts";
import type { Journal } from "../journal/journal.ts";
import type { BlueprintEvents } from "./events.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { Budget } from "../workspaces/schema.ts";
import { emptySpot } from "./layout.ts";
import {
  AGENT_NAME_CHARACTERS_MAX,
  AGENTS_PER_WORKSPACE_MAX,
  ROLE_CHARACTERS_MAX,
  ROLES_BYTES_MAX,
  WIRES_PER_WORKSPACE_MAX,
  ORCHESTRATOR_NAME,
  type Agent,
  type CreateAgent,
  type CreateWire,
  type Position,
  type UpdateAgent,
  type Wire,
} from "./schema.ts";
import type { AgentRow, BlueprintStore, WireRow } from "./store.ts";

const ORCHESTRATOR_ROLE = `You are the orchestrator of a workspace. A person talks to you; you get their work done.

You can do small things yourself. For work that deserves its own focus, create a worker agent with agent_create: give it a short
name, a role that says what it is good at and how its answers should look, and a model. Creating a worker wires it to you, and
only along a wire can you delegate. Delegate with a task that stands on its own: the worker sees its role and your task, nothing
of this conversation. Independent tasks belong in one reply, so that they run side by side.

Tell the person what you did and what came of it. Say so plainly when something failed or is not known.`;

interface BlueprintDeps {
  db: Db;
  store: BlueprintStore;
  access: Access;
  models: Models;
  journal: Journal<BlueprintEvents>;
  audit: Audit;
  clock: Clock;
}

export class Blueprint {
  readonly #deps: BlueprintDeps;

  constructor(deps: BlueprintDeps) {
    this.#deps = deps;
  }

  agents(caller: Caller, workspaceId: number): Agent[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.agentsOf(workspaceId);
  }

  wires(caller: Caller, workspaceId: number): Wire[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.#deps.store.wires.all(workspaceId).map(toWire);
  }

  createAgent(caller: Caller, workspaceId: number, input: CreateAgent): Promise<Agent> {
    return this.#deps.db.write(() => {
      this.#deps.access.changeable(caller, workspaceId);
      return this.createAgentIn(caller, workspaceId, input);
    });
  }

  createAgentIn(caller: Caller, workspaceId: number, input: CreateAgent): Agent {
    const { store, models, journal, audit } = this.#deps;
    const name = agentName(input.name);
    requireRoleFits(input.role);
    models.existing(input.model_id);
    this.#requireFreeName(workspaceId, name);
    if (store.agentCount.get(workspaceId)!.count >= AGENTS_PER_WORKSPACE_MAX) {
      throw new AppError("refused", `a workspace has at most ${AGENTS_PER_WORKSPACE_MAX} agents`);
    }
    const position = input.position ?? emptySpot(store.agents.all(workspaceId));
    const id = this.#insert(workspaceId, name, input, { orchestrator: 0, at: position, budget: null });
    this.#requireRoom(workspaceId);
    const agent = this.#agent(id);
    const detail = { workspace: workspaceId, name: agent.name, model: agent.model_id };
    audit.record(caller, { action: "agent.create", target: `agent:${id}`, detail, content: agent.role });
    journal.append(workspaceId, turnOf(caller), "agent.created", { agent });
    return agent;
  }

  /** Runs inside the write that creates the workspace. Raises `not_found` (model). */
  createOrchestrator(workspaceId: number, modelId: number): void {
    const { models, journal } = this.#deps;
    const model = models.existing(modelId);
    const name = { text: ORCHESTRATOR_NAME, key: ORCHESTRATOR_NAME };
    const id = this.#insert(
      workspaceId,
      name,
      { role: ORCHESTRATOR_ROLE, model_id: model.id },
      { orchestrator: 1, at: { x: 0, y: 0 }, budget: null },
    );
    journal.append(workspaceId, null, "agent.created", { agent: this.#agent(id) });
  }

  updateAgent(caller: Caller, id: number, input: UpdateAgent): Promise<Agent> {
    const { db, store, access, audit } = this.#deps;
    return db.write(() => {
      const row = access.changeableIn(caller, "agent", id, store.agentById.get(id));
      if (input.budget !== undefined) {
        const budget = budgetJson(input.budget);
        const workspace = access.workspace(caller, row.workspace_id);
        if (budget !== row.budget) {
          access.requireOwner(caller, workspace, "change its budgets");
          const detail = { workspace: row.workspace_id, from: row.budget, to: budget };
          audit.record(caller, { action: "agent.budget", target: `agent:${id}`, detail });
        }
      }
      return this.updateAgentIn(caller, id, input);
    });
  }

  /**
   * Runs inside a write. Only `updateAgent`, which checks the right to, may pass a budget; there is no tool for it. Raises `forbidden` for the name
   * of an agent with a budget that the caller may not change.
   */
  updateAgentIn(caller: Caller, id: number, input: UpdateAgent): Agent {
    const { store, models, journal } = this.#deps;
    const row = this.existingAgent(id);
    if (input.role !== undefined) requireRoleFits(input.role);
    const name = input.name === undefined ? { text: row.name, key: row.name_key } : agentName(input.name);
    if (row.orchestrator && name.text !== row.name)
      throw new AppError("refused", "the orchestrator cannot be renamed");
    if (row.budget !== null && name.key !== row.name_key)
      this.#requireBudgetRight(caller, row, row.budget, "rename");
    this.#requireFreeName(row.workspace_id, name, id);
    if (input.model_id !== undefined) models.existing(input.model_id);
    const { x, y } = input.position ?? row;
    const budget = input.budget === undefined ? row.budget : budgetJson(input.budget);
    store.updateAgent.run({
      id,
      name: name.text,
      name_key: name.key,
      role: input.role ?? row.role,
      model_id: input.model_id ?? row.model_id,
      x,
      y,
      budget,
    });
    if (Buffer.byteLength(input.role ?? "") > Buffer.byteLength(row.role))
      this.#requireRoom(row.workspace_id);
    const agent = this.#agent(id);
    this.#recordUpdate(caller, row, agent);
    journal.append(row.workspace_id, turnOf(caller), "agent.updated", { agent });
    return agent;
  }

  /** A request may rename the agent and change its role or model; these are two records. A new position is none. */
  #recordUpdate(caller: Caller, before: AgentRow, { id, name, role, model_id: model }: Agent): void {
    const { audit } = this.#deps;
    const target = `agent:${id}`;
    const place = { workspace: before.workspace_id };
    if (name !== before.name) {
      const detail = { ...place, ...budgetDetail(before), from: before.name, to: name };
      audit.record(caller, { action: "agent.rename", target, detail });
    }
    if (role === before.role && model === before.model_id) return;
    const detail = {
      ...place,
      name,
      role_changed: role !== before.role,
      model_before: before.model_id,
      model,
    };
    audit.record(caller, { action: "agent.update", target, detail, content: role });
  }

  removeAgent(caller: Caller, id: number): Promise<void> {
    const { db, store, access } = this.#deps;
    return db.write(() => {
      access.changeableIn(caller, "agent", id, store.agentById.get(id));
      this.removeAgentIn(caller, id);
    });
  }

  /** Also removes its wires. Its entries of past turns stay. Raises `forbidden` if it has a budget that the caller may not change. */
  removeAgentIn(caller: Caller, id: number): void {
    const { store, journal, audit, clock } = this.#deps;
    const row = this.existingAgent(id);
    if (row.orchestrator) throw new AppError("refused", "the orchestrator cannot be deleted");
    if (row.budget !== null) this.#requireBudgetRight(caller, row, row.budget, "delete");
    for (const wire of store.wiresOfAgent.all(id, id)) this.removeWireIn(caller, wire.id);
    store.removeAgent.run(clock.now(), id);
    const detail = { workspace: row.workspace_id, name: row.name, ...budgetDetail(row) };
    audit.record(caller, { action: "agent.delete", target: `agent:${id}`, detail });
    journal.append(row.workspace_id, turnOf(caller), "agent.removed", { agent_id: id });
  }

  /** Another agent that takes the name would have no budget, so only those who may change the budget free the name. */
  #requireBudgetRight(
    caller: Caller,
    { id, name, workspace_id: workspaceId }: AgentRow,
    budget: string,
    verb: "delete" | "rename",
  ): void {
    const { access } = this.#deps;
    const act = `${verb} "${name}", because it has a budget; ask one of them to ${verb} it or to clear its budget`;
    const details = { agent_id: id, budget: JSON.parse(budget) as Budget };
    access.requireOwner(caller, access.workspace(caller, workspaceId), act, details);
  }

  createWire(caller: Caller, workspaceId: number, input: CreateWire): Promise<Wire> {
    return this.#deps.db.write(() => {
      this.#deps.access.changeable(caller, workspaceId);
      return this.createWireIn(caller, workspaceId, input);
    });
  }

  /** Raises `invalid` (wired to itself, agent of another workspace), `conflict` (exists), `refused` (too many). */
  createWireIn(caller: Caller, workspaceId: number, input: CreateWire): Wire {
    const { store, journal, audit, clock } = this.#deps;
    if (input.from_agent_id === input.to_agent_id)
      throw fieldError("invalid", "to_agent_id", "an agent cannot be wired to itself");
    const from = this.#endOfWire(workspaceId, "from_agent_id", input.from_agent_id);
    const to = this.#endOfWire(workspaceId, "to_agent_id", input.to_agent_id);
    if (store.wireBetween.get(from.id, to.id)) {
      throw new AppError("conflict", `a wire from "${from.name}" to "${to.name}" already exists`);
    }
    if (store.wireCount.get(workspaceId)!.count >= WIRES_PER_WORKSPACE_MAX)
      throw new AppError("refused", `a workspace has at most ${WIRES_PER_WORKSPACE_MAX} wires`);
    const { id } = store.insertWire.get({
      workspace_id: workspaceId,
      from_agent_id: from.id,
      to_agent_id: to.id,
      created_at: clock.now(),
    })!;
    const wire = toWire(store.wireById.get(id)!);
    audit.record(caller, {
      action: "wire.create",
      target: `wire:${id}`,
      detail: { workspace: workspaceId, from: from.id, to: to.id },
    });
    journal.append(workspaceId, turnOf(caller), "wire.created", { wire });
    return wire;
  }

  removeWire(caller: Caller, id: number): Promise<void> {
    const { db, store, access } = this.#deps;
    return db.write(() => {
      access.changeableIn(caller, "wire", id, store.wireById.get(id));
      this.removeWireIn(caller, id);
    });
  }

  removeWireIn(caller: Caller, id: number): void {
    const { store, journal, audit } = this.#deps;
    const wire = store.wireById.get(id);
    if (!wire) throw notFound("wire", id);
    store.deleteWire.run(id);
    const detail = { workspace: wire.workspace_id, from: wire.from_agent_id, to: wire.to_agent_id };
    audit.record(caller, { action: "wire.delete", target: `wire:${id}`, detail });
    journal.append(wire.workspace_id, turnOf(caller), "wire.removed", { wire_id: id });
  }

  /** Reads a whole blueprint. The returned function copies it row by row, and maps the ids of the originals to those of the copies. */
  copyOf(fromWorkspaceId: number): (toWorkspaceId: number, copies: Map<number, number>) => Generator<void> {
    const { store } = this.#deps;
    const agents = store.agents.all(fromWorkspaceId);
    const wires = store.wires.all(fromWorkspaceId);
    return (toWorkspaceId, copies) => this.#copy(toWorkspaceId, copies, { agents, wires });
  }

  *#copy(
    toWorkspaceId: number,
    copies: Map<number, number>,
    { agents, wires }: { agents: readonly AgentRow[]; wires: readonly WireRow[] },
  ): Generator<void> {
    const { store, journal, clock } = this.#deps;
    for (const row of agents) {
      const { orchestrator, budget } = row;
      const name = { text: row.name, key: row.name_key };
      const id = this.#insert(toWorkspaceId, name, row, { orchestrator, at: row, budget });
      copies.set(row.id, id);
      journal.append(toWorkspaceId, null, "agent.created", { agent: this.#agent(id) });
      yield;
    }
    for (const wire of wires) {
      const [from, to] = [copies.get(wire.from_agent_id)!, copies.get(wire.to_agent_id)!];
      const { id } = store.insertWire.get({
        workspace_id: toWorkspaceId,
        from_agent_id: from,
        to_agent_id: to,
        created_at: clock.now(),
      })!;
      journal.append(toWorkspaceId, null, "wire.created", { wire: toWire(store.wireById.get(id)!) });
      yield;
    }
  }

  /** The agents of all workspaces that use a model, without removed ones: their number, and the first `limit`. */
  withModel(modelId: number, limit: number) {
    const { countWithModel, firstWithModel } = this.#deps.store;
    return { count: countWithModel.get(modelId)!.count, first: firstWithModel.all(modelId, limit) };
  }

  agentsOf(workspaceId: number): Agent[] {
    return this.#deps.store.agents.all(workspaceId).map(toAgent);
  }

  /** Finds an agent by a name that a model or a person wrote. Raises `not_found`, listing the existing names. */
  agentNamed(workspaceId: number, name: string): Agent {
    const agents = this.agentsOf(workspaceId);
    const found = agents.find((agent) => nameKey(agent.name) === nameKey(name));
    if (found) return found;
    throw new AppError(
      "not_found",
      `there is no agent named "${name}"; the agents are: ${agents.map((agent) => agent.name).join(", ")}`,
    );
  }

  /** Undefined when there is no such agent, or it was removed. */
  agentById(id: number): Agent | undefined {
    const row = this.#deps.store.agentById.get(id);
    return row ? toAgent(row) : undefined;
  }

  /** Also returns a removed agent, which runs and records may still name. */
  agentWithRemoved(id: number): Agent {
    const row = this.#deps.store.agentWithRemoved.get(id);
    if (!row) throw notFound("agent", id);
    return toAgent(row);
  }

  orchestratorOf(workspaceId: number): Agent {
    return toAgent(this.#deps.store.orchestrator.get(workspaceId)!);
  }

  wiresOf(workspaceId: number): Wire[] {
    return this.#deps.store.wires.all(workspaceId).map(toWire);
  }

  visibleAgent(caller: Caller, id: number): AgentRow {
    return this.#deps.access.nested(caller, "agent", id, this.#deps.store.agentById.get(id));
  }

  existingAgent(id: number): AgentRow {
    const row = this.#deps.store.agentById.get(id);
    if (!row) throw notFound("agent", id);
    return row;
  }

  /** Call it after the change, whose write it undoes. */
  #requireRoom(workspaceId: number): void {
    const used = this.#deps.store.roleBytes.get(workspaceId)!.bytes;
    if (used <= ROLES_BYTES_MAX) return;
    throw new AppError(
      "refused",
      `the roles of all agents of a workspace have at most ${ROLES_BYTES_MAX} bytes together; shorten one, or keep long text in instructions`,
      { limit_bytes: ROLES_BYTES_MAX },
    );
  }

  #insert(
    workspaceId: number,
    name: Name,
    { role, model_id }: Pick<CreateAgent, "role" | "model_id">,
    { orchestrator, at, budget }: Pick<AgentRow, "orchestrator" | "budget"> & { readonly at: Position },
  ): number {
    const { store, clock } = this.#deps;
    return store.insertAgent.get({
      workspace_id: workspaceId,
      name: name.text,
      name_key: name.key,
      role,
      model_id,
      orchestrator,
      x: at.x,
      y: at.y,
      budget,
      created_at: clock.now(),
    })!.id;
  }

  #agent(id: number): Agent {
    return toAgent(this.existingAgent(id));
  }

  #endOfWire(workspaceId: number, field: string, id: number): AgentRow {
    const row = this.#deps.store.agentById.get(id);
    if (row?.workspace_id !== workspaceId)
      throw fieldError("invalid", field, `agent ${id} is not in this workspace`);
    return row;
  }

  #requireFreeName(workspaceId: number, name: Name, exceptId?: number): void {
    const other = this.#deps.store.agentByKey.get(workspaceId, name.key);
    if (other && other.id !== exceptId)
      throw fieldError("conflict", "name", `an agent named "${other.name}" already exists`);
  }
}

/** An agent's changes are events of its turn. */
function turnOf(caller: Caller): number | null {
  return caller.turnId ?? null;
}

function agentName(input: string): Name {
  const name = parseName("name", input);
  if ([...name.text].length <= AGENT_NAME_CHARACTERS_MAX) return name;
  throw fieldError("invalid", "name", `at most ${AGENT_NAME_CHARACTERS_MAX} characters for an agent`);
}

/** Agents write roles, too, and their tools have no schema of the routes. */
function requireRoleFits(role: string): void {
  if (role.length > ROLE_CHARACTERS_MAX)
    throw fieldError("invalid", "role", `at most ${ROLE_CHARACTERS_MAX} characters`);
}

function budgetDetail({ budget }: AgentRow): { readonly budget?: string } {
  return budget === null ? {} : { budget };
}

function budgetJson(budget: Budget | null): string | null {
  return budget === null ? null : JSON.stringify(budget);
}

function toAgent(row: AgentRow): Agent {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    name: row.name,
    role: row.role,
    model_id: row.model_id,
    orchestrator: row.orchestrator === 1,
    position: { x: row.x, y: row.y },
    budget: row.budget === null ? null : (JSON.parse(row.budget) as Budget),
    created_at: rfc3339(row.created_at),
  };
}

function toWire(row: WireRow): Wire {
  const { id, workspace_id, from_agent_id, to_agent_id } = row;
  return { id, workspace_id, from_agent_id, to_agent_id, created_at: rfc3339(row.created_at) };
}
