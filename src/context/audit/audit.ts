// The audit record: records every deed, and offers lists, counts, exports and verification of the whole chain.

import { sha256Hex } from "../../kit/crypto.ts";
import { rfc3339, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, stopping } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import { CHAIN_START } from "../../kit/secrets/hash-chain.ts";
import type { HealthProblem } from "../../kit/health.ts";
import { storageReasonOf } from "../../kit/storage-error.ts";
import type { Applied, Head, LogEntry } from "../versioned-store/engine.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { readLines, type Appended } from "./audit-file.ts";
import { Breaks, toBreak } from "./breaks.ts";
import { AuditChain, type AuditEntry, type LostRecords } from "./chain.ts";
import { ChangeRecords } from "./change-records.ts";
import { openingOf } from "./opening.ts";
import { PendingRecords } from "./pending-records.ts";
import { matching, pageOf, statsOf } from "./reading.ts";
import {
  breakText,
  type AcknowledgeBreaks,
  type AuditBreak,
  type AuditQuery,
  type AuditRecord,
  type AuditStats,
  type AuditVerification,
} from "./schema.ts";
import { auditStore, type AuditStore } from "./store.ts";
import { checkAuditFile, checkedNow, type Anchor, type Baseline, type Checked } from "./verify.ts";

const ID_BITS = 64;
/** The longest target or error; a path has at most 1,024 bytes. */
const TEXT_CHARACTERS_MAX = 2_000;

/** The placeholder action; each change sets its own. */
const CHANGE: Deed = { action: "file.change" };

export interface Deed {
  /** An event type, for example `file.write`. */
  readonly action: string;
  readonly space?: string | undefined;
  readonly target?: string | undefined;
  readonly version?: number | undefined;
  readonly contentHash?: string | undefined;
}

interface AuditDeps {
  readonly path: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Copies the file to other nodes. */
  readonly appended?: Appended | undefined;
}

export class Audit {
  readonly #deps: AuditDeps;
  readonly #store: AuditStore;
  readonly #chain: AuditChain;
  readonly #breaks: Breaks;
  readonly #changes: ChangeRecords;
  readonly #pending: PendingRecords;
  #isAcknowledging = false;
  #isStopping = false;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
    this.#store = auditStore(deps.db);
    this.#chain = new AuditChain({
      ...deps,
      store: this.#store,
      entryAbout: (lost) => this.#entryAbout(lost),
    });
    this.#breaks = new Breaks(deps.db, this.#store, deps.clock);
    this.#changes = new ChangeRecords({ ...deps, store: this.#store, chain: this.#chain });
    this.#pending = new PendingRecords({ ...deps, store: this.#store, chain: this.#chain });
  }

  get entries(): number {
    return this.#chain.entries;
  }

  /** Failed writes since startup. */
  get failures(): number {
    return this.#chain.failures;
  }

  /** For the health check: unacknowledged breaks, and a file that cannot be written. */
  problems(): HealthProblem[] {
    const { failure } = this.#chain;
    return [
      ...(this.#breaks.open.length > 0 ? [{ what: "audit", reason: "broken" as const }] : []),
      ...(failure === undefined ? [] : [{ what: "audit", reason: storageReasonOf(failure) }]),
    ];
  }

  /**
   * Continues the chain at the end of the file. A mismatch with the anchor goes into the database before anything is recorded. A line that a
   * crash tore gets a record of its own, after those of changes that the crash left unrecorded.
   */
  open(): void {
    const anchor = this.#store.anchor();
    const { last, end, torn, broken } = openingOf(this.#deps.path, anchor, this.#store.baseline());
    this.#breaks.load();
    const isNews = broken !== undefined && this.#breaks.noticeNow(broken, anchor);
    this.#chain.open(end, last);
    // The anchor removes the pending records before it. In a broken file, it may be elsewhere.
    this.#pending.drain(broken === undefined ? (anchor?.bytes ?? 0) : 0);
    for (const { line, problem, noticed_at } of this.#breaks.open)
      this.#deps.log.error("the audit file is broken", { line, problem, noticed_at });
    if (isNews) this.#recordBreak(broken);
    if (torn === undefined) return;
    this.#deps.log.warn("removed a torn last line of the audit file", {
      bytes: torn.length,
    });
    this.record(null, { action: "audit.recovered", contentHash: sha256Hex(torn) });
  }

  #recordBreak({ line, problem }: Checked): void {
    const failure = new AppError("refused", `line ${line}: ${problem}`);
    this.record(null, { action: "audit.broken" }, failure);
  }

  #entryAbout({ records, changes, from, to }: LostRecords): AuditEntry {
    const when = records === 1 ? `1 record at ${from}` : `${records} records between ${from} and ${to}`;
    const later = changes === 0 ? "" : `; the next start writes those of changes (${changes})`;
    const failure = `${when} could not be written${later}`;
    return this.entryOf(
      null,
      { action: "audit.lost", target: String(records) },
      new AppError("unavailable", failure),
    );
  }

  /** As `AuditChain.mark`, including everything recorded so far. */
  mark(): ReturnType<AuditChain["mark"]> {
    this.#chain.flush();
    return this.#chain.mark();
  }

  /** Records immediately. `actor` null: the server itself. A failed write is logged and counted; the deed is not undone. */
  record(actor: Caller | null, deed: Deed, failure?: unknown): void {
    this.#chain.addNow(this.entryOf(actor, deed, failure));
  }

  /**
   * Called inside the write of a change: stores its record with it. The record enters the chain after the commit. Resolves when it is in the file
   * or its write failed; never if the change is rolled back.
   */
  recordWith(actor: Caller | null, deed: Deed, failure?: unknown): Promise<void> {
    return this.recordPrepared(this.entryOf(actor, deed, failure));
  }

  /** As `recordWith`, with a record made before the change. */
  recordPrepared(entry: AuditEntry): Promise<void> {
    return this.#pending.record(entry);
  }

  /** Records every change of a commit to a space. `by` undefined: only the name in the log is known. */
  recordChanges(space: string, applied: Applied, author: string, by: Caller | undefined): void {
    this.#changes.record(space, applied, by ? this.entryOf(by, CHANGE, undefined) : this.#entryBy(author));
  }

  /** Records the changes that a crash left unrecorded. Called before any write to the space. */
  catchUp(space: string, head: Head, log: (after: number) => Promise<LogEntry[]>): Promise<void> {
    const sharedBy = (author: string) => ({ ...this.#entryBy(author), recovered: true as const });
    return this.#changes.catchUp(space, head, log, sharedBy);
  }

  /** For changes known from the log of a space, which holds only names. */
  #entryBy(author: string): AuditEntry {
    const actor = { name: author, role: null, auth: "system" as const, address: "" };
    return { ...this.entryOf(null, CHANGE, undefined), actor };
  }

  forgetSpace(space: string): Promise<void> {
    return this.#changes.forget(space);
  }

  /** The record of a deed, without its place in the chain. */
  entryOf(actor: Caller | null, deed: Deed, failure?: unknown): AuditEntry {
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

  /**
   * Runs `act` and records the outcome, including refusals. `about` adds details after success; if it returns undefined, the deed is on record
   * already.
   */
  async watched<T>(
    actor: Caller | null,
    deed: Deed,
    act: () => Promise<T>,
    about: (done: T) => Partial<Deed> | undefined = () => ({}),
  ) {
    let done: T;
    try {
      done = await act();
    } catch (error) {
      await this.#chain.add(this.entryOf(actor, deed, error));
      throw error;
    }
    const more = about(done);
    if (more) await this.#chain.add(this.entryOf(actor, { ...deed, ...more }, undefined));
    return done;
  }

  /** Flushes the file and its anchor to disk. */
  anchor(): Promise<void> {
    return this.#chain.anchor();
  }

  close(): Promise<void> {
    return this.#chain.close();
  }

  /** Returns a page of records, newest first. */
  async list(actor: Caller, query: AuditQuery): Promise<AuditRecord[]> {
    requireAdmin(actor);
    return pageOf(this.#deps.path, this.#chain.mark().bytes, query);
  }

  async stats(actor: Caller): Promise<AuditStats> {
    requireAdmin(actor);
    return statsOf(this.#deps.path);
  }

  /** Yields all matching records, in the order of the file. */
  lines(actor: Caller, query: AuditQuery): AsyncGenerator<AuditRecord> {
    requireAdmin(actor);
    return matching(this.#deps.path, query);
  }

  async verify(actor: Caller): Promise<AuditVerification> {
    requireAdmin(actor);
    return this.examine();
  }

  /** Runs in the background; ends early when the server stops. */
  async examineAtStart(): Promise<void> {
    try {
      await this.examine();
    } catch (error) {
      if (!this.#isStopping) throw error;
    }
  }

  /** Makes running verifications end, because the server is stopping. */
  stopReading(): void {
    this.#isStopping = true;
  }

  /** Returns all breaks ever detected, oldest first. */
  breaks(actor: Caller): AuditBreak[] {
    requireAdmin(actor);
    return this.#breaks.all();
  }

  /** Verifies the whole file, with pauses. A break that it finds is reported from now on. */
  async examine(): Promise<AuditVerification> {
    const anchor = this.#chain.mark();
    const found = await this.#check(anchor);
    if (!found.ok && (await this.#breaks.notice(found, anchor))) {
      this.#deps.log.error("the audit file is broken", { line: found.line, problem: found.problem });
      this.#recordBreak(found);
    }
    return withBreaks(found, this.#breaks.open);
  }

  async #check(anchor: { entries: number; hash: string }): Promise<Checked> {
    const baseline = this.#store.baseline() ?? undefined;
    const checking: Iterator<unknown, Checked> = checkAuditFile(this.#deps.path, { anchor, baseline });
    try {
      for (;;) {
        const { done, value } = checking.next();
        if (done) return value;
        if (this.#isStopping) throw stopping("server");
        await turnOfOthers();
      }
    } finally {
      // Closes the file.
      checking.return?.();
    }
  }

  /**
   * Acknowledges all breaks up to `up_to`, with an audit record for each. If the file is still broken, its present content becomes the baseline.
   * Raises `forbidden`, or `conflict` if there is nothing to acknowledge or a newer break than `up_to`.
   */
  async acknowledge(actor: Caller, { up_to: upTo }: AcknowledgeBreaks): Promise<AuditBreak[]> {
    try {
      requireAdmin(actor);
      if (this.#isAcknowledging) throw new AppError("conflict", "another acknowledgement is running");
      this.#isAcknowledging = true;
      try {
        return await this.#acknowledged(actor, upTo);
      } finally {
        this.#isAcknowledging = false;
      }
    } catch (error) {
      this.record(actor, { action: "audit.acknowledge", target: String(upTo) }, error);
      throw error;
    }
  }

  async #acknowledged(actor: Caller, upTo: number): Promise<AuditBreak[]> {
    const { ok } = await this.examine();
    const open = this.#breaks.open;
    if (ok || open.length === 0)
      throw new AppError("conflict", "nothing to acknowledge: the audit record is intact");
    if (open.at(-1)!.id !== upTo)
      throw new AppError(
        "conflict",
        `up_to: the newest break is ${open.at(-1)!.id}; look at it first (cairn audit verify)`,
      );
    const anchor = this.#chain.mark();
    const isWhole = (await this.#check(anchor)).ok;
    const baseline = isWhole ? undefined : await this.#baselineAt(anchor);
    for (const one of open)
      this.record(actor, {
        action: "audit.acknowledge",
        target: breakText(one),
        contentHash: baseline?.sha256,
      });
    await this.#chain.anchor();
    return this.#breaks.acknowledge(upTo, actor.name, baseline, () => requireAdmin(actor));
  }

  /** Returns the present content of the file, up to `bytes`, as a baseline. */
  async #baselineAt({ bytes, entries, hash }: ReturnType<AuditChain["mark"]>): Promise<Baseline> {
    const hasher = new Bun.CryptoHasher("sha256");
    const stretch = new Stretch();
    let lines = 0;
    for (const line of readLines(this.#deps.path)) {
      if (line.end > bytes) break;
      hasher.update(line.bytes);
      if (line.whole) hasher.update("\n");
      lines += line.whole ? 1 : 0;
      if (stretch.isOver()) await turnOfOthers();
    }
    return { bytes, lines, sha256: hasher.digest("hex"), seq: entries, hash };
  }
}

/** Returns the beginning of the file that an admin acknowledged as it is, from the database or a copy of it. */
export function acknowledgedPart(db: Db): Baseline | undefined {
  return auditStore(db).baseline() ?? undefined;
}

/** Verifies the file of a stopped server against its last anchor. Changes nothing. */
export function verifyOffline(path: string, db: Db): AuditVerification {
  const store = auditStore(db);
  const anchor: Anchor = store.anchor() ?? { entries: 0, hash: CHAIN_START };
  const found = checkedNow(path, { anchor, baseline: acknowledgedPart(db), mayEndTorn: true });
  return withBreaks(found, store.openBreaks().map(toBreak));
}

function withBreaks({ last: _last, ...found }: Checked, breaks: readonly AuditBreak[]): AuditVerification {
  const first = breaks[0];
  if (!found.ok || !first) return { ...found, breaks: [...breaks] };
  return { ...found, ok: false, line: first.line, problem: first.problem, breaks: [...breaks] };
}

function resultOf(failure: unknown): { result: "ok" | "denied" | "error"; error: string | null } {
  if (failure === undefined) return { result: "ok", error: null };
  if (!(failure instanceof AppError)) return { result: "error", error: "internal" };
  const denied = ["forbidden", "unauthenticated", "not_found", "rate_limited"].includes(failure.code);
  return { result: denied ? "denied" : "error", error: bounded(`${failure.code}: ${failure.message}`) };
}

/** Truncates a text, so that a record stays far below the longest readable line, however long a name a caller sends. */
function bounded<T extends string | null>(text: T): T {
  return text !== null && text.length > TEXT_CHARACTERS_MAX
    ? (`${text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` as T)
    : text;
}
