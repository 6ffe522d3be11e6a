// SQL of proposals for the library.

import type { Db } from "../../kit/db.ts";

export interface ProposalRow {
  id: number;
  workspace_id: number;
  instruction_id: number | null;
  base_version: number | null;
  name: string;
  name_key: string;
  text: string;
  hash: string;
  agent: string;
  user_id: number;
  user_name: string;
  turn_id: number | null;
  tainted: number;
  status: "pending" | "accepted" | "refused";
  decided_by: string | null;
  decided_at: number | null;
  created_at: number;
}

const PROPOSAL = `SELECT id, workspace_id, instruction_id, base_version, name, name_key, text, hash, agent, user_id, user_name, turn_id,
  tainted, status, decided_by, decided_at, created_at FROM instruction_proposals`;

export class ProposalStore {
  readonly byId;
  readonly pending;
  readonly pendingCount;
  readonly samePending;
  readonly insert;
  readonly decide;

  constructor(db: Db) {
    this.byId = db.query<ProposalRow, [number]>(`${PROPOSAL} WHERE id = ?`);
    this.pending = db.query<ProposalRow, []>(`${PROPOSAL} WHERE status = 'pending' ORDER BY id`);
    this.pendingCount = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM instruction_proposals WHERE workspace_id = ? AND status = 'pending'",
    );
    this.samePending = db.query<{ id: number }, [number, string, number | null]>(
      "SELECT id FROM instruction_proposals WHERE workspace_id = ? AND hash = ? AND base_version IS ? AND status = 'pending'",
    );
    this.insert = db.query<
      { id: number },
      [
        number,
        number | null,
        number | null,
        string,
        string,
        string,
        string,
        string,
        number,
        string,
        number | null,
        number,
        number,
      ]
    >(
      `INSERT INTO instruction_proposals
       (workspace_id, instruction_id, base_version, name, name_key, text, hash, agent, user_id, user_name, turn_id, tainted, status, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?) RETURNING id`,
    );
    this.decide = db.query<never, [string, string, string, number, number]>(
      "UPDATE instruction_proposals SET status = ?, decided_by = ?, decided_auth = ?, decided_at = ? WHERE id = ?",
    );
  }
}
