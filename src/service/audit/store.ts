// SQL of the audit chain.

import type { Db } from "../../kit/db.ts";

export interface AuditRow {
  seq: number;
  record: string;
  prev: string;
  hash: string;
}

export class AuditStore {
  readonly head;
  readonly canonicalFrom;
  readonly setHead;
  readonly insert;
  readonly page;
  readonly from;

  constructor(db: Db) {
    this.head = db.query<{ seq: number; hash: string }, []>("SELECT seq, hash FROM audit_head WHERE id = 1");
    this.canonicalFrom = db.query<{ canonical_from: number }, []>(
      "SELECT canonical_from FROM audit_head WHERE id = 1",
    );
    this.setHead = db.query<never, [number, string]>("UPDATE audit_head SET seq = ?, hash = ? WHERE id = 1");
    this.insert = db.query<never, [number, string, string, string]>(
      "INSERT INTO audit (seq, record, prev, hash) VALUES (?, ?, ?, ?)",
    );
    this.page = db.query<AuditRow, [number, number]>(
      "SELECT seq, record, prev, hash FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
    );
    this.from = db.query<AuditRow, [number, number]>(
      "SELECT seq, record, prev, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?",
    );
  }
}
