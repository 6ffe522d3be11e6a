// SQL of the audit chain.

import type { Db } from "../../kit/db.ts";

export interface AuditRow {
  seq: number;
  record: string;
  prev: string;
  hash: string;
}

export type AuditStore = ReturnType<typeof auditStore>;

export function auditStore(db: Db) {
  return {
    head: db.query<{ seq: number; hash: string }, []>("SELECT seq, hash FROM audit_head WHERE id = 1"),
    canonicalFrom: db.query<{ canonical_from: number }, []>(
      "SELECT canonical_from FROM audit_head WHERE id = 1",
    ),
    setHead: db.query<never, [number, string]>("UPDATE audit_head SET seq = ?, hash = ? WHERE id = 1"),
    insert: db.query<never, AuditRow>(
      "INSERT INTO audit (seq, record, prev, hash) VALUES ($seq, $record, $prev, $hash)",
    ),
    page: db.query<AuditRow, [number, number]>(
      "SELECT seq, record, prev, hash FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
    ),
    from: db.query<AuditRow, [number, number]>(
      "SELECT seq, record, prev, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
  };
}
