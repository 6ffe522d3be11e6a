// What is recorded of every deed, and what can be read of it again: lists, counts, exports, and the check of the whole chain.

import { sha256Hex } from "../../kit/crypto.ts";
import { rfc3339, timeOf, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import { requireAdmin, type Actor } from "../people/actor.ts";
import { readLines } from "./audit-file.ts";
import { AuditChain, type AuditEntry } from "./chain.ts";
import type { AuditQuery, AuditRecord, AuditStats, AuditVerification } from "./schema.ts";
import { AuditStore } from "./store.ts";
import { checkAuditFile, parseRecord, verifyAuditFile } from "./verify.ts";

const ID_BITS = 64;
/** Between two of them everything else may run: about 5 ms of reading. */
const RECORDS_PER_STRETCH = 1_000;
/** Of a target or an error; a path has at most 1,024 bytes. */
const TEXT_CHARACTERS_MAX = 2_000;

export interface Deed {
  /** An event type, for example `file.write`. */
  readonly action: string;
  readonly space?: string | undefined;
  readonly target?: string | undefined;
  readonly version?: number | undefined;
  readonly contentHash?: string | undefined;
}

export interface AuditDeps {
  readonly path: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

export class Audit {
  readonly #deps: AuditDeps;
  readonly #store: AuditStore;
  readonly #chain: AuditChain;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
    this.#store = new AuditStore(deps.db);
    this.#chain = new AuditChain({ ...deps, store: this.#store });
  }

  get entries(): number {
    return this.#chain.entries;
  }

  /** Records that could not be written since the start. */
  get failures(): number {
    return this.#chain.failures;
  }

  /** Goes on where the file ends. A line that a crash cut off is recorded as such. */
  open(): void {
    const { last, torn } = this.#chain.open();
    const record = last === undefined ? undefined : (parseRecord(last) ?? this.#lastRecord());
    this.#chain.continueAfter(record);
    if (torn === undefined) return;
    this.#deps.log.warn("the last line of the audit file was cut off and is set aside", {
      bytes: torn.length,
    });
    this.record(null, { action: "audit.recovered", contentHash: sha256Hex(torn) });
  }

  /** See `AuditChain.mark`. */
  mark(): ReturnType<AuditChain["mark"]> {
    return this.#chain.mark();
  }

  /** At once. `actor` null: the server itself. A failure to write is logged and counted; what was done stays done. */
  record(actor: Actor | null, deed: Deed, failure?: unknown): void {
    void this.#chain.add(this.#entryOf(actor, deed, failure));
    this.#chain.flush();
  }

  #entryOf(actor: Actor | null, deed: Deed, failure: unknown): AuditEntry {
    return {
      id: randomHex(ID_BITS),
      time: rfc3339(this.#deps.clock.now()),
      actor: {
        name: actor?.name ?? "server",
        role: !actor || actor.auth === "none" ? null : actor.role,
        auth: actor?.auth ?? ("system" as const),
        address: actor?.address() ?? "",
      },
      action: deed.action,
      space: bounded(deed.space ?? null),
      target: bounded(deed.target ?? null),
      version: deed.version ?? null,
      content_hash: deed.contentHash ?? null,
      ...resultOf(failure),
      request_id: actor?.requestId ?? "",
    };
  }

  /** Runs it and records what came of it, refusals included. `about` may say more once it is done. */
  async watched<T>(
    actor: Actor,
    deed: Deed,
    act: () => Promise<T>,
    about: (done: T) => Partial<Deed> = () => ({}),
  ) {
    let done: T;
    try {
      done = await act();
    } catch (error) {
      await this.#chain.add(this.#entryOf(actor, deed, error));
      throw error;
    }
    await this.#chain.add(this.#entryOf(actor, { ...deed, ...about(done) }, undefined));
    return done;
  }

  /** Brings file and anchor to the disk. */
  anchor(): Promise<void> {
    return this.#chain.anchor();
  }

  close(): Promise<void> {
    return this.#chain.close();
  }

  /** Newest page, newest first. */
  async list(actor: Actor, query: AuditQuery): Promise<AuditRecord[]> {
    requireAdmin(actor);
    const limit = query.limit ?? LIST_DEFAULT;
    const filter = withTimes(query);
    const page: AuditRecord[] = [];
    for await (const record of this.#paced()) {
      if (!matches(record, filter)) continue;
      page.push(record);
      if (page.length > limit) page.shift();
    }
    return page.toReversed();
  }

  async stats(actor: Actor): Promise<AuditStats> {
    requireAdmin(actor);
    const stats = { entries: 0, first: null as string | null, last: null as string | null };
    const actions: Record<string, number> = {};
    const results: Record<string, number> = {};
    for await (const { action, result, time } of this.#paced()) {
      stats.entries += 1;
      stats.first ??= time;
      stats.last = time;
      actions[action] = (actions[action] ?? 0) + 1;
      results[result] = (results[result] ?? 0) + 1;
    }
    return { ...stats, actions, results };
  }

  /** All of it, as it is in the file. */
  lines(actor: Actor, query: AuditQuery): AsyncGenerator<AuditRecord> {
    requireAdmin(actor);
    return this.#matching(withTimes(query));
  }

  async *#matching(filter: AuditQuery): AsyncGenerator<AuditRecord> {
    for await (const record of this.#paced()) if (matches(record, filter)) yield record;
  }

  async verify(actor: Actor): Promise<AuditVerification> {
    requireAdmin(actor);
    const checking = checkAuditFile(this.#deps.path, this.#chain.mark());
    for (;;) {
      const { done, value } = checking.next();
      if (done) return value;
      await turnOfOthers();
    }
  }

  /** Compared with what was anchored when the server stopped last. For the start, and for a server that does not run. */
  verifyAnchored(): AuditVerification {
    const anchor = this.#store.anchor.get();
    return verifyAuditFile(this.#deps.path, anchor ?? undefined);
  }

  /** Where the last line is none of ours, the chain goes on after the last one that is; verifying names the line. */
  #lastRecord(): AuditRecord | undefined {
    let last: AuditRecord | undefined;
    for (const record of this.#records()) last = record;
    return last;
  }

  /** A long record must not keep others waiting. */
  async *#paced(): AsyncGenerator<AuditRecord> {
    let count = 0;
    for (const record of this.#records()) {
      yield record;
      if (++count % RECORDS_PER_STRETCH === 0) await turnOfOthers();
    }
  }

  *#records(): Generator<AuditRecord> {
    for (const { text, whole } of readLines(this.#deps.path)) {
      const record = whole ? parseRecord(text) : undefined;
      if (record) yield record;
    }
  }
}

function resultOf(failure: unknown): { result: "ok" | "denied" | "error"; error: string | null } {
  if (failure === undefined) return { result: "ok", error: null };
  if (!(failure instanceof AppError)) return { result: "error", error: "internal" };
  const denied = ["forbidden", "unauthenticated", "not_found", "rate_limited"].includes(failure.code);
  return { result: denied ? "denied" : "error", error: bounded(`${failure.code}: ${failure.message}`) };
}

/** A record stays far below the longest line that can be read back, whatever somebody wrote as a name. */
function bounded<T extends string | null>(text: T): T {
  return text !== null && text.length > TEXT_CHARACTERS_MAX
    ? (`${text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` as T)
    : text;
}

/** Times as records have them, so that they compare as text. Raises `invalid`. */
function withTimes(query: AuditQuery): AuditQuery {
  const times: Pick<AuditQuery, "since" | "until"> = {};
  for (const name of ["since", "until"] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const time = timeOf(text);
    if (time === undefined)
      throw new AppError("invalid", `query parameter ${name}: expected a time (RFC 3339) or a date`);
    times[name] = rfc3339(time);
  }
  return { ...query, ...times };
}

function matches(record: AuditRecord, query: AuditQuery): boolean {
  if (query.before !== undefined && record.seq >= query.before) return false;
  if (query.actor !== undefined && record.actor.name !== query.actor) return false;
  if (query.action !== undefined && record.action !== query.action) return false;
  if (query.space !== undefined && record.space !== query.space) return false;
  if (query.result !== undefined && record.result !== query.result) return false;
  if (query.since !== undefined && record.time < query.since) return false;
  return query.until === undefined || record.time <= query.until;
}
