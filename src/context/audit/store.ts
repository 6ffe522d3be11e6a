// SQL of what anchors the audit file: its end, breaks that were noticed, how far each space is on record.

import type { Db } from "../../kit/db.ts";

export interface AnchorRow {
  entries: number;
  hash: string;
  /** Offset after the anchored record; null: not known. */
  bytes: number | null;
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

export interface BaselineRow {
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

const BREAK =
  "id, noticed_at, line, problem, expected_entries, expected_hash, found_entries, found_hash, acknowledged_at, acknowledged_by";

export class AuditStore {
  readonly #tables;
  readonly #anchor;
  readonly #anchorOfOldSchema;
  readonly #openBreaks;
  readonly #baseline;
  readonly setAnchor;
  readonly insertBreak;
  readonly acknowledge;
  readonly breaks;
  readonly setBaseline;
  readonly source;
  readonly setSource;
  readonly dropSource;

  constructor(db: Db) {
    this.#tables = db.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM sqlite_schema WHERE name = 'audit_breaks'",
    );
    this.#anchor = db.query<AnchorRow, []>("SELECT entries, hash, bytes FROM audit_anchor");
    this.#anchorOfOldSchema = db.query<AnchorRow, []>(
      "SELECT entries, hash, NULL AS bytes FROM audit_anchor",
    );
    this.setAnchor = db.query<never, [number, string, number]>(
      "INSERT INTO audit_anchor (id, entries, hash, bytes) VALUES (1, ?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET entries = ?1, hash = ?2, bytes = ?3",
    );
    this.insertBreak = db.query<never, [number, number, string, number, string, number, string]>(
      `INSERT INTO audit_breaks (noticed_at, line, problem, expected_entries, expected_hash, found_entries, found_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#openBreaks = db.query<BreakRow, []>(
      `SELECT ${BREAK} FROM audit_breaks WHERE acknowledged_at IS NULL ORDER BY id`,
    );
    this.breaks = db.query<BreakRow, []>(`SELECT ${BREAK} FROM audit_breaks ORDER BY id`);
    this.acknowledge = db.query<never, [number, string, number]>(
      "UPDATE audit_breaks SET acknowledged_at = ?1, acknowledged_by = ?2 WHERE id <= ?3 AND acknowledged_at IS NULL",
    );
    this.#baseline = db.query<BaselineRow, []>("SELECT bytes, lines, sha256, seq, hash FROM audit_baseline");
    this.setBaseline = db.query<never, [number, number, string, number, string]>(
      `INSERT INTO audit_baseline (id, bytes, lines, sha256, seq, hash) VALUES (1, ?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (id) DO UPDATE SET bytes = ?1, lines = ?2, sha256 = ?3, seq = ?4, hash = ?5`,
    );
    this.source = db.query<SourceRow, [string]>(
      "SELECT epoch, seq, bytes FROM audit_sources WHERE space = ?",
    );
    this.setSource = db.query<never, [string, string, number, number]>(
      "INSERT INTO audit_sources (space, epoch, seq, bytes) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (space) DO UPDATE SET epoch = ?2, seq = ?3, bytes = ?4",
    );
    this.dropSource = db.query<never, [string]>("DELETE FROM audit_sources WHERE space = ?");
  }

  /** Also of a database that no server of this version has opened yet. */
  anchor(): AnchorRow | null {
    return this.#isMigrated() ? this.#anchor.get() : this.#anchorOfOldSchema.get();
  }

  openBreaks(): BreakRow[] {
    return this.#isMigrated() ? this.#openBreaks.all() : [];
  }

  baseline(): BaselineRow | null {
    return this.#isMigrated() ? this.#baseline.get() : null;
  }

  #isMigrated(): boolean {
    return this.#tables.get()!.count > 0;
  }
}
