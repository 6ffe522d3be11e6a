// Stores the contents of a large batch ahead of its transaction, in commits of bounded size, so that the transaction only counts them and
// nobody waits while megabytes are written. Nothing refers to a staged content: a batch that is refused, or a crash, leaves contents
// without a use, which are deleted.

import type { Db } from "../../../kit/db.ts";
import type { Stored } from "./coding.ts";
import type { SpaceStore } from "./store.ts";

/** Of one commit: some milliseconds, with its sync. A single content may be larger. */
const COMMIT_BYTES_MAX = 512 * 1024;
/** A page: smaller contents share theirs with the count of uses, so that counting them would write them twice. */
export const STAGED_FROM_BYTES = 4 * 1024;

export class Staging {
  readonly #db: Db;
  readonly #store: SpaceStore;

  constructor(db: Db, store: SpaceStore) {
    this.#db = db;
    this.#store = store;
  }

  /** At the open: deletes what a crash left. */
  sweep(): void {
    this.#db.writeNow(() => this.#store.dropUnusedBlobs.run());
  }

  /** Calls `write`, which uses the contents; a batch that fits into one commit is not staged. `contents`: by hash. Raises what `write` raises. */
  async around<T>(contents: ReadonlyMap<string, Stored>, write: () => Promise<T>): Promise<T> {
    const portions = portionsOf(contents);
    if (portions.length <= 1) return write();
    try {
      for (const portion of portions) await this.#stage(portion);
      return await write();
    } finally {
      // Contents that another batch uses by now stay.
      for (const portion of portions) await this.#dropUnused(portion);
    }
  }

  #stage(portion: readonly [string, Stored][]): Promise<void> {
    return this.#db.write(
      () => {
        for (const [hash, { size, coding, content }] of portion)
          this.#store.stageBlob.run({ hash, size, coding, content });
      },
      { repeatable: true },
    );
  }

  #dropUnused(portion: readonly [string, Stored][]): Promise<void> {
    return this.#db.write(
      () => {
        for (const [hash] of portion) this.#store.dropUnusedBlobOf.run(hash);
      },
      // After a power cut the next open drops them.
      { repeatable: true, relaxed: true },
    );
  }
}

function portionsOf(contents: ReadonlyMap<string, Stored>): [string, Stored][][] {
  const portions: [string, Stored][][] = [];
  let bytes = COMMIT_BYTES_MAX;
  for (const entry of contents) {
    if (entry[1].content.length < STAGED_FROM_BYTES) continue;
    bytes += entry[1].content.length;
    if (bytes > COMMIT_BYTES_MAX) {
      portions.push([]);
      bytes = entry[1].content.length;
    }
    portions.at(-1)!.push(entry);
  }
  return portions;
}
