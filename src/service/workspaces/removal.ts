// Deletes what a workspace has, once nobody sees it any more: in portions between other work, and after a crash from where it was.

import type { Background } from "../../kit/background.ts";
import type { Db } from "../../kit/db.ts";
import { inWrites } from "../../kit/in-writes.ts";
import type { Log } from "../../kit/log.ts";
import type { WorkspaceStore } from "./store.ts";

export interface RemovalDeps {
  readonly db: Db;
  readonly store: WorkspaceStore;
  readonly background: Background;
  readonly log: Log;
}

export class Removal {
  readonly #deps: RemovalDeps;
  #stopping = false;

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /** Inside a write: from its commit on the workspace is gone for everybody. Its name is free. */
  begin(id: number): void {
    const { db, store } = this.#deps;
    store.setGoing.run(id);
    db.afterCommit(() => this.#finish(id));
  }

  /** A clone that will not become whole. If that cannot be stored, the next start finds it. */
  abandon(id: number): void {
    const { db, background } = this.#deps;
    background.run("removal of a half-made clone", () => db.write(() => this.begin(id)));
  }

  /** At start: goes on with what was deleted, and with clones that never became whole. */
  resume(): void {
    const { store, log } = this.#deps;
    for (const { id } of store.notLive.all()) {
      log.info("the rows of a workspace are removed", { workspace: id });
      this.#finish(id);
    }
  }

  /** What is left goes after the next start. */
  stop(): void {
    this.#stopping = true;
  }

  #finish(id: number): void {
    const { db, background } = this.#deps;
    // A power cut that takes some of it back only makes the next start begin earlier.
    background.run("removal of a workspace", () => inWrites(db, this.#portions(id), { relaxed: true }));
  }

  *#portions(id: number): Generator<void, void> {
    const { store } = this.#deps;
    for (const removeSome of store.removeSome)
      while (removeSome.run(id) > 0) {
        if (this.#stopping) return;
        yield;
      }
    store.remove.run(id);
  }
}
