// A pool of started containers of one image, so that a call costs only its interpreter. Each is used once. Used, old and dead ones are replaced
// in the background. Their number and idle time are bounded.

import type { Background } from "../../kit/concurrency/background.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { GearContainer } from "./container.ts";

/** Delays the replacement, so that it does not compete with the call that took the container. */
const REFILL_DELAY_MS = 50;

interface PoolDeps {
  readonly size: number;
  readonly idleMs: number;
  readonly start: () => Promise<GearContainer>;
  readonly background: Background;
  readonly log: Log;
}

interface Waiting {
  readonly container: GearContainer;
  readonly timer: Timer;
}

export class Pool {
  readonly #deps: PoolDeps;
  readonly #waiting: Waiting[] = [];
  #filling: Promise<void> | undefined;
  #refill: Timer | undefined;
  #stopped = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
  }

  /** Takes the oldest container; undefined when the pool is empty, and the caller must start one. */
  take(): GearContainer | undefined {
    this.#refillSoon();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      clearTimeout(next.timer);
      if (next.container.waiting) return next.container;
      this.#discard(next.container);
    }
    return undefined;
  }

  /** Starts containers one by one until the pool is full. Stops at the first failure; the next call retries. */
  fill(): Promise<void> {
    return (this.#filling ??= this.#fill().finally(() => (this.#filling = undefined)));
  }

  /** Starts removing all containers. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#refill);
    for (const { container, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      this.#discard(container);
    }
  }

  async #fill(): Promise<void> {
    while (!this.#stopped && this.#waiting.length < this.#deps.size) {
      const container = await this.#startOne();
      if (!container) return;
      if (this.#stopped) this.#discard(container);
      else this.#keep(container);
    }
  }

  async #startOne(): Promise<GearContainer | undefined> {
    let container: GearContainer | undefined;
    try {
      container = await this.#deps.start();
      await container.ready();
      return container;
    } catch (error) {
      this.#deps.log.warn("cannot start a container ahead of a call", { error: messageOf(error) });
      if (container) this.#discard(container);
      return undefined;
    }
  }

  #keep(container: GearContainer): void {
    const timer = setTimeout(() => this.#replace(container), this.#deps.idleMs);
    this.#waiting.push({ container, timer });
    void container.ended.then(() => this.#drop(container));
  }

  #replace(container: GearContainer): void {
    this.#drop(container);
    this.#refillSoon();
  }

  /** Drops a container, unless it was taken. */
  #drop(container: GearContainer): void {
    const at = this.#waiting.findIndex((waiting) => waiting.container === container);
    if (at === -1) return;
    clearTimeout(this.#waiting[at]!.timer);
    this.#waiting.splice(at, 1);
    this.#discard(container);
  }

  #refillSoon(): void {
    if (this.#stopped || this.#deps.size === 0) return;
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined;
      this.#deps.background.run("fill the pool of containers", () => this.fill());
    }, REFILL_DELAY_MS);
  }

  #discard(container: GearContainer): void {
    this.#deps.background.run("remove a container", () => container.dispose());
  }
}
