// Reads the log of a space page by page as changed paths, for followers.

import type { DocumentPath } from "../../../kit/text/paths.ts";
import type { SpaceStore } from "./store.ts";

const ROWS_MAX = 1_000;

interface Changed {
  /** The change before the first one of the page. */
  readonly after: number;
  /** The last one of the page. */
  readonly upTo: number;
  /** In the order of their first change. */
  readonly paths: ReadonlySet<DocumentPath>;
}

/** Yields the changes after `from`, up to `to`. */
export function* changedPaths(store: SpaceStore, from: number, to = Infinity): Generator<Changed> {
  for (let after = from; after < to;) {
    const entries = store.changesAfter.all(after, Math.min(ROWS_MAX, to - after));
    if (entries.length === 0) return;
    const upTo = entries.at(-1)!.seq;
    yield { after, upTo, paths: new Set(entries.map(({ path }) => path as DocumentPath)) };
    after = upTo;
  }
}
