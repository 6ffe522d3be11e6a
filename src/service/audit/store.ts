// SQL of the audit chain.

import type { Db } from "../../kit/storage/db.ts";

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
    nameOf: {
      agent: name(db, "SELECT name FROM agents WHERE id = ?"),
      gear: name(db, "SELECT name FROM gears WHERE id = ?"),
      instruction: name(db, "SELECT name FROM instructions WHERE id = ?"),
      model: name(db, "SELECT model_name AS name FROM models WHERE id = ?"),
      provider: name(db, "SELECT name FROM providers WHERE id = ?"),
      search: name(db, "SELECT query AS name FROM egress_requests WHERE id = ?"),
      team: name(db, "SELECT name FROM teams WHERE id = ?"),
      user: name(db, "SELECT name FROM users WHERE id = ?"),
      workspace: name(db, "SELECT name FROM workspaces WHERE id = ?"),
    },
    from: db.query<AuditRow, [number, number]>(
      "SELECT seq, record, prev, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
  };
}

function name(db: Db, sql: string) {
  return db.query<{ name: string }, [number]>(sql);
}
