// Announces changes of a gear to the workspaces where it is bound, and to the one where an agent forged it, which also follows its approval.
// Runs inside the callers' writes and decides nothing.

import { rfc3339 } from "../../kit/clock.ts";
import type { Approval, ApprovalCallers, ApprovalDecision } from "../approvals/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { GearEvents } from "./events.ts";
import type { ApprovalEvents } from "../approvals/events.ts";
import type { Caller } from "../identity/caller.ts";
import type { BindingPlaceRow, BindingStore } from "./binding-store.ts";
import { isIsolationLost, ISOLATION_LOST, isolationSentence, type Isolation } from "./isolation.ts";
import type { GearRow } from "./store.ts";

const PLACES_SHOWN_MAX = 20;

interface AnnouncementsDeps {
  bindings: BindingStore;
  journal: Journal<GearEvents & ApprovalEvents>;
  isolation: Isolation;
}

export class Announcements {
  readonly #deps: AnnouncementsDeps;

  constructor(deps: AnnouncementsDeps) {
    this.#deps = deps;
  }

  /** Returns the approval as admins see it, naming every place where the gear is bound. */
  approval(row: GearRow): Approval {
    return this.#approval(row, this.#callers(row.id));
  }

  /** Announces a change of status or version. */
  changed(caller: Caller, row: GearRow): void {
    const { journal } = this.#deps;
    const { id, name, status, version } = row;
    const data = { gear_id: id, name, status, version, user: caller.name };
    for (const workspaceId of this.#workspaces(row))
      journal.append(workspaceId, turnIn(caller, row, workspaceId), "gear.updated", data);
  }

  /** Announces that approval is pending, or that the content to decide on has changed. */
  requested(caller: Caller, row: GearRow): void {
    if (row.workspace_id === null) return;
    const approval = this.#approval(row, this.#callersSeenFrom(row.id, row.workspace_id));
    const turnId = turnIn(caller, row, row.workspace_id);
    this.#deps.journal.append(row.workspace_id, turnId, "approval.requested", { approval });
  }

  /** Announces a decision. `row` is the gear's state before it. A decision that nobody asked for, such as to disable, has no `requested_at`. */
  decided(caller: Caller, row: GearRow, decision: ApprovalDecision): void {
    if (row.workspace_id === null) return;
    const wasAsked = row.status === "pending" || isIsolationLost(row, this.#deps.isolation);
    this.#deps.journal.append(row.workspace_id, null, "approval.decided", {
      kind: "gear",
      id: row.id,
      decision,
      by: caller.name,
      auth: caller.auth,
      reason: null,
      content_hash: row.hash,
      subject: row.name,
      version: row.version,
      agent: row.forged_by,
      ...(wasAsked && { requested_at: rfc3339(row.updated_at) }),
    });
  }

  /** Announces a removal. Call it before deleting the bindings. */
  removed(caller: Caller, row: GearRow): void {
    const { journal, bindings } = this.#deps;
    const workspaces = this.#workspaces(row);
    for (const binding of bindings.ofGear.all(row.id))
      journal.append(binding.workspace_id, null, "gear.unbound", { binding_id: binding.id });
    const data = { gear_id: row.id, name: row.name, user: caller.name };
    for (const workspaceId of workspaces) journal.append(workspaceId, null, "gear.removed", data);
  }

  #workspaces(row: GearRow): Set<number> {
    const bound = this.#deps.bindings.ofGear.all(row.id).map((binding) => binding.workspace_id);
    return new Set(row.workspace_id === null ? bound : [row.workspace_id, ...bound]);
  }

  #callers(gearId: number): ApprovalCallers {
    return { named: this.#deps.bindings.places.all(gearId, PLACES_SHOWN_MAX).map(callerAt), elsewhere: 0 };
  }

  /** Names only the callers in this workspace and counts the rest: readers of its events may not see other workspaces. */
  #callersSeenFrom(gearId: number, workspaceId: number): ApprovalCallers {
    const all = this.#deps.bindings.places.all(gearId, Number.MAX_SAFE_INTEGER);
    const here = all.filter((place) => place.workspace_id === workspaceId);
    return {
      named: here.slice(0, PLACES_SHOWN_MAX).map(callerAt),
      elsewhere: all.length - here.length,
    };
  }

  #approval(row: GearRow, callers: ApprovalCallers): Approval {
    const { isolation } = this.#deps;
    const lost = isIsolationLost(row, isolation) ? ISOLATION_LOST : "";
    return {
      kind: "gear",
      id: row.id,
      title: `gear "${row.name}", version ${row.version} (${row.runtime})`,
      subject: row.name,
      facts: [isolationSentence(isolation), lost, row.description, inWords(callers)].filter(
        (fact) => fact !== "",
      ),
      callers,
      content_hash: row.hash,
      workspace_id: row.workspace_id,
      agent: row.forged_by,
      requested_by: row.author,
      requested_at: rfc3339(row.updated_at),
      expires_at: null,
      decide: { method: "PATCH", path: `/api/v1/gears/${row.id}` },
    };
  }
}

function callerAt({ workspace, agent }: BindingPlaceRow): ApprovalCallers["named"][number] {
  return { workspace, agent };
}

function inWords({ named, elsewhere }: ApprovalCallers): string {
  const places = named.map(({ workspace, agent }) => `${agent ?? "all agents"} in ${workspace}`);
  if (elsewhere > 0) places.push(`${elsewhere} more in other workspaces`);
  return places.length === 0
    ? "no agent is bound to it"
    : `once approved it can be called by: ${places.join(", ")}`;
}

/** An agent saves gears of its own workspace only, so only that workspace's event belongs to its turn. */
function turnIn(caller: Caller, row: GearRow, workspaceId: number): number | null {
  return workspaceId === row.workspace_id ? (caller.turnId ?? null) : null;
}
