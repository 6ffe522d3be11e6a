// Decides on the approval of gears. An approval applies to exactly one content hash, under the isolation of the moment at which it is given.

import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { Approval } from "../approvals/schema.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Announcements } from "./announcements.ts";
import { contentHash, type Content } from "./content.ts";
import type { Isolation } from "./isolation.ts";
import type { GearRow, GearStore } from "./store.ts";

type RecordGear = (
  caller: Caller,
  action: string,
  row: GearRow,
  detail: Record<string, string | number | boolean>,
) => void;

interface GearApprovalDeps {
  readonly store: GearStore;
  readonly announcements: Announcements;
  readonly clock: Clock;
  readonly isolation: Isolation;
  readonly contentOf: (row: GearRow) => Content;
  /** Adds an audit record of the gear and its content. */
  readonly record: RecordGear;
}

const ACTIONS = { approved: "approve", disabled: "disable", pending: "withdraw" } as const;

const VERDICTS = { approved: "approved", disabled: "disabled", pending: "withdrawn" } as const;

export class GearApproval {
  readonly #deps: GearApprovalDeps;

  constructor(deps: GearApprovalDeps) {
    this.#deps = deps;
  }

  /**
   * Inside a write. Admin. Does nothing if the gear has the status already, unless it was approved under a different isolation: approving it again
   * is a new decision. Raises `conflict` if the stored files are not those of the version.
   */
  decide(caller: Caller, row: GearRow, status: GearRow["status"]): void {
    const { store, announcements, clock, isolation, record } = this.#deps;
    requireAdmin(caller);
    if (status === row.status && !this.#isApprovedOtherwise(row)) return;
    if (status === "approved") this.#approve(caller, row);
    else store.setStatus.run(status, row.id);
    record(caller, `gear.${ACTIONS[status]}`, row, {
      status_before: row.status,
      isolated: isolation.isolated,
    });
    store.insertDecision.run({
      gear_id: row.id,
      version: row.version,
      hash: row.hash,
      decision: VERDICTS[status],
      isolated: isolation.isolated ? 1 : 0,
      decided_by: caller.name,
      auth: caller.auth,
      decided_at: clock.now(),
    });
    const after = store.byId.get(row.id)!;
    announcements.changed(caller, after);
    if (status === "pending") announcements.requested(caller, after);
    else announcements.decided(caller, row, status);
  }

  /** An ApprovalSource for admins: pending gears, and gears whose approval requires isolation that is not available. */
  pending(caller: Caller, limit: number): Approval[] {
    const { store, announcements, isolation } = this.#deps;
    if (caller.role !== "admin") return [];
    return store.undecided.all(isolation.isolated ? 1 : 0, limit).map((row) => announcements.approval(row));
  }

  #approve(caller: Caller, row: GearRow): void {
    const { store, clock, isolation, contentOf } = this.#deps;
    const hash = contentHash(contentOf(row));
    if (hash !== row.hash)
      throw new AppError("conflict", "the stored files are not those of this version; save the gear again");
    store.approve.run({
      id: row.id,
      approved_hash: hash,
      approved_by_id: caller.userId,
      approved_by: caller.name,
      approved_auth: caller.auth,
      approved_at: clock.now(),
      approved_isolated: isolation.isolated ? 1 : 0,
    });
  }

  #isApprovedOtherwise(row: GearRow): boolean {
    return row.status === "approved" && (row.approved_isolated === 1) !== this.#deps.isolation.isolated;
  }
}
