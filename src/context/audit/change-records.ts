// What was done to files of a space, on record: one record for each change in its log, with the head of the space after it as its id, so that
// none is recorded twice. What a crash took away between a change and its record is caught up at the next start, as events are.

import { rfc3339, Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import type { Log } from "../../kit/log.ts";
import type { Applied, Head, LogEntry } from "../files/engine.ts";
import { readLines } from "./audit-file.ts";
import type { AuditChain, AuditEntry } from "./chain.ts";
import { parseRecord } from "./record.ts";
import type { AuditStore, SourceRow } from "./store.ts";

export interface ChangeRecordsDeps {
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

  /** Called after each commit to a space, in order, before it is answered. */
  record(space: string, { effects, head, time }: Applied, entryOf: (about: About) => AuditEntry): void {
    const first = head.seq - effects.length + 1;
    for (const [index, { op, path, after, destroyed }] of effects.entries()) {
      const about = destroyed ?? after;
      const mark = { epoch: head.epoch, seq: first + index };
      const entry = entryOf({
        id: idOf(mark),
        time: rfc3339(time),
        action: `file.${op}`,
        space,
        target: path,
        version: about?.version,
        contentHash: about?.hash,
      });
      void this.#deps.chain.add(entry, { space, ...mark });
    }
  }

  /** What the log of a space has and the record does not. Before anybody writes to the space. */
  async catchUp(
    space: string,
    head: Head,
    log: (after: number) => Promise<LogEntry[]>,
    entryOf: (about: About, author: string) => AuditEntry,
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
      for (const { seq, op, path, version, hash, author, time } of entries) {
        const mark = { epoch: head.epoch, seq };
        if (known.has(idOf(mark))) continue;
        const about = { id: idOf(mark), time: rfc3339(time), action: `file.${op}`, space, target: path };
        const entry = entryOf(
          { ...about, version: version ?? undefined, contentHash: hash ?? undefined },
          author,
        );
        // One page at a time: the record keeps up.
        void chain.add(entry, { space, ...mark });
        recovered += 1;
      }
      chain.flush();
      after = entries.at(-1)!.seq;
      await turnOfOthers();
    }
    chain.follow({ space, ...head });
    if (recovered > 0)
      this.#deps.log.info("recorded changes that a crash left unrecorded", { space, changes: recovered });
  }

  forget(space: string): Promise<void> {
    return this.#deps.db.write(() => void this.#deps.store.dropSource.run(space));
  }

  /** A new space, a restored one, or one from before this was kept: the record is about what comes from now on. */
  async #begin(space: string, { epoch, seq }: Head): Promise<void> {
    const { db, store, chain } = this.#deps;
    const { bytes } = chain.mark();
    await db.write(() => void store.setSource.run(space, epoch, seq, bytes));
  }

  /** Ids of the records behind the last that is known to be there. */
  async #known({ bytes }: SourceRow): Promise<ReadonlySet<string>> {
    const stretch = new Stretch();
    const ids = new Set<string>();
    for (const line of readLines(this.#deps.path, bytes)) {
      const id = line.whole ? parseRecord(line.bytes)?.id : undefined;
      if (id !== undefined) ids.add(id);
      if (stretch.isOver()) await turnOfOthers();
    }
    return ids;
  }
}

/** A change as a record tells it. */
export interface About {
  readonly id: string;
  readonly time: string;
  readonly action: string;
  readonly space: string;
  readonly target: string;
  readonly version: number | undefined;
  readonly contentHash: string | undefined;
}

function idOf({ epoch, seq }: Head): string {
  return `${epoch}.${seq}`;
}
