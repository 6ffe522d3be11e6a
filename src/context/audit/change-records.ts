// Writes an audit record for each change in a space's log. The id of the record is the head of the space after the change, so no change is
// recorded twice. The next start records the changes that a crash left without a record, as it does for events.

import { rfc3339, Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { Log } from "../../kit/log.ts";
import type { Applied, Head, LogEntry } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import type { AuditChain, AuditEntry } from "./chain.ts";
import { idsFrom } from "./reading.ts";
import type { AuditStore, SourceRow } from "./store.ts";

interface ChangeRecordsDeps {
  readonly path: string;
  readonly db: Db;
  readonly store: AuditStore;
  readonly chain: AuditChain;
  readonly log: Log;
}

export class ChangeRecords {
  readonly #deps: ChangeRecordsDeps;

  constructor(deps: ChangeRecordsDeps) {
    this.#deps = deps;
  }

  /** Called after each commit to a space, in order, before the response. `shared`: the fields common to all records of the commit. */
  record(space: string, { effects, head, time }: Applied, shared: AuditEntry): void {
    const first = head.seq - effects.length + 1;
    for (const [index, { op, path, after, destroyed }] of effects.entries()) {
      const { version = null, hash = null } = destroyed ?? after ?? {};
      void this.#add(space, head.epoch, { seq: first + index, op, path, version, hash, time }, shared);
    }
  }

  /** Records the changes in a space's log that have no record. Called before any write to the space. */
  async catchUp(
    space: string,
    head: Head,
    log: (after: number) => Promise<LogEntry[]>,
    sharedBy: (author: string) => AuditEntry,
  ): Promise<void> {
    const { store, chain } = this.#deps;
    const source = store.source.get(space);
    if (source?.epoch !== head.epoch) return this.#begin(space, head);
    if (source.seq >= head.seq) return;
    const known = await this.#known(source);
    let recovered = 0;
    for (let after = source.seq; after < head.seq;) {
      const entries = await log(after);
      if (entries.length === 0) break;
      const missing = entries.filter(({ seq }) => !known.has(headText({ epoch: head.epoch, seq })));
      const written = missing.map((entry) => this.#add(space, head.epoch, entry, sharedBy(entry.author)));
      recovered += missing.length;
      after = entries.at(-1)!.seq;
      await turnOfOthers();
      // The audit file keeps up.
      await Promise.all(written);
    }
    chain.follow({ space, ...head });
    if (recovered > 0)
      this.#deps.log.info("recorded changes that a crash left unrecorded", { space, changes: recovered });
  }

  #add(
    space: string,
    epoch: string,
    { seq, op, path, version, hash, time }: Omit<LogEntry, "author">,
    shared: AuditEntry,
  ): Promise<void> {
    const about = { action: `file.${op}`, space, target: path, version, content_hash: hash };
    const entry = { ...shared, id: headText({ epoch, seq }), time: rfc3339(time), ...about };
    return this.#deps.chain.add(entry, { change: { space, epoch, seq } });
  }

  forget(space: string): Promise<void> {
    this.#deps.chain.forget(space);
    return this.#deps.db.write(() => void this.#deps.store.dropSource.run(space));
  }

  /** Starts recording at this head, for a space that is new, restored, or older than this table. */
  async #begin(space: string, { epoch, seq }: Head): Promise<void> {
    const { db, store, chain } = this.#deps;
    const { bytes } = chain.mark();
    await db.write(() => void store.setSource.run({ space, epoch, seq, bytes }));
  }

  /** Returns the ids of the records after the last known one. */
  async #known({ bytes }: SourceRow): Promise<ReadonlySet<string>> {
    const stretch = new Stretch();
    const ids = new Set<string>();
    for (const id of idsFrom(this.#deps.path, bytes)) {
      ids.add(id);
      if (stretch.isOver()) await turnOfOthers();
    }
    return ids;
  }
}
