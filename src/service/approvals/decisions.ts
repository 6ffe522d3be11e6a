// Lists what was decided in a workspace, from the events that recorded it: so it is there after a reload and a restart, at its place.

import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { AuthKind } from "../identity/schema.ts";
import type { Caller } from "../identity/caller.ts";
import type { EventEnvelope } from "../journal/schema.ts";
import type { ApprovalKind, DecisionRecord } from "./schema.ts";
import type { DecisionRow, DecisionStore } from "./store.ts";

interface DecisionsDeps {
  readonly store: DecisionStore;
  /** Raises `not_found` for a workspace that the caller may not see. */
  readonly requireSight: (caller: Caller, workspaceId: number) => void;
}

export class Decisions {
  readonly #deps: DecisionsDeps;

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
  }

  /** Anyone who sees the workspace. Returns the newest before `before`, in ascending order. */
  list(caller: Caller, workspaceId: number, page: PageQuery): DecisionRecord[] {
    const { store, requireSight } = this.#deps;
    requireSight(caller, workspaceId);
    const { before = Number.MAX_SAFE_INTEGER, limit = LIST_DEFAULT } = page;
    return store.page.all(workspaceId, before, limit).toReversed().map(toDecision);
  }
}

/** The data of the four events, whose fields do not contradict each other. Events of earlier builds lack most of them. */
interface Recorded {
  readonly kind: ApprovalKind;
  readonly id: number;
  readonly decision: DecisionRecord["decision"];
  readonly by?: string | null;
  readonly auth?: AuthKind | null;
  readonly reason: string | null;
  readonly content_hash: string;
  readonly subject?: string;
  readonly version?: number | null;
  readonly agent?: string | null;
  readonly requested_at?: string;
  readonly entry_id: number;
  readonly grant_id: number;
  readonly agent_id?: number;
  readonly grant: { id: number; agent_id: number; granted_by: string; auth: AuthKind };
}

function toDecision(row: DecisionRow): DecisionRecord {
  const { time = "", data } = JSON.parse(row.content) as EventEnvelope<Recorded>;
  const { by = null, auth = null } = data;
  const nothing = {
    id: row.id,
    by,
    auth,
    time,
    reason: null,
    subject: null,
    version: null,
    content_hash: null,
    agent: null,
    agent_id: null,
    requested_at: null,
    turn_id: row.turn_id,
  };
  switch (row.type) {
    case "approval.decided": {
      const { kind, id, decision, reason, content_hash, subject = null, version = null, agent = null } = data;
      const requested_at = data.requested_at ?? null;
      const asked = { subject, version, agent, requested_at };
      return { ...nothing, kind, subject_id: id, decision, reason, content_hash, ...asked };
    }
    case "grant.created": {
      const { id, agent_id, granted_by, auth: how } = data.grant;
      const who = { by: granted_by, auth: how, agent_id };
      return { ...nothing, kind: "grant", subject_id: id, decision: "granted", ...who };
    }
    case "grant.removed": {
      const { grant_id, agent_id = null } = data;
      return { ...nothing, kind: "grant", subject_id: grant_id, decision: "revoked", agent_id };
    }
    case "entry.taint_cleared":
      return { ...nothing, kind: "taint", subject_id: data.entry_id, decision: "cleared" };
  }
}
