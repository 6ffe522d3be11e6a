// Writes and checks the audit chain. A record is written in the same transaction as the decision it tells of:
// there is no decision without its record, and none recorded that did not happen.

import { Value } from "@sinclair/typebox/value";
import { chainHash, CHAIN_START, sha256Hex } from "../../kit/crypto.ts";
import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import { requireAdmin, type Caller } from "../people/caller.ts";
import { AuditRecord, type AuditQuery, type AuditVerification } from "./schema.ts";
import { AuditStore, type AuditRow } from "./store.ts";

const VERIFY_PAGE_ROWS = 1000;

export interface Decision {
  /** `noun.verb`, for example `provider.key`. */
  readonly action: string;
  /** `noun:id` or `noun:name`. */
  readonly target: string;
  readonly detail?: Record<string, string | number | boolean | null>;
  /** Exactly what was decided on; hashed, not stored. Never a secret. */
  readonly content?: string;
}

type RecordBody = Omit<AuditRecord, "prev" | "hash">;

export class Audit {
  readonly #store: AuditStore;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#store = new AuditStore(db);
    this.#clock = clock;
  }

  /** Called inside the write that acts. `caller` null: the service itself (first start). */
  record(caller: Caller | null, decision: Decision): void {
    const head = this.#store.head.get()!;
    const agent = caller?.agent === undefined ? {} : { agent: caller.agent };
    const body: RecordBody = {
      seq: head.seq + 1,
      time: rfc3339(this.#clock.now()),
      actor_id: caller?.userId ?? null,
      actor: caller?.name ?? "service",
      role: caller?.role ?? "system",
      auth: caller?.auth ?? "system",
      address: caller?.address() ?? "",
      action: decision.action,
      target: decision.target,
      detail: { ...decision.detail, ...agent },
      content_hash: decision.content === undefined ? null : sha256Hex(decision.content),
      request_id: caller?.requestId ?? "",
    };
    const hash = chainHash(body, head.hash);
    this.#store.insert.run(body.seq, JSON.stringify(body), head.hash, hash);
    this.#store.setHead.run(body.seq, hash);
  }

  /** Newest first. What is no longer a record is shown as that, so that the others can still be read. */
  list(caller: Caller, query: AuditQuery): AuditRecord[] {
    requireAdmin(caller);
    const before = query.before ?? Number.MAX_SAFE_INTEGER;
    const action = query.action ?? null;
    const actor = query.actor ?? null;
    const rows = this.#store.page.all(before, action, action, actor, actor, query.limit ?? LIST_DEFAULT);
    return rows.map(toRecord);
  }

  /** The anchored end of the chain; logged at start, so that the log witnesses it. */
  head(): { seq: number; hash: string } {
    return this.#store.head.get()!;
  }

  verify(caller: Caller): AuditVerification {
    requireAdmin(caller);
    return this.check();
  }

  /** Recomputes the whole chain and compares its end with the anchored head. */
  check(): AuditVerification {
    const head = this.#store.head.get()!;
    let prev = CHAIN_START;
    let entries = 0;
    let last = Number.MIN_SAFE_INTEGER;
    const broken = (seq: number, problem: string): AuditVerification => ({
      ok: false,
      entries,
      head: head.hash,
      broken_at: seq,
      problem,
    });
    for (;;) {
      const rows = this.#store.from.all(last, VERIFY_PAGE_ROWS);
      if (rows.length === 0) break;
      for (const row of rows) {
        const problem = problemOf(row, entries + 1, prev);
        if (problem) return broken(entries + 1, problem);
        last = row.seq;
        prev = row.hash;
        entries += 1;
      }
    }
    if (entries < head.seq)
      return broken(entries + 1, `${head.seq - entries} records are missing at the end`);
    if (entries > head.seq)
      return broken(head.seq + 1, `${entries - head.seq} records were added after the anchored one`);
    if (prev !== head.hash) return broken(entries, "the last record is not the anchored one");
    return { ok: true, entries, head: head.hash, broken_at: null, problem: null };
  }
}

function toRecord(row: AuditRow): AuditRecord {
  const { seq, prev, hash } = row;
  const record = { ...parsed(row.record), prev, hash };
  return Value.Check(AuditRecord, record)
    ? record
    : { ...UNREADABLE, seq, target: `audit:${seq}`, prev, hash };
}

const UNREADABLE = {
  time: null,
  actor_id: null,
  actor: "",
  role: "",
  auth: "system",
  address: "",
  action: "unreadable",
  detail: { problem: "this record was changed in the database and can't be read any more" },
  content_hash: null,
  request_id: "",
} as const;

function problemOf(row: AuditRow, seq: number, prev: string): string | undefined {
  if (row.seq < seq) return `record ${row.seq} was added before it`;
  if (row.seq > seq) return `record ${seq} is missing`;
  if (row.prev !== prev) return "does not follow the record before it";
  const body = parsed(row.record);
  if (!body || body.seq !== seq || chainHash(body, prev) !== row.hash) return "was edited";
  return undefined;
}

function parsed(record: string): RecordBody | undefined {
  try {
    return JSON.parse(record) as RecordBody;
  } catch {
    return undefined;
  }
}
