// The working tree as a follower of the log: brings each change into it, says in which state a file's copy is, and keeps a list of the paths
// where the tree could not be brought up to date. The database is the truth, but what somebody edited by hand is never overwritten: it is
// noticed here, and becomes a version first.

import { rfc3339 } from "../../../kit/clock.ts";
import { messageOf } from "../../../kit/error.ts";
import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import type { Operation } from "../engine.ts";
import type { FileRecord } from "../schema.ts";
import type { Step } from "./batch.ts";
import { decode } from "./coding.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import type { Tree, TreeFile } from "./tree.ts";

/** Of documents edited by hand, when nobody says who did it. */
export const TREE_AUTHOR = "working tree";
const REPAIR_ROWS_MAX = 1_000;
/** Paths that are tried again after one write: a tree that is out of order for long must not make writes slow. */
const RETRIES_PER_WRITE_MAX = 8;

export class Mirror {
  readonly #store: SpaceStore;
  readonly #tree: Tree;
  readonly #log: Log;
  /** Where the tree is not what the log says, and not because of somebody's edit. The next to be tried first. */
  readonly #behind = new Set<DocumentPath>();
  /** Every change up to this one was brought into the tree, or its path is in `#behind`. */
  #followed: number;
  /** The last change before all that are in `#behind`; undefined: it is empty. */
  #wholeUpTo: number | undefined;

  constructor(store: SpaceStore, tree: Tree, log: Log) {
    this.#store = store;
    this.#tree = tree;
    this.#log = log;
    this.#followed = store.follower.get("tree")!.seq;
  }

  /** From here on the next open has to look at every change: stored with each commit. */
  get safeSeq(): number {
    return this.#wholeUpTo ?? this.#followed;
  }

  behind(): readonly DocumentPath[] {
    return [...this.#behind].sort();
  }

  /** At the open, after a crash between a commit and the tree; `from`: after which change. */
  catchUp(from = this.#followed): void {
    this.#followed = from;
    this.#tree.clearTemporary();
    for (;;) {
      const entries = this.#store.changesAfter.all(this.#followed, REPAIR_ROWS_MAX);
      if (entries.length === 0) return;
      for (const path of new Set(entries.map((entry) => entry.path as DocumentPath))) this.#repair(path);
      this.#followed = entries.at(-1)!.seq;
    }
  }

  /** After a commit. The write is durable already: a tree that can't be written refuses nothing, it is repaired later. */
  follow(steps: readonly Step[], seq: number): void {
    const retried = [...this.#behind.values().take(RETRIES_PER_WRITE_MAX)];
    for (const step of steps) this.#bring(step);
    this.#followed = seq;
    for (const path of retried) if (this.#behind.has(path)) this.#repair(path);
  }

  #bring({ operation, effect }: Step): void {
    const { path, before, after } = effect;
    if (effect.op === "destroy") return;
    this.#attempt(path, () => {
      const copy = this.#tree.look(path);
      if (copy && this.#isForeign(copy, before?.hash, after?.hash)) return this.#leave(path);
      if (!after) this.#tree.remove(path);
      else if (copy?.hash !== after.hash) {
        const content = operation.op === "put" ? operation.content : this.#contentOf(path);
        if (content) this.#tree.put(path, content, after.hash);
      }
    });
  }

  #repair(path: DocumentPath): void {
    this.#attempt(path, () => {
      const row = this.#store.file.get(path)!;
      const live = row.live === null ? undefined : row.hash;
      const copy = this.#tree.look(path);
      if (copy && this.#isForeign(copy, live, undefined)) return;
      if (live === undefined) this.#tree.remove(path);
      else if (copy?.hash !== live) this.#tree.put(path, this.#contentOf(path)!, live);
    });
  }

  /** Neither of the two, nor any version of the file: written by somebody else. */
  #isForeign({ path, hash }: TreeFile, one: string | undefined, other: string | undefined): boolean {
    if (hash === one || hash === other) return false;
    const row = this.#store.file.get(path);
    return !row || !this.#store.versions.all(row.id).some((version) => version.hash === hash);
  }

  #leave(path: DocumentPath): void {
    this.#log.warn("edited by hand while it was written: the copy in the working tree stays as it is", {
      path,
    });
  }

  #attempt(path: DocumentPath, work: () => void): void {
    this.#behind.delete(path);
    try {
      work();
    } catch (error) {
      this.#behind.add(path);
      this.#wholeUpTo ??= this.#followed;
      this.#log.error("the working tree is behind", { path, error: messageOf(error) });
    }
    if (this.#behind.size === 0) this.#wholeUpTo = undefined;
  }

  #contentOf(path: DocumentPath): Uint8Array | undefined {
    const row = this.#store.file.get(path);
    if (!row || row.live === null) return undefined;
    // The live version always has its content.
    return decode(this.#store.blob.get(this.#store.version.get(row.id, row.live)!.blob_id!)!);
  }

  /** What would have to be recorded before this path may be written: `[]` when the tree is as we left it. Raises `too_large`. */
  handEdits(path: DocumentPath): Operation[] {
    const copy = this.#tree.look(path);
    if (!copy) return [];
    const row = this.#store.file.get(path);
    const isLive = row !== null && row.live !== null && copy.hash === row.hash;
    if (isLive || this.#isOld(copy, row)) return [];
    const { bytes } = this.#tree.read(path) ?? {};
    return bytes ? [{ op: "put", path, content: bytes }] : [];
  }

  /** The union of log and tree. Undefined: neither has it, or it is a deleted file without a copy. */
  stateOf(row: FileRow | null, copy: TreeFile | undefined): StateOf | undefined {
    if (!row || row.live === null) return copy && !this.#isOld(copy, row) ? untracked(copy) : undefined;
    if (!copy) return "missing";
    return copy.hash === row.hash ? "live" : "modified";
  }

  look(path: DocumentPath): TreeFile | undefined {
    return this.#tree.look(path);
  }

  files(prefix?: DocumentPath): Iterable<TreeFile> {
    return this.#tree.files(prefix);
  }

  read(path: DocumentPath): (TreeFile & { readonly bytes: Uint8Array }) | undefined {
    return this.#tree.read(path);
  }

  /** An older version that we could not replace or remove yet: nobody's edit. */
  #isOld(copy: TreeFile, row: FileRow | null): boolean {
    return this.#behind.has(copy.path) && row !== null && !this.#isForeign(copy, undefined, undefined);
  }
}

/** Of a file that is live in the log, or the record of one that is only in the tree. */
type StateOf = "live" | "modified" | "missing" | FileRecord;

function untracked({ path, size, hash, modified }: TreeFile): FileRecord {
  const updated_at = rfc3339(modified);
  return { path, version: null, size, hash, updated_at, author: TREE_AUTHOR, state: "untracked" };
}
