// How long the event loop kept work waiting: whatever blocks it, each request and stream waits for so long. Measured by a short timer while
// something happens, and not at all by an idle program, which a timer would wake all the time.

import { Histogram } from "./histogram.ts";

/** Work that takes less is not felt; it is also how exactly a delay is known. */
const RESOLUTION_MS = 20;
/** Measured for so long after the last request. */
const AWAKE_MS = 1_000;
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const MS_PER_SECOND = 1_000;

export class LoopDelay {
  readonly histogram = new Histogram(DELAY_SECONDS);
  readonly #elapsed: () => number;
  readonly #isBusy: () => boolean;
  #until = 0;
  #timer: Timer | undefined;

  /** `elapsed`: monotonic, ms. `isBusy`: is there work that no request waits for? Then it is measured without them. */
  constructor(elapsed: () => number, isBusy: () => boolean = () => false) {
    this.#elapsed = elapsed;
    this.#isBusy = isBusy;
  }

  /** Is it measured at the moment? */
  get isAwake(): boolean {
    return this.#timer !== undefined;
  }

  /** Something happens. Returns the time, ms. */
  wake(): number {
    const now = this.#elapsed();
    this.#until = now + AWAKE_MS;
    if (this.#timer === undefined) this.#schedule();
    return now;
  }

  #schedule(): void {
    const due = this.#elapsed() + RESOLUTION_MS;
    this.#timer = setTimeout(() => {
      const now = this.#elapsed();
      this.histogram.observe(Math.max(0, now - due) / MS_PER_SECOND);
      this.#timer = undefined;
      if (now < this.#until || this.#isBusy()) this.#schedule();
    }, RESOLUTION_MS);
    // Nobody has to wait for it at the end.
    this.#timer.unref();
  }
}
