// Writes and verifies the audit chain. A record is written in the transaction of the decision it describes, so neither exists without the other.
//
// A record is stored as canonical JSON, the exact text that is hashed. Verification compares texts, so it also detects changed white space,
// duplicate keys, escapes and key order, which parsing would hide.

import { Value } from "@sinclair/typebox/value";
import { rfc3339, timeOf, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { badParameter } from "../../kit/error.ts";
import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { chainFault, chainHash, EMPTY_CHAIN, type ChainEnd } from "../../kit/secrets/hash-chain.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import { plural } from "../../kit/text/amounts.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import {
  AuditRecord,
  type AuditQuery,
  type AuditVerification,
  type AuditExportQuery,
  type ListedRecord,
} from "./schema.ts";
import { auditStore, type AuditStore, type AuditRow } from "./store.ts";

/** Takes a few milliseconds to read and compare. */
const FILTERED_PAGE_ROWS = 1_000;
const TARGET = /^([a-z]+):([1-9]\d{0,14})$/;
/** Takes about 2 ms to verify. */
const VERIFY_PAGE_ROWS = 100;

interface Decision {
  /** `noun.verb`, for example `provider.key`. */
  readonly action: string;
  /** `noun:id` or `noun:name`. */
  readonly target: string;
  readonly detail?: Record<string, string | number | boolean | null>;
  /** The exact content that was decided on; hashed, not stored. Never a secret. */
  readonly content?: string;
}

/** An unauthenticated client: a failed login, a refused token. */
export interface Stranger {
  readonly requestId: string;
  readonly address: string;
}

type RecordBody = Omit<AuditRecord, "prev" | "hash">;

export class Audit {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  /** Sequence number of the first record stored as canonical JSON. */
  readonly #canonicalFrom: number;
  #verifying: Promise<AuditVerification> | undefined;

  constructor(db: Db, clock: Clock) {
    this.#store = auditStore(db);
    this.#clock = clock;
    this.#canonicalFrom = this.#store.canonicalFrom.get()!.canonical_from;
  }

  /** Call it inside the write that acts. `actor` is null for the service itself (first start). */
  record(actor: Caller | Stranger | null, decision: Decision): void {
    const head = this.#store.head.get()!;
    const agent = actor && "agent" in actor && actor.agent !== undefined ? { agent: actor.agent } : {};
    const body: RecordBody = {
      seq: head.seq + 1,
      time: rfc3339(this.#clock.now()),
      ...actorFields(actor),
      action: decision.action,
      target: decision.target,
      detail: { ...decision.detail, ...agent },
      content_hash: decision.content === undefined ? null : sha256Hex(decision.content),
      request_id: actor?.requestId ?? "",
    };
    const hash = chainHash(canonicalJson({ ...body, prev: head.hash }));
    this.#store.insert.run({ seq: body.seq, record: canonicalJson(body), prev: head.hash, hash });
    this.#store.setHead.run(body.seq, hash);
  }

  /** Returns records, newest first. An unreadable record is returned as such, so the rest stay readable. Raises `forbidden`, `invalid`. */
  async list(caller: Caller, query: AuditQuery): Promise<ListedRecord[]> {
    const { limit = LIST_DEFAULT } = query;
    const found: ListedRecord[] = [];
    for await (const record of this.records(caller, query)) {
      found.push(record);
      if (found.length === limit) break;
    }
    return found;
  }

  /** Yields all matching records, newest first, as `list`. */
  async *records(
    caller: Caller,
    query: Omit<AuditQuery, "limit"> & { limit?: number },
  ): AsyncGenerator<ListedRecord> {
    requireAdmin(caller);
    const fits = matcher(query);
    // A filter may match very few of very many records, so this reads in pages and yields between them.
    const asked = fits ? FILTERED_PAGE_ROWS : (query.limit ?? FILTERED_PAGE_ROWS);
    let before = query.before ?? Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = this.#store.page.all(before, asked);
      for (const row of rows) if (!fits || fits(row)) yield this.#listed(row);
      if (rows.length < asked) return;
      before = rows.at(-1)!.seq;
      await turnOfOthers();
    }
  }

  #listed(row: AuditRow): ListedRecord {
    const record = toRecord(row);
    const { name } = record.detail;
    return {
      ...record,
      target_name: this.#nameOf(record.target) ?? (typeof name === "string" ? name : null),
    };
  }

  /** Of `gear:7`, also after it was deleted, if its row stays. */
  #nameOf(target: string): string | undefined {
    const [, noun = "", id] = TARGET.exec(target) ?? [];
    const names: Partial<Record<string, AuditStore["nameOf"]["gear"]>> = this.#store.nameOf;
    return names[noun]?.get(Number(id))?.name;
  }

  /** The anchored end of the chain. It is logged at start, so that the log is a second witness. */
  head(): ChainEnd {
    return this.#store.head.get()!;
  }

  async verify(caller: Caller): Promise<AuditVerification> {
    requireAdmin(caller);
    return this.check();
  }

  /** Recomputes the whole chain page by page and compares its end with the anchored head. Concurrent callers share one run. */
  check(signal?: AbortSignal): Promise<AuditVerification> {
    return (this.#verifying ??= this.#check(signal).finally(() => (this.#verifying = undefined)));
  }

  async #check(signal?: AbortSignal): Promise<AuditVerification> {
    let end = EMPTY_CHAIN;
    let last = Number.MIN_SAFE_INTEGER;
    const broken = (seq: number, problem: string): AuditVerification => ({
      ok: false,
      entries: end.seq,
      head: this.#store.head.get()!.hash,
      broken_at: seq,
      problem,
    });
    for (;;) {
      signal?.throwIfAborted();
      const rows = this.#store.from.all(last, VERIFY_PAGE_ROWS);
      // No write can happen between this page and reading the head below.
      if (rows.length === 0) break;
      for (const row of rows) {
        const problem = this.#problemOf(row, end);
        if (problem) return broken(end.seq + 1, problem);
        last = row.seq;
        end = { seq: row.seq, hash: row.hash };
      }
      await turnOfOthers();
    }
    const head = this.#store.head.get()!;
    const entries = end.seq;
    if (entries < head.seq)
      return broken(
        entries + 1,
        `${plural(head.seq - entries, "record is", "records are")} missing at the end`,
      );
    if (entries > head.seq)
      return broken(
        head.seq + 1,
        `${plural(entries - head.seq, "record was", "records were")} added after the anchored one`,
      );
    if (end.hash !== head.hash) return broken(entries, "the last record is not the anchored one");
    return { ok: true, entries, head: head.hash, broken_at: null, problem: null };
  }

  #problemOf(row: AuditRow, end: ChainEnd): string | undefined {
    const seq = end.seq + 1;
    const body = parsed(row.record);
    const isNumbered = body?.seq === seq;
    const fault = chainFault(end, row, () => (isNumbered ? canonicalJson({ ...body, prev: end.hash }) : ""));
    if (fault === "seq")
      return row.seq < seq ? `record ${row.seq} was added before it` : `record ${seq} is missing`;
    if (fault === "prev") return "does not follow the record before it";
    if (fault === "hash" || !body) return "was edited";
    const isCanonical = seq >= this.#canonicalFrom;
    const isSameText = isCanonical ? row.record === canonicalJson(body) : isAsWritten(row.record, body);
    return isSameText ? undefined : "was rewritten: the text differs from the one recorded";
  }
}

function actorFields(
  actor: Caller | Stranger | null,
): Pick<RecordBody, "actor_id" | "actor" | "role" | "auth" | "address"> {
  if (!actor) return { actor_id: null, actor: "service", role: "system", auth: "system", address: "" };
  if (!("userId" in actor))
    return { actor_id: null, actor: "", role: "", auth: "none", address: actor.address };
  const { userId, name, role, auth } = actor;
  return { actor_id: userId, actor: name, role, auth, address: actor.address() };
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
  detail: { problem: "this record was changed in the database and is unreadable" },
  content_hash: null,
  request_id: "",
} as const;

/** Compares with the format of earlier builds: a fixed order of fields, and any order inside `detail`. */
function isAsWritten(record: string, body: RecordBody): boolean {
  const {
    seq,
    time,
    actor_id,
    actor,
    role,
    auth,
    address,
    action,
    target,
    detail,
    content_hash,
    request_id,
  } = body;
  const fields = { seq, time, actor_id, actor, role, auth, address, action, target, detail, content_hash };
  return record === JSON.stringify({ ...fields, request_id });
}

/** Undefined without a filter. Raises `invalid`, naming the parameter. */
function matcher({
  action,
  actor,
  since,
  until,
}: AuditExportQuery): ((row: AuditRow) => boolean) | undefined {
  if ([action, actor, since, until].every((one) => one === undefined)) return undefined;
  const [from, to] = [moment("since", since), moment("until", until)];
  return (row) => {
    const body = parsed(row.record);
    if (!body) return false;
    const { time } = body;
    return (
      (action === undefined || body.action === action) &&
      (actor === undefined || body.actor === actor) &&
      (from === undefined || (typeof time === "string" && time >= from)) &&
      (to === undefined || (typeof time === "string" && time < to))
    );
  };
}

/** In the form of records, so that texts compare. */
function moment(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = timeOf(text);
  if (time === undefined) throw badParameter(field, "expected RFC 3339 or a date, like 2026-11-21");
  return rfc3339(time);
}

function parsed(record: string): RecordBody | undefined {
  return parsedJson(record) as RecordBody | undefined;
}
