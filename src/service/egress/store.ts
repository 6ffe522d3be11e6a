// SQL of web search: grants, requests, and the chain of delegation behind a run.

import type { Db } from "../../kit/storage/db.ts";
import type { AuthKind } from "../identity/schema.ts";
import type { RequestState } from "./schema.ts";

export interface GrantRow {
  id: number;
  workspace_id: number;
  agent_id: number;
  granted_by: string;
  auth: AuthKind;
  created_at: number;
}

export interface RequestRow {
  id: number;
  call_id: string;
  workspace_id: number;
  workspace: string;
  turn_id: number;
  run_id: number;
  agent_id: number;
  /** JSON array of names. */
  chain: string;
  asked_by: string;
  query: string;
  query_hash: string;
  /** JSON. */
  facts: string;
  state: RequestState;
  asked_at: number;
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  auth: AuthKind | null;
  reason: string | null;
  started_at: number | null;
  finished_at: number | null;
  results: number | null;
}

const GRANT = "SELECT id, workspace_id, agent_id, granted_by, auth, created_at FROM egress_grants";
const REQUEST = `SELECT id, call_id, workspace_id, workspace, turn_id, run_id, agent_id, chain, asked_by, query, query_hash, facts, state,
  asked_at, expires_at, decided_at, decided_by, auth, reason, started_at, finished_at, results FROM egress_requests`;

/** A request is open if it is pending, or approved but not started. */
const OPEN = "state IN ('pending', 'approved') AND started_at IS NULL";
/** The sign makes SQLite sort the few open requests instead of scanning all requests by id. */
const BY_ID = "ORDER BY +id";

type NewRequest = Pick<
  RequestRow,
  | "call_id"
  | "workspace_id"
  | "workspace"
  | "turn_id"
  | "run_id"
  | "agent_id"
  | "chain"
  | "asked_by"
  | "query"
  | "query_hash"
  | "facts"
  | "asked_at"
  | "expires_at"
> & { asked_by_id: number };

type Decision = Pick<
  RequestRow,
  "id" | "state" | "decided_at" | "decided_by" | "auth" | "reason" | "expires_at"
> & { decided_by_id: number | null };

export type EgressStore = ReturnType<typeof egressStore>;

export function egressStore(db: Db) {
  return {
    grantById: db.query<GrantRow, [number]>(`${GRANT} WHERE id = ?`),
    grantOfAgent: db.query<GrantRow, [number]>(
      `${GRANT} WHERE agent_id = ? AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.removed_at IS NULL)`,
    ),
    grants: db.query<GrantRow, [number]>(
      `${GRANT} WHERE workspace_id = ? AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.removed_at IS NULL) ORDER BY id`,
    ),
    insertGrant: db.query<{ id: number }, Omit<GrantRow, "id"> & { granted_by_id: number }>(
      `INSERT INTO egress_grants (workspace_id, agent_id, granted_by_id, granted_by, auth, created_at)
       VALUES ($workspace_id, $agent_id, $granted_by_id, $granted_by, $auth, $created_at) RETURNING id`,
    ),
    deleteGrant: db.query<never, [number]>("DELETE FROM egress_grants WHERE id = ?"),
    requestById: db.query<RequestRow, [number]>(`${REQUEST} WHERE id = ?`),
    requestOfCall: db.query<RequestRow, [string]>(`${REQUEST} WHERE call_id = ?`),
    pending: db.query<RequestRow, [number, number]>(
      `${REQUEST} WHERE ${OPEN} AND state = 'pending' AND expires_at > ? ${BY_ID} LIMIT ?`,
    ),
    open: db.query<RequestRow, [number | null, number | null]>(
      `${REQUEST} WHERE ${OPEN} AND (? IS NULL OR agent_id = ?) ${BY_ID}`,
    ),
    openIn: db.query<RequestRow, [number]>(`${REQUEST} WHERE ${OPEN} AND workspace_id = ? ${BY_ID}`),
    openCount: db.query<{ count: number }, []>(`SELECT count(*) AS count FROM egress_requests WHERE ${OPEN}`),
    due: db.query<RequestRow, [number]>(`${REQUEST} WHERE ${OPEN} AND expires_at <= ? ${BY_ID}`),
    log: db.query<RequestRow, [number, number]>(`${REQUEST} WHERE id < ? ORDER BY id DESC LIMIT ?`),
    insertRequest: db.query<{ id: number }, NewRequest>(
      `INSERT INTO egress_requests (call_id, workspace_id, workspace, turn_id, run_id, agent_id, chain, asked_by_id, asked_by, query, query_hash,
         facts, state, asked_at, expires_at)
       VALUES ($call_id, $workspace_id, $workspace, $turn_id, $run_id, $agent_id, $chain, $asked_by_id, $asked_by, $query, $query_hash,
         $facts, 'pending', $asked_at, $expires_at) RETURNING id`,
    ),
    decide: db.query<never, Decision>(
      `UPDATE egress_requests SET state = $state, decided_at = $decided_at, decided_by_id = $decided_by_id, decided_by = $decided_by,
         auth = $auth, reason = $reason, expires_at = $expires_at WHERE id = $id`,
    ),
    start: db.query<never, [number, number]>(
      `UPDATE egress_requests SET started_at = ? WHERE id = ? AND state = 'approved' AND started_at IS NULL`,
    ),
    finish: db.query<never, Pick<RequestRow, "id" | "state" | "reason" | "results" | "finished_at">>(
      "UPDATE egress_requests SET state = $state, reason = $reason, results = $results, finished_at = $finished_at WHERE id = $id",
    ),
    chain: db.query<{ name: string }, [number]>(
      `WITH RECURSIVE up (agent_id, parent_run_id, height) AS (
         SELECT agent_id, parent_run_id, 0 FROM runs WHERE id = ?
         UNION ALL SELECT r.agent_id, r.parent_run_id, up.height + 1 FROM runs r JOIN up ON r.id = up.parent_run_id)
       SELECT a.name FROM up JOIN agents a ON a.id = up.agent_id ORDER BY up.height DESC`,
    ),
  };
}
