// The working tree as a mirror of the log. Combines following, replacing and trusting. Reads of the tree through the mirror see everything
// committed.

import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../kit/log.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import { Following } from "./following.ts";
import type { RecentContents } from "./recent.ts";
import { Replacing } from "./replacing.ts";
import type { FileRow, SpaceStore } from "./store.ts";
import type { Tree, TreeFile } from "./tree.ts";
import { Trusting } from "./trusting.ts";
import type { RefusedEntry } from "./walk.ts";

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

  constructor(deps: MirrorDeps) {
    this.#tree = deps.tree;
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

  entries(prefix?: DocumentPath): Iterable<TreeFile | RefusedEntry> {
    this.following.settle();
    return this.#tree.entries(prefix);
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
