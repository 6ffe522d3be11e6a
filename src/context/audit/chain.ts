// The writing end of the audit record: one writer, each record closing over the one before. Records of one turn of the event loop are written
// together, each still before its answer goes out. The number of records and the last hash are also kept in the server's database, so that a
// file whose end was cut off is found.

import { CHAIN_START, canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/db.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { AuditFile } from "./audit-file.ts";
import type { AuditRecord } from "./schema.ts";
import type { AuditStore } from "./store.ts";

/** How far the anchor and the disk may be behind. */
const ANCHOR_DELAY_MS = 100;

/** What is recorded; where it stands in the chain is found when it is written. */
export type AuditEntry = Omit<AuditRecord, "seq" | "prev" | "hash">;

export interface AuditChainDeps {
  readonly path: string;
  readonly db: Db;
  readonly store: AuditStore;
  readonly log: Log;
}

export class AuditChain {
  readonly #deps: AuditChainDeps;
  readonly #file: AuditFile;
  #seq = 0;
  #hash = CHAIN_START;
  #waiting: AuditEntry[] = [];
  #written: Promise<void> | undefined;
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  /** Records that could not be written since the start. */
  failures = 0;

  constructor(deps: AuditChainDeps) {
    this.#deps = deps;
    this.#file = new AuditFile(deps.path);
  }

  /** Opens the file and cuts a torn last line off, which is given back together with the last whole one. */
  open(): { readonly last: string | undefined; readonly torn: string | undefined } {
    return this.#file.open();
  }

  /** Where the chain goes on; undefined: at its beginning. */
  continueAfter(record: Pick<AuditRecord, "seq" | "hash"> | undefined): void {
    this.#seq = record?.seq ?? 0;
    this.#hash = record?.hash ?? CHAIN_START;
  }

  /** How far the file is: so many bytes are so many whole records, and `hash` closes the last one. */
  mark(): { readonly path: string; readonly bytes: number; readonly entries: number; readonly hash: string } {
    this.flush();
    return { path: this.#deps.path, bytes: this.#file.size(), entries: this.#seq, hash: this.#hash };
  }

  get entries(): number {
    return this.#seq + this.#waiting.length;
  }

  /** Resolves when it is in the file, or was given up. */
  add(entry: AuditEntry): Promise<void> {
    this.#waiting.push(entry);
    return (this.#written ??= Promise.resolve().then(() => this.flush()));
  }

  /** Writes what waits, now. A failure is logged and counted; what was done stays done. */
  flush(): void {
    const entries = this.#waiting;
    this.#waiting = [];
    this.#written = undefined;
    if (entries.length > 0) this.#write(entries);
  }

  /** Brings file and anchor to the disk. */
  async anchor(): Promise<void> {
    clearTimeout(this.#anchorTimer);
    this.#anchorTimer = undefined;
    const { db, store, log } = this.#deps;
    try {
      this.flush();
      this.#file.sync();
      const [entries, hash] = [this.#seq, this.#hash];
      await db.write(() => store.setAnchor.run(entries, hash));
    } catch (error) {
      log.error("the audit file could not be anchored", { error: messageOf(error) });
    }
  }

  /** What is recorded meanwhile is anchored too. */
  async close(): Promise<void> {
    do await this.anchor();
    while (this.#waiting.length > 0 || this.#anchorTimer !== undefined);
    this.#file.close();
  }

  #write(entries: readonly AuditEntry[]): void {
    let [seq, hash] = [this.#seq, this.#hash];
    let lines = "";
    for (const entry of entries) {
      seq += 1;
      const body = { seq, ...entry, prev: hash };
      hash = hashOf(body);
      lines += `${JSON.stringify({ ...body, hash })}\n`;
    }
    try {
      this.#file.append(lines);
    } catch (error) {
      // A disk that is nearly full may still take some of them.
      if (entries.length > 1) return entries.forEach((entry) => this.#write([entry]));
      this.failures += 1;
      return this.#deps.log.error("an audit record could not be written", {
        action: entries[0]!.action,
        error: messageOf(error),
      });
    }
    this.#seq = seq;
    this.#hash = hash;
    this.#anchorTimer ??= setTimeout(() => void this.anchor(), ANCHOR_DELAY_MS);
  }
}

type Body = Omit<AuditRecord, "hash">;

const MEMBERS = 13;
const ACTOR_MEMBERS = 4;

/** What closes a record: SHA-256 over its canonical JSON. */
export function hashOf(body: Body): string {
  return sha256Hex(canonicalOf(body));
}

/** `canonicalJson`, many times as fast for a record that has just the members that it should. */
function canonicalOf(body: Body): string {
  const { actor } = body;
  const isPlain =
    Object.keys(body).length === MEMBERS && actor && Object.keys(actor).length === ACTOR_MEMBERS;
  if (!isPlain) return canonicalJson(body);
  return JSON.stringify({
    action: body.action,
    actor: { address: actor.address, auth: actor.auth, name: actor.name, role: actor.role },
    content_hash: body.content_hash,
    error: body.error,
    id: body.id,
    prev: body.prev,
    request_id: body.request_id,
    result: body.result,
    seq: body.seq,
    space: body.space,
    target: body.target,
    time: body.time,
    version: body.version,
  });
}
