// Deletes the rows of a removed workspace, in small portions between other work. After a crash, the next start continues.

import type { Background } from "../../kit/concurrency/background.ts";
import type { Db } from "../../kit/storage/db.ts";
import { inWrites } from "../../kit/storage/in-writes.ts";
import type { Log } from "../../kit/log.ts";
import type { WorkspaceStore } from "./store.ts";

interface RemovalDeps {
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

  /** Starts a removal inside a write. From the commit on, the workspace is gone for everyone and its name is free. */
  begin(id: number): void {
    const { db, store } = this.#deps;
    store.setGoing.run(id);
    db.afterCommit(() => this.#finish(id));
  }

  /** Removes an unfinished clone or import. If this write fails, the next start removes it. */
  abandon(id: number): void {
    const { db, background } = this.#deps;
    background.run("removal of a half-made workspace", () => db.write(() => this.begin(id)));
  }

  /** Continues, at start, unfinished removals, and removes unfinished clones and imports. */
  resume(): void {
    const { store, log } = this.#deps;
    for (const { id } of store.notLive.all()) {
      log.info("deleting the rows of a removed workspace", { workspace: id });
      this.#finish(id);
    }
  }

  /** Stops at shutdown; the next start removes the rest. */
  stop(): void {
    this.#stopping = true;
  }

  #finish(id: number): void {
    const { db, background } = this.#deps;
    // Durability does not matter: after a power failure, the next start repeats some of the work.
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
