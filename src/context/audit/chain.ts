// The writing end of the audit record: one writer, each record closing over the one before. Records of one turn of the event loop are written
// together, each still before its answer goes out. The number of records and the last hash are also kept in the server's database, so that a
// file whose end was cut off is found, and how far each space is on record, so that a crash between a change and its record loses neither.

import { turnOfOthers } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { messageOf } from "../../kit/error.ts";
import { EMPTY_CHAIN, type ChainEnd } from "../../kit/hash-chain.ts";
import type { Log } from "../../kit/log.ts";
import { AuditFile } from "./audit-file.ts";
import { hashOf, lineOf, type RecordBody } from "./record.ts";
import type { AuditStore } from "./store.ts";

/** How far the anchor and the disk may be behind. */
const ANCHOR_DELAY_MS = 100;
/** Between two of them others may run: about 5 ms of work. */
const RECORDS_PER_STRETCH = 400;

/** What is recorded; where it stands in the chain is found when it is written. */
export type AuditEntry = Omit<RecordBody, "seq" | "prev">;

/** The change in a space that a record is about. */
export interface ChangeMark {
  readonly space: string;
  readonly epoch: string;
  readonly seq: number;
}

export interface AuditChainDeps {
  readonly path: string;
  readonly db: Db;
  readonly store: AuditStore;
  readonly log: Log;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly change: ChangeMark | undefined;
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
  /** Of each space the last change that is in the file, and where its record begins at the earliest; not in the database yet. */
  readonly #followed = new Map<string, Omit<ChangeMark, "space"> & { readonly bytes: number }>();
  /** Spaces with a change whose record could not be written: the next start records it. */
  readonly #behind = new Set<string>();
  /** Records that could not be written since the start. */
  failures = 0;
  /** The last record that was tried could not be written, and why. */
  failure: unknown;

  constructor(deps: AuditChainDeps) {
    this.#deps = deps;
    this.#file = new AuditFile(deps.path);
  }

  /** Opens the file and goes on after `last`. Cuts off what lies behind `end`, which is no whole line. */
  open(end: number, last: ChainEnd): void {
    this.#file.open(end);
    this.#end = last;
  }

  /** How far the file is: so many bytes are so many whole records, and `hash` closes the last one. */
  mark(): { readonly path: string; readonly bytes: number; readonly entries: number; readonly hash: string } {
    return { path: this.#deps.path, bytes: this.#file.size, entries: this.#end.seq, hash: this.#end.hash };
  }

  get entries(): number {
    return this.#end.seq + this.#waiting.length;
  }

  /** Resolves when it is in the file, or was given up. `change`: the one that it is about; they come in order. */
  add(entry: AuditEntry, change?: ChangeMark): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ entry, change, written: written.resolve });
    if (!this.#isDraining) {
      this.#isDraining = true;
      queueMicrotask(() => this.#drain());
    }
    return written.promise;
  }

  /** As `add`, at once, unless a long row is being written: then in its turn. */
  addNow(entry: AuditEntry): void {
    void this.add(entry);
    if (this.#waiting.length <= RECORDS_PER_STRETCH) this.flush();
  }

  /** All changes of the space up to this one are in the file. */
  follow({ space, epoch, seq }: ChangeMark): void {
    if (this.#behind.has(space)) return;
    this.#followed.set(space, { epoch, seq, bytes: this.#file.size });
    this.#anchorSoon();
  }

  /** Of a space that is removed. */
  forget(space: string): void {
    this.#followed.delete(space);
    this.#behind.delete(space);
  }

  /** Writes everything that waits, now. */
  flush(): void {
    while (this.#waiting.length > 0) this.#writeNext();
  }

  /** A long row of records, as of a large push, lets others run in between. */
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
   * Brings the file to the disk, and then what was in it to the database: the anchor is never ahead of the file. A crash between the two leaves
   * a file that is longer. One after the other, so that no anchor takes the place of a newer one.
   */
  anchor(): Promise<void> {
    clearTimeout(this.#anchorTimer);
    this.#anchorTimer = undefined;
    return (this.#anchoring = this.#anchoring.then(() => this.#anchorNow()));
  }

  async #anchorNow(): Promise<void> {
    const { db, store, log } = this.#deps;
    const { entries, hash, bytes } = this.mark();
    const followed = [...this.#followed];
    this.#followed.clear();
    try {
      await this.#file.sync();
      await db.write(() => {
        store.setAnchor.run({ entries, hash, bytes });
        for (const [space, { epoch, seq, bytes: from }] of followed)
          store.setSource.run({ space, epoch, seq, bytes: from });
      });
    } catch (error) {
      for (const [space, mark] of followed) if (!this.#followed.has(space)) this.#followed.set(space, mark);
      log.error("cannot anchor the audit file", { error: messageOf(error) });
    }
  }

  /** What is recorded meanwhile is anchored too. */
  async close(): Promise<void> {
    let last: Promise<void>;
    do {
      this.flush();
      last = this.anchor();
      await last;
    } while (this.#waiting.length > 0 || this.#anchorTimer !== undefined || this.#anchoring !== last);
    this.#file.close();
  }

  #anchorSoon(): void {
    this.#anchorTimer ??= setTimeout(() => void this.anchor(), ANCHOR_DELAY_MS);
  }

  /** A failure is logged and counted; what was done stays done. */
  #write(batch: readonly Waiting[]): void {
    let { seq, hash } = this.#end;
    let lines = "";
    for (const { entry } of batch) {
      seq += 1;
      const body: RecordBody = { seq, ...entry, prev: hash };
      hash = hashOf(body);
      lines += lineOf(body, hash);
    }
    const from = this.#file.size;
    try {
      this.#file.append(lines);
    } catch (error) {
      // A disk that is nearly full may still take some of them.
      if (batch.length > 1) return batch.forEach((one) => this.#write([one]));
      return this.#failed(batch[0]!, error);
    }
    this.failure = undefined;
    this.#end = { seq, hash };
    for (const { change } of batch)
      if (change && !this.#behind.has(change.space))
        this.#followed.set(change.space, { epoch: change.epoch, seq: change.seq, bytes: from });
    this.#anchorSoon();
  }

  #failed({ entry, change }: Waiting, error: unknown): void {
    this.failures += 1;
    this.failure = error;
    if (change) this.#behind.add(change.space);
    const about = { action: entry.action, error: messageOf(error) };
    this.#deps.log.error("cannot write an audit record", about);
  }
}
