// Rules for documents that are bound to a workspace or to one of its agents, whose prompts then contain them.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import type { Audit } from "../audit/audit.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { Access } from "../workspaces/access.ts";
import { isForeign } from "./branches.ts";
import type { ContextEvents } from "./events.ts";
import type { CopiedDocument } from "./branch-lifecycle.ts";
import { CONTEXT_BINDINGS_PER_WORKSPACE_MAX, type BindContext, type ContextBinding } from "./schema.ts";
import type { ContextBindingRow, MemoryStore } from "./store.ts";

interface BindingsDeps {
  readonly db: Db;
  readonly store: MemoryStore;
  readonly access: Access;
  readonly blueprint: Blueprint;
  readonly journal: Journal<ContextEvents>;
  readonly audit: Audit;
  readonly clock: Clock;
}

interface Copy {
  /** The branches of the original and the clone. */
  readonly from: string;
  readonly to: string;
  readonly toId: number;
  readonly agents: ReadonlyMap<number, number>;
  readonly copied: (documents: readonly CopiedDocument[]) => void;
}

export class ContextBindings {
  readonly #deps: BindingsDeps;

  constructor(deps: BindingsDeps) {
    this.#deps = deps;
  }

  list(caller: Caller, workspaceId: number): ContextBinding[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.of(workspaceId);
  }

  /** Lists bindings to the whole workspace first, then those to single agents, each by path. */
  of(workspaceId: number): ContextBinding[] {
    return this.#deps.store.bindings.all(workspaceId).map(toBinding);
  }

  /**
   * The document need not exist yet: the prompt says so until it does. Raises `invalid` (path, agent of another workspace), `forbidden` (memory of
   * another workspace), `conflict` (already bound), `refused` (too many).
   */
  bind(caller: Caller, workspaceId: number, input: BindContext): Promise<ContextBinding> {
    return this.#deps.db.write(() => this.bindIn(caller, workspaceId, input));
  }

  /** Runs inside a write. */
  bindIn(caller: Caller, workspaceId: number, input: BindContext): ContextBinding {
    const { store, access, blueprint } = this.#deps;
    const workspace = access.changeable(caller, workspaceId);
    const path = parseDocumentPath("path", input.path.trim());
    if (isForeign(workspace, path))
      throw fieldError("forbidden", "path", "the memory of another workspace cannot be bound here");
    const agentId = input.agent_id ?? null;
    const agent = agentId === null ? undefined : blueprint.agentById(agentId);
    if (agentId !== null && agent?.workspace_id !== workspaceId)
      throw fieldError("invalid", "agent_id", `agent ${agentId} is not in this workspace`);
    if (store.bindingBetween.get(workspaceId, path, agentId))
      throw new AppError(
        "conflict",
        `"${path}" is already bound to ${agent ? `"${agent.name}"` : "this workspace"}`,
      );
    if (store.bindingCount.get(workspaceId)!.count >= CONTEXT_BINDINGS_PER_WORKSPACE_MAX)
      throw new AppError(
        "refused",
        `a workspace has at most ${CONTEXT_BINDINGS_PER_WORKSPACE_MAX} bound documents`,
      );
    return this.#bound(caller, workspaceId, path, agentId);
  }

  unbind(caller: Caller, id: number): Promise<void> {
    const { db, store, access } = this.#deps;
    return db.write(() =>
      this.#unbound(caller, access.changeableIn(caller, "context binding", id, store.bindingById.get(id))),
    );
  }

  /** Runs inside a write. Raises `not_found` if the document is not bound there. */
  unbindIn(caller: Caller, workspaceId: number, path: string, agentId: number | null): void {
    const { store, access } = this.#deps;
    access.changeable(caller, workspaceId);
    const found = store.bindingBetween.get(workspaceId, path, agentId);
    if (!found)
      throw new AppError(
        "not_found",
        `"${path}" is not bound ${agentId === null ? "to the workspace" : "to that agent"}`,
      );
    this.#unbound(caller, store.bindingById.get(found.id)!);
  }

  /**
   * Copies bindings for a clone, like `Blueprint.copyOf`. Those to the original's own memory become bindings to the clone's; `copied` is called
   * with those documents after the commit of the last.
   */
  copyOf(
    fromId: number,
    branchOf: (workspaceId: number) => string | undefined,
    copied: (documents: readonly CopiedDocument[]) => void,
  ): (toId: number, agents: ReadonlyMap<number, number>) => Generator<void> {
    const rows = this.#deps.store.bindings.all(fromId);
    const from = branchOf(fromId) ?? "";
    return (toId, agents) => this.#copied(rows, { from, to: branchOf(toId) ?? "", toId, agents, copied });
  }

  *#copied(rows: readonly ContextBindingRow[], { from, to, toId, agents, copied }: Copy): Generator<void> {
    const { db, journal } = this.#deps;
    const documents: CopiedDocument[] = [];
    for (const row of rows) {
      yield;
      const isOwn = row.path.startsWith(`${from}/`);
      const path = isOwn ? to + row.path.slice(from.length) : row.path;
      if (isOwn) documents.push({ from: row.path, to: path });
      const agentId = row.agent_id === null ? null : agents.get(row.agent_id)!;
      journal.append(toId, null, "context.bound", { binding: this.#insert(toId, path, agentId) });
    }
    // Here, because each step before may be in an earlier write.
    db.afterCommit(() => copied(documents));
  }

  #bound(caller: Caller, workspaceId: number, path: string, agentId: number | null): ContextBinding {
    const { journal, audit } = this.#deps;
    const binding = this.#insert(workspaceId, path, agentId);
    const detail = { workspace: workspaceId, agent_id: agentId, path };
    audit.record(caller, { action: "context.bind", target: `workspace:${workspaceId}`, detail });
    journal.append(workspaceId, caller.turnId ?? null, "context.bound", { binding });
    return binding;
  }

  #insert(workspaceId: number, path: string, agentId: number | null): ContextBinding {
    const { store, clock } = this.#deps;
    const row = { workspace_id: workspaceId, path, agent_id: agentId, created_at: clock.now() };
    return toBinding(store.bindingById.get(store.insertBinding.get(row)!.id)!);
  }

  #unbound(caller: Caller, row: ContextBindingRow): void {
    const { store, journal, audit } = this.#deps;
    store.deleteBinding.run(row.id);
    const { workspace_id: workspaceId, agent_id, path } = row;
    const detail = { workspace: workspaceId, agent_id, path };
    audit.record(caller, { action: "context.unbind", target: `workspace:${workspaceId}`, detail });
    journal.append(workspaceId, caller.turnId ?? null, "context.unbound", {
      binding_id: row.id,
      path,
      agent_id,
    });
  }
}

function toBinding({ created_at, ...row }: ContextBindingRow): ContextBinding {
  return { ...row, created_at: rfc3339(created_at) };
}
