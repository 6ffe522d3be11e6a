// Stores the contents of a large batch before its transaction, in commits of bounded size. The transaction then only increments use counts, so no
// one waits while megabytes are written. Nothing refers to a staged content: if the batch is refused or the process crashes, the unused contents
// are deleted.

import type { Db } from "../../../kit/storage/db.ts";
import type { Stored } from "../coding.ts";
import type { SpaceStore } from "./store.ts";

/** The bytes of one commit: a few milliseconds. A single content may be larger. */
const COMMIT_BYTES_MAX = 512 * 1024;
/** One page. A smaller content shares its page with its use count, so incrementing the count would write it twice. */
export const STAGED_FROM_BYTES = 4 * 1024;

export class Staging {
  readonly #db: Db;
  readonly #store: SpaceStore;

  constructor(db: Db, store: SpaceStore) {
    this.#db = db;
    this.#store = store;
  }

  /** Deletes the leftovers of a crash, on open. */
  sweep(): void {
    this.#db.writeNow(() => this.#store.dropUnusedBlobs.run());
  }

  /** Stages `contents` (by hash) and calls `write`, which uses them. Skips staging if they fit into one commit. Raises what `write` raises. */
  async around<T>(contents: ReadonlyMap<string, Stored>, write: () => Promise<T>): Promise<T> {
    const portions = portionsOf(contents);
    if (portions.length <= 1) return write();
    try {
      for (const portion of portions) await this.#stage(portion);
      return await write();
    } finally {
      // Contents that another batch uses by now are kept.
      for (const portion of portions) await this.#dropUnused(portion);
    }
  }

  #stage(portion: readonly [string, Stored][]): Promise<void> {
    return this.#db.write(
      () => {
        for (const [hash, { size, coding, content }] of portion)
          this.#store.stageBlob.run({ hash, size, coding, content });
      },
      // The transaction that refers to them syncs them, too.
      { repeatable: true, relaxed: true },
    );
  }

  #dropUnused(portion: readonly [string, Stored][]): Promise<void> {
    return this.#db.write(
      () => {
        for (const [hash] of portion) this.#store.dropUnusedBlobOf.run(hash);
      },
      // After a power cut, the next open deletes them.
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
