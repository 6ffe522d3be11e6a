// The SQL that anchors the audit file: its end, detected breaks, the last recorded change of each space, and records that are not in it yet.

import type { Db } from "../../kit/storage/db.ts";

export interface AnchorRow {
  entries: number;
  hash: string;
  /** The offset after the anchored record; null: unknown. */
  bytes: number | null;
  /** 1: the server stopped after it, so that nothing may follow. */
  closed: 0 | 1;
}

export interface BreakRow {
  id: number;
  noticed_at: number;
  line: number;
  problem: string;
  expected_entries: number;
  expected_hash: string;
  found_entries: number;
  found_hash: string;
  acknowledged_at: number | null;
  acknowledged_by: string | null;
}

interface BaselineRow {
  bytes: number;
  lines: number;
  sha256: string;
  seq: number;
  hash: string;
}

export interface SourceRow {
  epoch: string;
  seq: number;
  bytes: number;
}

interface PendingRow {
  number: number;
  record: string;
}

const BREAK =
  "id, noticed_at, line, problem, expected_entries, expected_hash, found_entries, found_hash, acknowledged_at, acknowledged_by";

export type AuditStore = ReturnType<typeof auditStore>;

export function auditStore(db: Db) {
  const ends = db.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM pragma_table_info('audit_anchor') WHERE name = 'closed'",
  );
  const tables = db.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM sqlite_schema WHERE name = 'audit_breaks'",
  );
  const anchor = db.query<AnchorRow, []>("SELECT entries, hash, bytes, closed FROM audit_anchor");
  const anchorOfOldSchema = db.query<AnchorRow, []>(
    "SELECT entries, hash, NULL AS bytes, 0 AS closed FROM audit_anchor",
  );
  const openBreaks = db.query<BreakRow, []>(
    `SELECT ${BREAK} FROM audit_breaks WHERE acknowledged_at IS NULL ORDER BY id`,
  );
  const baseline = db.query<BaselineRow, []>("SELECT bytes, lines, sha256, seq, hash FROM audit_baseline");
  const isMigrated = () => tables.get()!.count > 0;
  return {
    // These three also read a database that this version has not migrated yet.
    anchor: () => (ends.get()!.count > 0 ? anchor.get() : anchorOfOldSchema.get()),
    openBreaks: () => (isMigrated() ? openBreaks.all() : []),
    baseline: () => (isMigrated() ? baseline.get() : null),
    setAnchor: db.query<never, AnchorRow>(
      `INSERT INTO audit_anchor (id, entries, hash, bytes, closed) VALUES (1, $entries, $hash, $bytes, $closed)
       ON CONFLICT (id) DO UPDATE SET entries = $entries, hash = $hash, bytes = $bytes, closed = $closed`,
    ),
    reopenAnchor: db.query<never, []>("UPDATE audit_anchor SET closed = 0"),
    insertBreak: db.query<never, Omit<BreakRow, "id" | "acknowledged_at" | "acknowledged_by">>(
      `INSERT INTO audit_breaks (noticed_at, line, problem, expected_entries, expected_hash, found_entries, found_hash)
       VALUES ($noticed_at, $line, $problem, $expected_entries, $expected_hash, $found_entries, $found_hash)`,
    ),
    breaks: db.query<BreakRow, []>(`SELECT ${BREAK} FROM audit_breaks ORDER BY id`),
    acknowledge: db.query<never, [number, string, number]>(
      "UPDATE audit_breaks SET acknowledged_at = ?, acknowledged_by = ? WHERE id <= ? AND acknowledged_at IS NULL",
    ),
    setBaseline: db.query<never, BaselineRow>(
      `INSERT INTO audit_baseline (id, bytes, lines, sha256, seq, hash) VALUES (1, $bytes, $lines, $sha256, $seq, $hash)
       ON CONFLICT (id) DO UPDATE SET bytes = $bytes, lines = $lines, sha256 = $sha256, seq = $seq, hash = $hash`,
    ),
    source: db.query<SourceRow, [string]>("SELECT epoch, seq, bytes FROM audit_sources WHERE space = ?"),
    setSource: db.query<never, SourceRow & { space: string }>(
      `INSERT INTO audit_sources (space, epoch, seq, bytes) VALUES ($space, $epoch, $seq, $bytes)
       ON CONFLICT (space) DO UPDATE SET epoch = $epoch, seq = $seq, bytes = $bytes`,
    ),
    pending: db.query<PendingRow, []>("SELECT number, record FROM audit_pending ORDER BY number"),
    insertPending: db.query<Pick<PendingRow, "number">, [string]>(
      "INSERT INTO audit_pending (record) VALUES (?) RETURNING number",
    ),
    dropPending: db.query<never, [number]>("DELETE FROM audit_pending WHERE number = ?"),
    dropSource: db.query<never, [string]>("DELETE FROM audit_sources WHERE space = ?"),
  };
}
