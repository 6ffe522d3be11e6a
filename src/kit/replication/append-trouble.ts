// Trouble with the storage: an entry that it has not taken so far, until another node has to try, and heartbeats that take too long.

import type { Clock } from "../clock.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { isTooLarge } from "../object-storage/object-storage.ts";
import type { Timing } from "./beat.ts";

/** A node whose appends keep failing after these many tries, for longer than its lease, lets another one try. */
const TRIES_MIN = 3;
/** A single slow heartbeat may be of a machine that was busy, as with an upgrade. */
const SLOW_BEATS = 2;

interface AppendTroubleDeps {
  readonly clock: Clock;
  readonly timing: Pick<Timing, "leaseMs" | "takeoverAfter">;
  readonly log: Log;
  /** Called when the node stops its heartbeats. */
  readonly onStuck: () => void;
}

export class AppendTrouble {
  readonly #deps: AppendTroubleDeps;
  /** On the monotonic clock: the first failure. Undefined: the last append succeeded. */
  #since: number | undefined;
  #tries = 0;
  #isTold = false;
  #isTooLarge = false;
  #slowBeats = 0;

  constructor(deps: AppendTroubleDeps) {
    this.#deps = deps;
  }

  get isThere(): boolean {
    return this.#since !== undefined;
  }

  /** The storage takes heartbeats and no entries, because it refuses large objects, for example, or this node's key. Nothing can be acknowledged. */
  get isStuck(): boolean {
    return this.#tries >= TRIES_MIN && this.#lasts(this.#deps.timing.leaseMs);
  }

  /** The storage takes other entries and never this one, and every other node had the time to take over. */
  get isHopeless(): boolean {
    const { leaseMs, takeoverAfter } = this.#deps.timing;
    return this.isStuck && this.#isTooLarge && this.#lasts(leaseMs + 2 * takeoverAfter);
  }

  /** Called after each try that failed. Logs the first one, and the one with which the node stops answering. */
  failed(error: unknown, bytes: number): void {
    const { clock, log, onStuck } = this.#deps;
    const facts = { error: messageOf(error), bytes };
    if (!this.isThere) log.warn("cannot append to the replication log", facts);
    this.#since ??= clock.elapsed();
    this.#tries += 1;
    this.#isTooLarge = isTooLarge(error);
    if (this.#isTold || !this.isStuck) return;
    this.#isTold = true;
    log.error("the object storage takes no change of this node, which stops answering until it does", facts);
    onStuck();
  }

  /** Called after each heartbeat. A lease lasts only if the next one arrives within it, too. Logs once until one is fast. */
  beatTook(ms: number): void {
    const { timing, log } = this.#deps;
    this.#slowBeats = ms > timing.leaseMs / 2 ? this.#slowBeats + 1 : 0;
    if (this.#slowBeats === SLOW_BEATS)
      log.error("the object storage is too slow, so this node repeatedly stops answering", {
        heartbeat_ms: Math.round(ms),
        heartbeat_ms_max: timing.leaseMs / 2,
      });
  }

  #lasts(ms: number): boolean {
    return this.#since !== undefined && this.#deps.clock.elapsed() - this.#since > ms;
  }

  /** Called when an entry was taken, or another node has its place. */
  end(): void {
    this.#since = undefined;
    this.#tries = 0;
    this.#isTold = false;
  }
}
