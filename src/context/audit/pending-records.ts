// Records of changes of the server's database. The record is stored in the transaction of its change and enters the chain after the commit. The next
// start adds those that a crash or a full disk kept out of the file. The id of a record says whether the file already has it.

import type { Db } from "../../kit/storage/db.ts";
import type { Log } from "../../kit/log.ts";
import type { AuditChain, AuditEntry } from "./chain.ts";
import { idsFrom } from "./reading.ts";
import type { AuditStore } from "./store.ts";

interface PendingRecordsDeps {
  readonly path: string;
  readonly db: Db;
  readonly store: AuditStore;
  readonly chain: AuditChain;
  readonly log: Log;
}

export class PendingRecords {
  readonly #deps: PendingRecordsDeps;

  constructor(deps: PendingRecordsDeps) {
    this.#deps = deps;
  }

  /** Called inside the write of the change. Resolves when the record is in the file or its write failed; never if the change is rolled back. */
  record(entry: AuditEntry): Promise<void> {
    const { db, store, chain } = this.#deps;
    const { number } = store.insertPending.get(JSON.stringify(entry))!;
    const written = Promise.withResolvers<void>();
    db.afterCommit(() => written.resolve(chain.add(entry, { pending: number })));
    return written.promise;
  }

  /** Called before anything else is recorded. `from`: where the records can begin in the file; earlier ones are no longer pending. */
  drain(from: number): void {
    const { path, store, chain, log } = this.#deps;
    const rows = store.pending.all();
    if (rows.length === 0) return;
    const known = new Set(idsFrom(path, from));
    let recorded = 0;
    for (const { number, record } of rows) {
      const entry = JSON.parse(record) as AuditEntry;
      if (known.has(entry.id)) {
        chain.settle(number);
        continue;
      }
      void chain.add(entry, { pending: number });
      recorded += 1;
    }
    chain.flush();
    if (recorded > 0) log.info("recorded changes that a crash left unrecorded", { changes: recorded });
  }
}
