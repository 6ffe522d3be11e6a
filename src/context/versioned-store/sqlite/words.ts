// The text index. It follows the log by sequence number, in batches between other writes, and catches up before a search is answered.

import type { Db } from "../../../kit/db.ts";
import { decodeUtf8 } from "../../../kit/utf8.ts";
import { decode } from "./coding.ts";
import { isDocument } from "./documents.ts";
import type { SpaceStore } from "./store.ts";

/** Keeps a commit to a few milliseconds. */
const DOCUMENTS_PER_COMMIT = 200;

export class WordIndex {
  readonly #db: Db;
  readonly #store: SpaceStore;

  constructor(db: Db, store: SpaceStore) {
    this.#db = db;
    this.#store = store;
  }

  /** Resolves when the index contains every change committed before the call. */
  async catchUp(): Promise<void> {
    while (await this.#db.write(() => this.#step()));
  }

  /** Runs inside a write. Returns whether there may be more. */
  #step(): boolean {
    const store = this.#store;
    const { seq } = store.follower.get("text")!;
    const entries = store.changesAfter.all(seq, DOCUMENTS_PER_COMMIT);
    if (entries.length === 0) return false;
    for (const path of new Set(entries.map((entry) => entry.path))) this.#index(path);
    store.setFollower.run(entries.at(-1)!.seq, "text");
    return entries.length === DOCUMENTS_PER_COMMIT;
  }

  #index(path: string): void {
    const store = this.#store;
    const row = store.file.get(path)!;
    store.dropWords.run(row.id);
    const blobId = row.live === null ? undefined : store.version.get(row.id, row.live)?.blob_id;
    if (blobId === undefined || blobId === null) return;
    const bytes = decode(store.blob.get(blobId)!);
    const text = isDocument(path, bytes) ? decodeUtf8(bytes) : undefined;
    if (text !== undefined) store.setWords.run(row.id, text);
  }
}
