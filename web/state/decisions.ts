// The decision in an event, as the record that the server lists (service/approvals/decisions.ts). Pure.

import type { DecisionRecord } from "../../src/service/approvals/schema.ts";
import type { WorkspaceEvent } from "../../src/service/events.ts";

/** Undefined for any other event. */
export function decisionIn(event: WorkspaceEvent): DecisionRecord | undefined {
  if (event.id === null) return undefined;
  const record = {
    id: event.id,
    time: event.time,
    turn_id: event.turn_id,
    by: null,
    auth: null,
    reason: null,
    subject: null,
    version: null,
    content_hash: null,
    agent: null,
    agent_id: null,
    requested_at: null,
  };
  switch (event.type) {
    case "approval.decided": {
      const { id, ...rest } = event.data;
      return { ...record, ...rest, subject_id: id };
    }
    case "grant.created": {
      const { id, agent_id, granted_by: by, auth } = event.data.grant;
      return { ...record, kind: "grant", subject_id: id, decision: "granted", by, auth, agent_id };
    }
    case "grant.removed": {
      const { grant_id: id, ...rest } = event.data;
      return { ...record, ...rest, kind: "grant", subject_id: id, decision: "revoked" };
    }
    case "entry.taint_cleared": {
      const { entry_id: id, ...rest } = event.data;
      return { ...record, ...rest, kind: "taint", subject_id: id, decision: "cleared" };
    }
  }
  return undefined;
}
