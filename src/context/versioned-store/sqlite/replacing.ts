// Replaces one copy in the working tree by what is live in the log. What somebody edited by hand is never overwritten.

import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import { fileError } from "../file-error.ts";
import { decode } from "./coding.ts";
import type { RecentContents } from "./recent.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import type { Tree, TreeFile } from "./tree.ts";

/** A file that somebody writes faster than it is looked at. */
const LOOKS_MAX = 5;
/** File systems write so much at once: what a power cut left of a file ends there. */
const BLOCK_BYTES = 4096;
const NOTHING = new Uint8Array();

/** What the tree may show, other than an edit. */
export interface Shown {
  /** What it showed before the change; undefined: nothing. */
  readonly shown: string | undefined;
  /** The machine may have stopped before all of the file was on the disk. */
  readonly afterCrash?: boolean;
}

interface ReplacingDeps {
  readonly store: SpaceStore;
  readonly tree: Tree;
  readonly recent: RecentContents;
  readonly log: Log;
}

export class Replacing {
  readonly #store: SpaceStore;
  readonly #tree: Tree;
  readonly #recent: RecentContents;
  readonly #log: Log;

  constructor({ store, tree, recent, log }: ReplacingDeps) {
    this.#store = store;
    this.#tree = tree;
    this.#recent = recent;
    this.#log = log;
  }

  /** Makes the copy what is live in the log, unless somebody else wrote it. */
  match(path: DocumentPath, { shown, afterCrash = false }: Shown): void {
    const row = this.#store.file.get(path)!;
    const isLive = row.live !== null;
    const content = isLive ? this.contentOf(row) : undefined;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const copy = this.#tree.look(path);
      if (copy && isLive && copy.hash === row.hash) return;
      const isOurs = copy?.hash === shown || (afterCrash && copy && this.#isRestOf(copy, content));
      if (copy && !isOurs && this.isForeign(copy, row)) {
        const note = "edited by hand while it was written: the copy in the working tree stays as it is";
        return this.#log.warn(note, { path });
      }
      const done = content ? this.#tree.put(path, content, row.hash, copy) : this.#tree.remove(path, copy);
      if (done) return;
    }
    throw fileError("conflict", path, "somebody keeps writing it in the working tree");
  }

  /** What can't be looked at is found when it is read. */
  mayBeCutOff(path: DocumentPath, written: number): boolean {
    try {
      return isCutOff(this.#tree.sizeOf(path), written);
    } catch {
      return false;
    }
  }

  /** Empty, or the beginning of it. */
  #isRestOf({ path, size }: TreeFile, content: Uint8Array = NOTHING): boolean {
    if (size === 0) return true;
    if (!isCutOff(size, content.length)) return false;
    const { bytes } = this.#tree.read(path) ?? {};
    return bytes !== undefined && Buffer.compare(bytes, content.subarray(0, bytes.length)) === 0;
  }

  /** No version of the file: written by somebody else. */
  isForeign({ hash }: TreeFile, row: FileRow | null): boolean {
    return !row || !this.#store.versionByHash.get(row.id, hash);
  }

  /** Of a file that is live. */
  contentOf({ id, live, hash }: FileRow): Uint8Array {
    return this.#recent.get(hash, () =>
      decode(this.#store.blob.get(this.#store.version.get(id, live!)!.blob_id!)!),
    );
  }
}

/** Of sizes in bytes: what is there is less than what was written, and ends where a power cut can end it. */
function isCutOff(there: number | undefined, written: number): boolean {
  return there !== undefined && there < written && there % BLOCK_BYTES === 0;
}
