// Keeps the daemon connected to the server's events: opens the stream, opens it again when it broke, and waits longer after failures in a row.

import type { Clock, Timers } from "../../kit/clock.ts";
import { pauseBy } from "../../kit/concurrency/deadline.ts";
import { messageOf, retryAfterSeconds } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Client } from "../client/client.ts";
import type { Head } from "../versioned-store/engine.ts";
import { BackOff } from "./backoff.ts";
import { followEvents } from "./event-feed.ts";
import { requireOrigin } from "./state.ts";

/** After the event stream broke. */
const RECONNECT_MS = 5_000;

interface FollowingDeps {
  readonly directory: string;
  /** For each connection: the token may have changed. Raises what keeps the folder from syncing. */
  readonly connect: (signal: AbortSignal) => Promise<Client>;
  /** Rewords an error for the person whose folder it is. */
  readonly inWords?: ((error: unknown) => unknown) | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly intervalMs: number | undefined;
  readonly onConnected: (isConnected: boolean) => void;
  readonly onEvent: (head: Head | undefined) => void;
}

export class Following {
  readonly #deps: FollowingDeps;
  readonly #backOff: BackOff;
  readonly #stop = new AbortController();
  #feedStop = new AbortController();
  isConnected = false;

  constructor(deps: FollowingDeps) {
    this.#deps = deps;
    const intervalMs = Math.min(RECONNECT_MS, deps.intervalMs ?? RECONNECT_MS);
    this.#backOff = new BackOff(() => deps.clock.elapsed(), intervalMs);
  }

  /** Resolves after `stop`. */
  async run(): Promise<void> {
    const { timers } = this.#deps;
    while (!this.#stop.signal.aborted) {
      await this.#follow();
      await pauseBy(timers, this.#backOff.waitMs, this.#stop.signal);
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#feedStop.abort();
  }

  /** After sleep, the connection is stale. */
  reconnect(): void {
    this.#feedStop.abort();
  }

  async #follow(): Promise<void> {
    const { connect, inWords, directory, clock, timers, log, onEvent } = this.#deps;
    const { signal } = this.#feedStop;
    let client: Client | undefined;
    try {
      client = await connect(signal);
      const { space } = await requireOrigin(directory, { clock });
      await followEvents({ client, space, timers, signal, onEvent, onOpen: () => this.#opened() });
    } catch (error) {
      if (this.isConnected || this.#backOff.failures === 0)
        log.warn("no events from the server; asking it every minute", {
          error: messageOf(inWords?.(error) ?? error),
        });
      this.#backOff.failed(retryAfterSeconds(error));
    } finally {
      await client?.close();
    }
    if (signal.aborted) this.#feedAgain();
    this.#tell(false);
  }

  /** After waking up: connects again at once. */
  #feedAgain(): void {
    this.#feedStop = new AbortController();
    this.#backOff.hurry();
  }

  #opened(): void {
    this.#backOff.succeeded();
    this.#deps.log.info("following the server's events");
    this.#tell(true);
  }

  #tell(isConnected: boolean): void {
    this.isConnected = isConnected;
    this.#deps.onConnected(isConnected);
  }
}
