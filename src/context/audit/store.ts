// SQL of the audit file's anchor.

import type { Db } from "../../kit/db.ts";

export class AuditStore {
  readonly anchor;
  readonly setAnchor;

  constructor(db: Db) {
    this.anchor = db.query<{ entries: number; hash: string }, []>("SELECT entries, hash FROM audit_anchor");
    this.setAnchor = db.query<never, [number, string]>(
      "INSERT INTO audit_anchor (id, entries, hash) VALUES (1, ?1, ?2) ON CONFLICT (id) DO UPDATE SET entries = ?1, hash = ?2",
    );
  }
}
