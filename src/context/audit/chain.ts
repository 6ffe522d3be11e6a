// The single writer of the audit record. Each record contains the hash of the previous one. The records of one turn of the event loop are written
// together, each before its response is sent. The server's database keeps the number of records and the last hash, so that truncation is
// detected, the last recorded change of each space, and the records of its own changes, so that a crash between a change and its record loses
// neither.

import { turnOfOthers } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { messageOf } from "../../kit/error.ts";
import { EMPTY_CHAIN, type ChainEnd } from "../../kit/secrets/hash-chain.ts";
import type { Log } from "../../kit/log.ts";
import { AuditFile, type Appended } from "./audit-file.ts";
import { hashOf, lineOf, type RecordBody } from "./record.ts";
import type { AuditStore } from "./store.ts";

/** The longest time by which the anchor and the disk may lag behind. */
const ANCHOR_DELAY_MS = 100;
/** The interval between attempts to write, after one failed. */
const RETRY_MS = 1_000;
/** The records written between two yields: about 5 ms of work. */
const RECORDS_PER_STRETCH = 400;

/** The content of a record. Its position in the chain is known only when it is written. */
export type AuditEntry = Omit<RecordBody, "seq" | "prev">;

/** The change in a space that a record describes. */
interface ChangeMark {
  readonly space: string;
  readonly epoch: string;
  readonly seq: number;
}

/** For each space, the last change in the file and the earliest offset of its record. */
type Followed = Map<string, Omit<ChangeMark, "space"> & { readonly bytes: number }>;

/** Records that could not be written since the last that was. `from` and `to`: RFC 3339. */
export interface LostRecords {
  readonly records: number;
  /** How many of them are about changes. The next start writes these, from the log of the space or from the database. */
  readonly changes: number;
  readonly from: string;
  readonly to: string;
}

interface AuditChainDeps {
  readonly path: string;
  /** The record that says so, in their place. */
  readonly entryAbout: (lost: LostRecords) => AuditEntry;
  readonly db: Db;
  readonly store: AuditStore;
  readonly log: Log;
  readonly appended?: Appended | undefined;
}

/** The place where the next start finds what the record is about, if the file lacks it. */
interface Source {
  /** Changes of a space arrive in order. */
  readonly change?: ChangeMark | undefined;
  /** The number of the pending record in the database. */
  readonly pending?: number;
}

interface Waiting extends Omit<Source, "change"> {
  readonly entry: AuditEntry;
  /** Undefined also if the space was removed meanwhile: the next start cannot write the record. */
  change: ChangeMark | undefined;
  readonly written: () => void;
}

export class AuditChain {
  readonly #deps: AuditChainDeps;
  readonly #file: AuditFile;
  #end = EMPTY_CHAIN;
  #waiting: Waiting[] = [];
  #isDraining = false;
  #anchoring: Promise<void> = Promise.resolve();
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  /** Not stored in the database yet. */
  #followed: Followed = new Map();
  /** Taken from `#followed` by the anchor under way, which stores them. */
  #storing: Followed = new Map();
  /** Spaces with a change whose record could not be written; the next start records it. */
  readonly #behind = new Set<string>();
  /** Pending records that are in the file; the next anchor removes them from the database. */
  #settled: number[] = [];
  #lost: LostRecords | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Failed writes since startup. */
  failures = 0;
  /** The error of the last write; undefined if it succeeded. */
  failure: unknown;

  constructor(deps: AuditChainDeps) {
    this.#deps = deps;
    const replaced = () =>
      deps.log.error("the audit file was replaced or moved; records continue in the file of its name", {
        path: deps.path,
      });
    this.#file = new AuditFile(deps.path, replaced, deps.appended);
  }

  /** Opens the file and continues after `last`. Truncates it at `end`, which drops an incomplete last line. */
  open(end: number, last: ChainEnd): void {
    const { db, store } = this.#deps;
    // Durable before the first record, which nobody may take for an addition after a crash.
    if (store.anchor()?.closed === 1) db.writeNow(() => store.reopenAnchor.run());
    this.#file.open(end);
    this.#end = last;
  }

  /** Returns the end of the file: its size, its number of records and the hash of the last one. */
  mark(): { readonly path: string; readonly bytes: number; readonly entries: number; readonly hash: string } {
    return { path: this.#deps.path, bytes: this.#file.size, entries: this.#end.seq, hash: this.#end.hash };
  }

  get entries(): number {
    return this.#end.seq + this.#waiting.length;
  }

  /** Resolves when the record is in the file or its write failed. */
  add(entry: AuditEntry, source: Source = {}): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ change: undefined, ...source, entry, written: written.resolve });
    if (!this.#isDraining) {
      this.#isDraining = true;
      queueMicrotask(() => this.#drain());
    }
    return written.promise;
  }

  /** As `add`, but synchronous unless a long queue is being written. */
  addNow(entry: AuditEntry): void {
    void this.add(entry);
    if (this.#waiting.length <= RECORDS_PER_STRETCH) this.flush();
  }

  /** Notes that all changes of the space up to this one are in the file. */
  follow({ space, epoch, seq }: ChangeMark): void {
    if (this.#behind.has(space)) return;
    this.#followed.set(space, { epoch, seq, bytes: this.#file.size });
    this.#anchorSoon();
  }

  /** Notes that the pending record of this number is in the file. */
  settle(pending: number): void {
    this.#settled.push(pending);
    this.#anchorSoon();
  }

  /** Drops the state of a removed space, whose queued records are still written. */
  forget(space: string): void {
    for (const waiting of this.#waiting) if (waiting.change?.space === space) waiting.change = undefined;
    this.#followed.delete(space);
    this.#storing.delete(space);
    this.#behind.delete(space);
  }

  /** Writes all queued records synchronously. */
  flush(): void {
    while (this.#waiting.length > 0) this.#writeNext();
  }

  /** Yields between batches, because a large push queues many records. */
  #drain(): void {
    if (this.#waiting.length > 0) this.#writeNext();
    this.#isDraining = this.#waiting.length > 0;
    if (this.#isDraining) void turnOfOthers().then(() => this.#drain());
  }

  #writeNext(): void {
    const batch = this.#waiting.splice(0, RECORDS_PER_STRETCH);
    this.#write(batch);
    for (const { written } of batch) written();
  }

  /**
   * Flushes the file and then stores the anchor, which is therefore never ahead of the file. A crash between the two leaves a longer file.
   * Calls run one after another, so that no anchor overwrites a newer one.
   */
  anchor(): Promise<void> {
    clearTimeout(this.#anchorTimer);
    this.#anchorTimer = undefined;
    return (this.#anchoring = this.#anchoring.then(() => this.#anchorNow(0)));
  }

  async #anchorNow(closed: 0 | 1): Promise<void> {
    const { db, store, log } = this.#deps;
    const { entries, hash, bytes } = this.mark();
    const followed = (this.#storing = this.#followed);
    this.#followed = new Map();
    const settled = this.#settled;
    this.#settled = [];
    try {
      await this.#file.sync();
      await db.write(() => {
        store.setAnchor.run({ entries, hash, bytes, closed });
        for (const [space, { epoch, seq, bytes: from }] of followed)
          store.setSource.run({ space, epoch, seq, bytes: from });
        for (const pending of settled) store.dropPending.run(pending);
      });
    } catch (error) {
      this.#settled.push(...settled);
      for (const [space, mark] of followed) if (!this.#followed.has(space)) this.#followed.set(space, mark);
      log.error("cannot anchor the audit file", { error: messageOf(error) });
    }
  }

  /** Also anchors records added while it runs. The next open accepts only what the file contains afterwards. */
  async close(): Promise<void> {
    this.#retry();
    let last: Promise<void>;
    do {
      this.flush();
      last = this.anchor();
      await last;
    } while (this.#waiting.length > 0 || this.#anchorTimer !== undefined || this.#anchoring !== last);
    await this.#anchorNow(1);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#file.close();
  }

  #anchorSoon(): void {
    this.#anchorTimer ??= setTimeout(() => void this.anchor(), ANCHOR_DELAY_MS);
  }

  /** A failure is logged and counted; the deed is not undone. The first record after it says how many are missing. */
  #write(batch: readonly Waiting[]): void {
    const lost = this.#lost;
    const entries = batch.map(({ entry }) => entry);
    if (lost) entries.unshift(this.#deps.entryAbout(lost));
    let { seq, hash } = this.#end;
    let lines = "";
    for (const entry of entries) {
      seq += 1;
      const body: RecordBody = { seq, ...entry, prev: hash };
      hash = hashOf(body);
      lines += lineOf(body, hash);
    }
    try {
      this.#file.append(lines);
    } catch (error) {
      // A nearly full disk may still have room for some of them.
      if (batch.length > 1) return batch.forEach((one) => this.#write([one]));
      return this.#failed(batch[0], error);
    }
    const from = this.#file.size - Buffer.byteLength(lines);
    this.failure = undefined;
    this.#lost = undefined;
    this.#end = { seq, hash };
    for (const { change, pending } of batch) {
      if (pending !== undefined) this.#settled.push(pending);
      if (change && !this.#behind.has(change.space))
        this.#followed.set(change.space, { epoch: change.epoch, seq: change.seq, bytes: from });
    }
    this.#anchorSoon();
  }

  /** `one` undefined: only what is known to be lost. */
  #failed(one: Waiting | undefined, error: unknown): void {
    this.failure = error;
    this.#retryTimer ??= setTimeout(() => this.#retry(), RETRY_MS).unref();
    if (!one) return;
    const { entry, change, pending } = one;
    const { records, changes, from } = this.#lost ?? { records: 0, changes: 0, from: entry.time };
    this.failures += 1;
    const isKept = change !== undefined || pending !== undefined;
    this.#lost = { records: records + 1, changes: changes + (isKept ? 1 : 0), from, to: entry.time };
    if (change) this.#behind.add(change.space);
    const about = { action: entry.action, error: messageOf(error) };
    this.#deps.log.error("cannot write an audit record", about);
  }

  /** So that the health check notices that the disk works again, also while nothing happens. */
  #retry(): void {
    this.#retryTimer = undefined;
    if (this.#lost) this.#write([]);
  }
}
