// SQL of proposals for the library.

import type { Db } from "../../kit/storage/db.ts";
import type { AuthKind } from "../identity/schema.ts";

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
  /** Of the text; 0 for one that an earlier build decided. */
  characters: number;
  status: "pending" | "accepted" | "refused";
  decided_by: string | null;
  decided_at: number | null;
  created_at: number;
}

/** A pending proposal without its text. */
export type PendingRow = Pick<
  ProposalRow,
  | "id"
  | "workspace_id"
  | "instruction_id"
  | "base_version"
  | "name"
  | "name_key"
  | "hash"
  | "agent"
  | "user_name"
  | "tainted"
  | "characters"
  | "created_at"
>;

type NewProposal = Omit<ProposalRow, "id" | "status" | "decided_by" | "decided_at">;

interface ProposalDecision {
  id: number;
  status: "accepted" | "refused";
  decided_by: string;
  decided_auth: AuthKind;
  decided_at: number;
}

const PROPOSAL = `SELECT id, workspace_id, instruction_id, base_version, name, name_key, text, hash, agent, user_id, user_name, turn_id,
  tainted, characters, status, decided_by, decided_at, created_at FROM instruction_proposals`;

export type ProposalStore = ReturnType<typeof proposalStore>;

export function proposalStore(db: Db) {
  return {
    byId: db.query<ProposalRow, [number]>(`${PROPOSAL} WHERE id = ?`),
    /** Without a limit, because who sees which is not decided here; an index has all that it reads. */
    pending: db.query<PendingRow, []>(
      `SELECT id, workspace_id, instruction_id, base_version, name, name_key, hash, agent, user_name, tainted, characters, created_at
       FROM instruction_proposals WHERE status = 'pending' ORDER BY id`,
    ),
    pendingCount: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM instruction_proposals WHERE workspace_id = ? AND status = 'pending'",
    ),
    samePending: db.query<{ id: number }, [number, string, number | null]>(
      "SELECT id FROM instruction_proposals WHERE workspace_id = ? AND hash = ? AND base_version IS ? AND status = 'pending'",
    ),
    insert: db.query<{ id: number }, NewProposal>(
      `INSERT INTO instruction_proposals
       (workspace_id, instruction_id, base_version, name, name_key, text, hash, agent, user_id, user_name, turn_id, tainted, status, characters, created_at)
       VALUES ($workspace_id, $instruction_id, $base_version, $name, $name_key, $text, $hash, $agent, $user_id, $user_name, $turn_id,
         $tainted, 'pending', $characters, $created_at) RETURNING id`,
    ),
    decide: db.query<never, ProposalDecision>(
      `UPDATE instruction_proposals SET status = $status, decided_by = $decided_by, decided_auth = $decided_auth, decided_at = $decided_at
       WHERE id = $id`,
    ),
  };
}
