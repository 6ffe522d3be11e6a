// Keeps the lead while a server starts, for example while it upgrades large data: a thread gives the heartbeats until the spaces are open.

import type { Timers } from "../../kit/clock.ts";
import { pauseBy } from "../../kit/concurrency/deadline.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { START_BEATS_JOB, type StartBeats } from "../../kit/replication/start-beats-job.ts";
import { contextWorkers } from "../worker-pool.ts";

/** Begins at once, also while the main thread is busy. */
export class StartBeating {
  readonly #workers = contextWorkers();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(beats: StartBeats, timers: Timers, log: Log) {
    this.#running = this.#run(beats, timers, log);
  }

  /** Gives no more heartbeats, but for one that is on its way. */
  end(): void {
    this.#stop.abort();
  }

  async stop(): Promise<void> {
    this.end();
    await this.#running;
    this.#workers.close();
  }

  async #run(beats: StartBeats, timers: Timers, log: Log): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        return await this.#workers.run(START_BEATS_JOB, beats, { by: beats.node, signal });
      } catch (error) {
        // After a long block, the pool may take the thread for one that never began.
        if (!signal.aborted) log.debug("the heartbeats of a start begin again", { error: messageOf(error) });
      }
      await pauseBy(timers, beats.beatEvery, signal);
    }
  }
}
