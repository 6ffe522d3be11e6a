// The local side of a synced space: opened for one step of a cycle at a time, so that other commands get their turn while the network is slow.

import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Log } from "../../kit/log.ts";
import type { SyncRules } from "../spaces/schema.ts";
import { openLocalEngine } from "../space/local-engine.ts";
import { openSpaceFile, saveSpaceFile } from "../spaces/space-file.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { lookWorkers } from "../worker-pool.ts";

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface LocalCopyDeps {
  readonly clock?: Clock;
  readonly log?: Log;
}

export class LocalCopy {
  readonly directory: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lookers: WorkerPool = lookWorkers();
  #held: SpaceEngine | undefined;

  constructor(directory: string, { clock = systemClock, log = SILENT }: LocalCopyDeps = {}) {
    this.directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  /** Waits for its turn. Raises `refused` for a lost database, `conflict` with `details.in_use` if that takes too long, and what the engine raises. */
  async use<T>(work: (engine: SpaceEngine) => Promise<T>): Promise<T> {
    if (this.#held) return work(this.#held);
    const engine = await this.#opened();
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  /** Keeps the space open until disposal, for a first clone, when nobody else uses it. */
  async hold(): Promise<AsyncDisposable> {
    this.#held = await this.#opened();
    return {
      [Symbol.asyncDispose]: async () => {
        const engine = this.#held;
        this.#held = undefined;
        await engine?.close();
      },
    };
  }

  /** Writes the server's rules into `space.yaml`, so that listings show the modes in force. */
  adoptRules(rules: SyncRules): Promise<void> {
    return this.use(async (engine) => {
      const deps = { clock: this.#clock, log: this.#log };
      const file = await openSpaceFile(this.directory, engine, deps);
      if (JSON.stringify(file.sync) === JSON.stringify(rules)) return;
      await saveSpaceFile(this.directory, engine, { ...file, sync: rules }, { log: deps.log });
    });
  }

  #opened(): Promise<SpaceEngine> {
    const options = { directory: this.directory, clock: this.#clock, log: this.#log, lookers: this.#lookers };
    return openLocalEngine(options);
  }
}
