// Writes the planned steps of a batch: blobs, versions, changes and data derived from documents. Everything here runs inside one transaction
// and checks no permissions.

import { foldedPath, type DocumentPath } from "../../../kit/text/paths.ts";
import type { Step } from "./batch.ts";
import { decode, type Coded } from "../coding.ts";
import { derivedOf, keepDerived, type Derived } from "./documents.ts";
import { STAGED_FROM_BYTES } from "./staging.ts";
import type { FileRow, SpaceStore } from "./store.ts";

/** The author and time that all changes of a batch share. */
interface Stamp {
  readonly author: string;
  readonly message: string | null;
  readonly time: number;
  /** The number of versions of each file that keep their content; 0: all. */
  readonly versionsKept: number;
}

type Live = NonNullable<Step["effect"]["after"]>;

export class Writing {
  readonly #store: SpaceStore;

  constructor(store: SpaceStore) {
    this.#store = store;
  }

  /** Records the step as change `seq`. Returns how many older versions lost their content to retention. */
  record(step: Step, coded: ReadonlyMap<string, Coded>, stamp: Stamp, seq: number): number {
    const { operation, effect, row } = step;
    const store = this.#store;
    const { author, message, time: created_at } = stamp;
    if (operation.op === "put") {
      const blob_id = this.#keep(operation.hash, operation.content.length, coded.get(operation.hash)!);
      const { version, size, hash } = effect.after!;
      const file_id = this.#setLive(row, operation, effect.after!, stamp);
      store.insertVersion.run({ file_id, version, blob_id, size, hash, author, message, created_at, seq });
      store.insertChange.run({ file_id, op: "write", version, author, created_at, seq });
      return this.#prune(file_id, stamp.versionsKept);
    }
    const { id } = row!;
    const { op } = operation;
    if (op === "delete") {
      keepDerived(store, id, row!.derived === 1, undefined);
      store.setGoneFile.run(author, created_at, id);
    } else if (op === "undelete") {
      const content = decode(store.blob.get(step.version!.blob_id!)!);
      const { path } = operation;
      this.#setLive(row, { path, derived: derivedOf(path, content) }, effect.after!, stamp);
    } else {
      store.setGone.run("destroyed", id, operation.version);
      if (step.version!.blob_id !== null) this.#release(step.version!.blob_id);
    }
    const version = op === "destroy" ? operation.version : (effect.after?.version ?? null);
    store.insertChange.run({ file_id: id, op, version, author, created_at, seq });
    return 0;
  }

  #setLive(
    row: FileRow | null,
    { path, derived }: { readonly path: DocumentPath; readonly derived: Derived | undefined },
    { version, size, hash }: Live,
    { author, time }: Stamp,
  ): number {
    const store = this.#store;
    const shown = { size, hash, author, updated_at: time, derived: derived ? 1 : 0 } as const;
    const { id } = row ?? store.insertFile.get({ path, folded: foldedPath(path), ...shown })!;
    if (row?.live === null) store.setName.run(foldedPath(path), version, id);
    if (row) store.updateFile.run({ id, live: version, last: Math.max(row.last, version), ...shown });
    keepDerived(store, id, row?.derived === 1, derived);
    return id;
  }

  #keep(hash: string, size: number, { coding, content }: Coded): number {
    const { keepBlob, useBlob } = this.#store;
    // A staged content is in the database already.
    const staged = content.length < STAGED_FROM_BYTES ? null : useBlob.get(hash);
    return (staged ?? keepBlob.get({ hash, size, coding, content })!).id;
  }

  #release(blobId: number): void {
    if (this.#store.releaseBlob.get(blobId)!.uses === 0) this.#store.dropUnusedBlob.run(blobId);
  }

  #prune(fileId: number, kept: number): number {
    if (kept === 0) return 0;
    let pruned = 0;
    for (const { version, blob_id: blobId } of this.#store.keptBeyond.all(fileId, kept)) {
      if (this.#store.namedBySnapshot.get(fileId, version)) continue;
      this.#store.setGone.run("pruned", fileId, version);
      this.#release(blobId);
      pruned += 1;
    }
    return pruned;
  }
}
