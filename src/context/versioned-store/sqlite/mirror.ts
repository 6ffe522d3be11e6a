// The working tree as a mirror of the log. Combines following, replacing and trusting. Reads of the tree through the mirror see everything
// committed.

import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import { lookOf } from "./fingerprint.ts";
import type { Glance } from "./glance.ts";
import type { Look } from "../engine.ts";
import { Following } from "./following.ts";
import type { RecentContents } from "./content-cache.ts";
import { Replacing } from "./replacing.ts";
import type { FileRow, FileRowWithCopy, SpaceStore } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { TreeFile } from "./tree-file.ts";
import { Trusting } from "./trusting.ts";
import type { RefusedEntry } from "./walk.ts";

/** The rows written in one transaction. */
const COPIES_PER_COMMIT = 1_000;

interface MirrorDeps {
  readonly store: SpaceStore;
  readonly tree: Tree;
  readonly recent: RecentContents;
  readonly clock: Clock;
  readonly log: Log;
}

export class Mirror {
  readonly following: Following;
  readonly trusting: Trusting;
  readonly #replacing: Replacing;
  readonly #tree: Tree;
  readonly #store: SpaceStore;

  constructor(deps: MirrorDeps) {
    this.#tree = deps.tree;
    this.#store = deps.store;
    const replacing = new Replacing(deps);
    const following = new Following({ ...deps, replacing });
    this.#replacing = replacing;
    this.following = following;
    this.trusting = new Trusting({ ...deps, replacing, following });
  }

  /** Returns the content of a live file. */
  contentOf(row: FileRow): Uint8Array {
    return this.#replacing.contentOf(row);
  }

  look(path: DocumentPath): TreeFile | undefined {
    this.following.settle(path);
    return this.#tree.look(path);
  }

  /** See `Tree.entries`. Waits for the changes before the call. A file that changes after it may have its earlier state. */
  async entries(prefix?: DocumentPath): Promise<Iterable<TreeFile | RefusedEntry>> {
    await this.following.settled();
    return this.#tree.entries(prefix);
  }

  /** See fingerprint.ts. `now`: ms since the epoch. */
  async lookAtAll(now: number): Promise<Look | undefined> {
    return lookOf(await this.#tree.all(), now);
  }

  /** See glance.ts. `first`: work that comes before it. */
  glance(first?: Promise<unknown>): Promise<Glance | undefined> {
    return this.#tree.glance(first);
  }

  /** Trusts the signatures of an earlier process, so that only files that differ are read. */
  recall({ path, size, hash, modified, changed, inode }: FileRowWithCopy): void {
    if (modified !== null) this.#tree.recall(path as DocumentPath, { size, hash, modified, changed, inode });
  }

  /** Runs inside a write. Stores some of the signatures that were learned here, and returns whether there may be more. */
  keepSignatures(): boolean {
    const learned = this.#tree.learned(COPIES_PER_COMMIT);
    for (const [path, { hash, modified, changed, inode }] of learned) {
      const row = this.#store.file.get(path);
      if (!row || row.live === null || row.hash !== hash) continue;
      this.#store.setCopy.run({ file_id: row.id, version: row.live, modified, changed, inode });
    }
    return learned.length === COPIES_PER_COMMIT;
  }

  read(path: DocumentPath): (TreeFile & { readonly bytes: Uint8Array }) | undefined {
    this.following.settle(path);
    return this.#tree.read(path);
  }

  /** Call once nothing more is written to the tree. */
  close(): void {
    this.#tree.close();
  }
}
