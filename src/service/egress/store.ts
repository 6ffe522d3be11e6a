// SQL of web search: grants, requests, and the chain of delegation behind a run.

import type { Db } from "../../kit/db.ts";
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

/** Waits for a decision, or was approved and has not begun. */
const OPEN = "state IN ('pending', 'approved') AND started_at IS NULL";
/** Of the few that are open: with the sign SQLite sorts those, instead of going through all requests in the order of their ids. */
const BY_ID = "ORDER BY +id";

/** Of each entry, for the comparison with a query. */
const ENTRY_CHARACTERS_READ_MAX = 65_536;

type Insert = [
  string,
  number,
  string,
  number,
  number,
  number,
  string,
  number,
  string,
  string,
  string,
  string,
  number,
  number,
];

export class EgressStore {
  readonly grantById;
  readonly grantOfAgent;
  readonly grants;
  readonly insertGrant;
  readonly deleteGrant;
  readonly requestById;
  readonly requestOfCall;
  readonly pending;
  readonly open;
  readonly openCount;
  readonly due;
  readonly log;
  readonly insertRequest;
  readonly decide;
  readonly start;
  readonly finish;
  readonly chain;
  readonly entries;
  readonly workspaceName;

  constructor(db: Db) {
    this.grantById = db.query<GrantRow, [number]>(`${GRANT} WHERE id = ?`);
    this.grantOfAgent = db.query<GrantRow, [number]>(
      `${GRANT} WHERE agent_id = ? AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.removed_at IS NULL)`,
    );
    this.grants = db.query<GrantRow, [number]>(
      `${GRANT} WHERE workspace_id = ? AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.removed_at IS NULL) ORDER BY id`,
    );
    this.insertGrant = db.query<{ id: number }, [number, number, number, string, string, number]>(
      `INSERT INTO egress_grants (workspace_id, agent_id, granted_by_id, granted_by, auth, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.deleteGrant = db.query<never, [number]>("DELETE FROM egress_grants WHERE id = ?");
    this.requestById = db.query<RequestRow, [number]>(`${REQUEST} WHERE id = ?`);
    this.requestOfCall = db.query<RequestRow, [string]>(`${REQUEST} WHERE call_id = ?`);
    this.pending = db.query<RequestRow, [number, number]>(
      `${REQUEST} WHERE ${OPEN} AND state = 'pending' AND expires_at > ? ${BY_ID} LIMIT ?`,
    );
    this.open = db.query<RequestRow, [number | null, number | null]>(
      `${REQUEST} WHERE ${OPEN} AND (? IS NULL OR agent_id = ?) ${BY_ID}`,
    );
    this.openCount = db.query<{ count: number }, []>(
      `SELECT count(*) AS count FROM egress_requests WHERE ${OPEN}`,
    );
    this.due = db.query<RequestRow, [number]>(`${REQUEST} WHERE ${OPEN} AND expires_at <= ? ${BY_ID}`);
    this.log = db.query<RequestRow, [number, number]>(`${REQUEST} WHERE id < ? ORDER BY id DESC LIMIT ?`);
    this.insertRequest = db.query<{ id: number }, Insert>(
      `INSERT INTO egress_requests (call_id, workspace_id, workspace, turn_id, run_id, agent_id, chain, asked_by_id, asked_by, query, query_hash,
         facts, state, asked_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) RETURNING id`,
    );
    this.decide = db.query<
      never,
      [RequestState, number, number | null, string | null, string | null, string | null, number, number]
    >(
      `UPDATE egress_requests SET state = ?, decided_at = ?, decided_by_id = ?, decided_by = ?, auth = ?, reason = ?, expires_at = ? WHERE id = ?`,
    );
    this.start = db.query<never, [number, number]>(
      `UPDATE egress_requests SET started_at = ? WHERE id = ? AND state = 'approved' AND started_at IS NULL`,
    );
    this.finish = db.query<never, [RequestState, string | null, number | null, number, number]>(
      "UPDATE egress_requests SET state = ?, reason = ?, results = ?, finished_at = ? WHERE id = ?",
    );
    this.chain = db.query<{ name: string }, [number]>(
      `WITH RECURSIVE up (agent_id, parent_run_id, height) AS (
         SELECT agent_id, parent_run_id, 0 FROM runs WHERE id = ?
         UNION ALL SELECT r.agent_id, r.parent_run_id, up.height + 1 FROM runs r JOIN up ON r.id = up.parent_run_id)
       SELECT a.name FROM up JOIN agents a ON a.id = up.agent_id ORDER BY up.height DESC`,
    );
    this.entries = db.query<{ id: number; text: string }, [number, number]>(
      `SELECT id, substr(text, 1, ${ENTRY_CHARACTERS_READ_MAX}) AS text FROM entries WHERE workspace_id = ? ORDER BY id DESC LIMIT ?`,
    );
    this.workspaceName = db.query<{ name: string }, [number]>("SELECT name FROM workspaces WHERE id = ?");
  }
}
