// The versions of one file, and which of them were deleted: any number of both, read page by page.

import { LIGHT_STEPS, rfc3339, Stretch, turnOfOthers } from "../../../kit/clock.ts";
import { pagesOf } from "../../../kit/storage/pages.ts";
import type { VersionRecord } from "../schema.ts";
import type { FileChange, SpaceStore, VersionRow } from "./store.ts";

const ROWS_PER_PAGE = 1_000;

/** Newest first. Yields in between. `id`: of the file. */
export async function versionsOf(store: SpaceStore, id: number): Promise<VersionRecord[]> {
  const deleted = new DeletedVersions();
  const stretch = new Stretch(LIGHT_STEPS);
  for (const change of changesOf(store, id)) {
    deleted.add(change);
    if (stretch.isOver()) await turnOfOthers();
  }
  const newestFirst = paged(
    (before) => store.versionsBefore.all(id, before, ROWS_PER_PAGE),
    ({ version }) => version,
    Number.MAX_SAFE_INTEGER,
  );
  const versions: VersionRecord[] = [];
  for (const row of newestFirst) {
    versions.push(toVersion(row, deleted.has(row.version)));
    if (stretch.isOver()) await turnOfOthers();
  }
  return versions;
}

/** In the order of the log. Writes are in one table, everything else in another. */
function* changesOf({ writesOfAfter, otherChangesOfAfter }: SpaceStore, id: number): Generator<FileChange> {
  const others = paged(
    (after) => otherChangesOfAfter.all(id, after, ROWS_PER_PAGE),
    ({ seq }) => seq,
  );
  const writes = paged(
    (after) => writesOfAfter.all(id, after, ROWS_PER_PAGE),
    ({ version }) => version!,
  );
  let other = others.next();
  for (const write of writes) {
    for (; !other.done && other.value.seq < write.seq; other = others.next()) yield other.value;
    yield write;
  }
  for (; !other.done; other = others.next()) yield other.value;
}

function* paged<Row>(
  page: (from: number) => Row[],
  placeOf: (row: Row) => number,
  start = 0,
): Generator<Row> {
  for (const rows of pagesOf(page, placeOf, start, ROWS_PER_PAGE)) yield* rows;
}

function toVersion(row: VersionRow, deleted: boolean): VersionRecord {
  const { version, created_at: time, author, message, size, hash, gone } = row;
  return {
    version,
    created_at: rfc3339(time),
    author,
    ...(message !== null && { message }),
    size,
    hash,
    deleted,
    destroyed: gone === "destroyed",
    pruned: gone === "pruned",
  };
}

/** The versions that were live when the file was deleted and have not been live since. */
class DeletedVersions {
  readonly #deleted = new Set<number>();
  #live: number | null = null;

  /** In the order of the log. */
  add({ op, version }: FileChange): void {
    if (op === "destroy") return;
    if (op === "delete" && this.#live !== null) this.#deleted.add(this.#live);
    if (version !== null) this.#deleted.delete(version);
    this.#live = version;
  }

  has(version: number): boolean {
    return this.#deleted.has(version);
  }
}
