// Converts rows of searches to API records.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Approval } from "../approvals/schema.ts";
import { factSentences } from "./query.ts";
import type { EgressFacts, EgressRequest } from "./schema.ts";
import type { RequestRow } from "./store.ts";

export function toRequest(row: RequestRow): EgressRequest {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    workspace: row.workspace,
    turn_id: row.turn_id,
    run_id: row.run_id,
    agent_id: row.agent_id,
    chain: JSON.parse(row.chain) as string[],
    asked_by: row.asked_by,
    query: row.query,
    query_hash: row.query_hash,
    facts: JSON.parse(row.facts) as EgressFacts,
    state: row.state,
    asked_at: rfc3339(row.asked_at),
    expires_at: rfc3339(row.expires_at),
    decided_at: rfc3339OrNull(row.decided_at),
    decided_by: row.decided_by,
    auth: row.auth,
    reason: row.reason,
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
    results: row.results,
  };
}

export function toApproval(row: RequestRow): Approval {
  const chain = JSON.parse(row.chain) as string[];
  return {
    kind: "search",
    id: row.id,
    title: `Search the web for: ${row.query}`,
    subject: row.query,
    facts: [`asked by ${chain.join(" → ")}`, ...factSentences(JSON.parse(row.facts) as EgressFacts)],
    callers: null,
    content_hash: row.query_hash,
    workspace_id: row.workspace_id,
    agent: chain.at(-1) ?? null,
    requested_by: row.asked_by,
    requested_at: rfc3339(row.asked_at),
    expires_at: rfc3339(row.expires_at),
    decide: { method: "POST", path: `/api/v1/egress/requests/${row.id}/decision` },
  };
}
