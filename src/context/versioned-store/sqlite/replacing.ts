// Replaces a file of the working tree by its live version. Never overwrites a manual edit.

import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import { fileError } from "../file-error.ts";
import { decode } from "../coding.ts";
import type { RecentContents } from "./content-cache.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { TreeFile } from "./tree-file.ts";

/** The attempts for a file that someone else keeps writing. */
const LOOKS_MAX = 5;
/** The block size of file systems: a file truncated by a power cut ends at a multiple of it. */
const BLOCK_BYTES = 4096;
const NOTHING = new Uint8Array();

/** The content that the tree may hold without being an edit. */
export interface Shown {
  /** The hash before the change; undefined: no file. */
  readonly shown: string | undefined;
  /** The machine may have stopped before the whole file was on disk. */
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

  /** Makes the file match the live version, unless someone else wrote it. */
  match(path: DocumentPath, { shown, afterCrash = false }: Shown): void {
    const row = this.#store.file.get(path)!;
    const isLive = row.live !== null;
    const content = isLive ? this.contentOf(row) : undefined;
    // Writing a file that should not exist yet finds out whether it does, so looking first would only cost time.
    let isKnownNew = content !== undefined && shown === undefined && !afterCrash;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const copy = isKnownNew ? undefined : this.#tree.look(path);
      isKnownNew = false;
      if (copy && isLive && copy.hash === row.hash) return;
      const isOurs = copy?.hash === shown || (afterCrash && copy && this.#isRestOf(copy, content));
      if (copy && !isOurs && this.isForeign(copy, row)) {
        const note = "kept a file in the working tree that was edited by hand during a write";
        return this.#log.warn(note, { path });
      }
      const done = content ? this.#tree.put(path, content, row.hash, copy) : this.#tree.remove(path, copy);
      if (done) return;
    }
    throw fileError("conflict", path, "another program keeps writing it in the working tree");
  }

  /** Returns false for a file that cannot be inspected; reading it will report the error. */
  mayBeCutOff(path: DocumentPath, written: number): boolean {
    try {
      return isCutOff(this.#tree.sizeOf(path), written);
    } catch {
      return false;
    }
  }

  /** Reports whether the file is empty or a truncated start of `content`. */
  #isRestOf({ path, size }: TreeFile, content: Uint8Array = NOTHING): boolean {
    if (size === 0) return true;
    if (!isCutOff(size, content.length)) return false;
    const { bytes } = this.#tree.read(path) ?? {};
    return bytes !== undefined && Buffer.compare(bytes, content.subarray(0, bytes.length)) === 0;
  }

  /** Reports whether the copy matches no version of the file, so someone else wrote it. */
  isForeign({ hash }: TreeFile, row: FileRow | null): boolean {
    return !row || !this.#store.versionByHash.get(row.id, hash);
  }

  /** Returns the content of a live file. */
  contentOf({ id, live, hash }: FileRow): Uint8Array {
    return this.#recent.get(hash, () =>
      decode(this.#store.blob.get(this.#store.version.get(id, live!)!.blob_id!)!),
    );
  }
}

/** Compares sizes in bytes: reports whether the file is shorter than written and ends at a block boundary. */
function isCutOff(there: number | undefined, written: number): boolean {
  return there !== undefined && there < written && there % BLOCK_BYTES === 0;
}
