// Measures event-loop delay: code that blocks the loop delays every request and stream. Uses a short timer while the program is active, and none
// while it is idle, because a timer would keep waking it.

import { SECOND_MS } from "../clock.ts";
import { Histogram } from "./histogram.ts";

/** The interval of the timer, and the resolution of the measurement. */
const RESOLUTION_MS = 20;
/** Measuring continues this long after the last request. */
const AWAKE_MS = 1_000;
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export class LoopDelay {
  readonly histogram = new Histogram(DELAY_SECONDS);
  readonly #elapsed: () => number;
  readonly #isBusy: () => boolean;
  #until = 0;
  #timer: Timer | undefined;

  /** `elapsed` is monotonic, in ms. `isBusy` reports background work, during which measuring continues without requests. */
  constructor(elapsed: () => number, isBusy: () => boolean = () => false) {
    this.#elapsed = elapsed;
    this.#isBusy = isBusy;
  }

  /** Reports whether the delay is being measured. */
  get isAwake(): boolean {
    return this.#timer !== undefined;
  }

  /** Records activity. Returns the time in ms. */
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
      this.histogram.observe(Math.max(0, now - due) / SECOND_MS);
      this.#timer = undefined;
      if (now < this.#until || this.#isBusy()) this.#schedule();
    }, RESOLUTION_MS);
    // The timer must not keep the process alive.
    this.#timer.unref();
  }
}
