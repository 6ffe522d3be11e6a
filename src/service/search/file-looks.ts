// Notices files that appeared, changed or went without the service: shells write to the same directory. A save through the service is queued with its
// event. The rest is found by looking at whole trees: at the start, and while people search, each as often as that costs little.

import type { Background } from "../../kit/concurrency/background.ts";
import { turnOfOthers, type Clock } from "../../kit/clock.ts";
import { pause } from "../../kit/concurrency/deadline.ts";
import type { Db } from "../../kit/storage/db.ts";
import { messageOf } from "../../kit/error.ts";
import { inWrites } from "../../kit/storage/in-writes.ts";
import type { Log } from "../../kit/log.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { itemOf } from "./index-ids.ts";
import { LOOK_JOB, type Look } from "./jobs.ts";
import type { FileRow, SearchStore } from "./store.ts";

const ROWS_PER_READ = 500;
/** A tree that was looked at within this time is not looked at again. */
const FRESH_MS = 10_000;
/** Looking takes at most this share of the time. */
const LOOK_SHARE = 1 / 10;

interface FileLooksDeps {
  readonly db: Db;
  readonly store: SearchStore;
  readonly workers: WorkerPool;
  readonly background: Background;
  readonly clock: Clock;
  readonly log: Log;
  readonly directoryOf: (workspaceId: number) => string;
  /** The workspaces that have files. */
  readonly withFiles: () => Promise<readonly number[]>;
}

export class FileLooks {
  readonly #deps: FileLooksDeps;
  readonly #stop = new AbortController();
  /** When the last look at a workspace that has files ended, on the monotonic clock. */
  readonly #looked = new Map<number, number>();
  #isLooking = false;

  constructor(deps: FileLooksDeps) {
    this.#deps = deps;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Looks at every tree that was not looked at for a while, one after the other in the background. */
  look(): void {
    if (this.#isLooking || this.#stop.signal.aborted) return;
    this.#isLooking = true;
    this.#deps.background.run("look at files", async () => {
      try {
        await this.#lookAtAll();
      } finally {
        this.#isLooking = false;
      }
    });
  }

  async #lookAtAll(): Promise<void> {
    const { clock, log, withFiles } = this.#deps;
    const ids = await withFiles();
    const present = new Set(ids);
    for (const id of this.#looked.keys()) if (!present.has(id)) this.#looked.delete(id);
    const due = ids
      .map((id) => ({ id, at: this.#looked.get(id) ?? -Infinity }))
      .filter(({ at }) => clock.elapsed() - at > FRESH_MS)
      .sort((a, b) => a.at - b.at);
    for (const { id } of due) {
      const start = clock.elapsed();
      await this.#lookAt(id).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          log.warn("cannot look at files", { workspace: id, error: messageOf(error) });
      });
      const end = clock.elapsed();
      this.#looked.set(id, end);
      if (this.#stop.signal.aborted) return;
      await pause((end - start) / LOOK_SHARE - (end - start), this.#stop.signal);
    }
  }

  async #lookAt(workspaceId: number): Promise<void> {
    const { db, workers, directoryOf } = this.#deps;
    const directory = directoryOf(workspaceId);
    const look = await workers.run(LOOK_JOB, { directory }, { by: "search", signal: this.#stop.signal });
    const { fresh, changed } = differences(await this.#known(workspaceId), look);
    if (fresh.length + changed.length > 0)
      await inWrites(db, this.#queueing(workspaceId, fresh, changed), { relaxed: true });
  }

  async #known(workspaceId: number): Promise<Map<string, FileRow>> {
    const { store } = this.#deps;
    const known = new Map<string, FileRow>();
    for (let after = ""; ;) {
      const rows = store.filesAfter.all({ workspace_id: workspaceId, after, limit: ROWS_PER_READ });
      for (const row of rows) known.set(row.path, row);
      if (rows.length < ROWS_PER_READ) return known;
      after = rows.at(-1)!.path;
      await turnOfOthers();
    }
  }

  *#queueing(
    workspaceId: number,
    fresh: readonly string[],
    changed: readonly FileRow[],
  ): Generator<void, void> {
    const { store } = this.#deps;
    for (const path of fresh) {
      // Another write may have added it, or the workspace may be gone.
      const added = store.hasWorkspace.get(workspaceId) ? store.addFile.get(workspaceId, path) : null;
      if (added) store.queue.run(itemOf({ kind: "file", id: added.id }));
      yield;
    }
    for (const { id } of changed) {
      store.queue.run(itemOf({ kind: "file", id }));
      yield;
    }
  }
}

/** Finds files on disk that are not known, and known files that differ or are gone. */
function differences(
  known: Map<string, FileRow>,
  { paths, sizes, modified }: Look,
): { readonly fresh: readonly string[]; readonly changed: readonly FileRow[] } {
  const fresh: string[] = [];
  const changed: FileRow[] = [];
  for (const [index, path] of (paths === "" ? [] : paths.split("\n")).entries()) {
    const row = known.get(path);
    known.delete(path);
    if (!row) fresh.push(path);
    else if (row.size !== sizes[index] || row.modified !== modified[index]) changed.push(row);
  }
  return { fresh, changed: [...changed, ...known.values()] };
}
