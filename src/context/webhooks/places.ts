// Bounds concurrent deliveries. Hooks whose last attempt failed share only part of the slots, so that unresponsive receivers never take them all.

export const AT_ONCE_MAX = 8;
/** The slots available to attempts after a failure. */
export const AFTER_FAILURE_AT_ONCE_MAX = 4;

export type Lane = "first" | "after failure";

interface Waiting {
  readonly lane: Lane;
  readonly begin: () => void;
}

export class Places {
  readonly #taken: Record<Lane, number> = { first: 0, "after failure": 0 };
  /** In order of arrival. */
  readonly #waiting: Waiting[] = [];

  /** Runs `work` once a slot is free. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (!this.#isFree(lane))
      await new Promise<void>((resolve) => this.#waiting.push({ lane, begin: resolve }));
    else this.#taken[lane] += 1;
    try {
      return await work();
    } finally {
      this.#taken[lane] -= 1;
      this.#passOn();
    }
  }

  #isFree(lane: Lane): boolean {
    const { first, "after failure": afterFailure } = this.#taken;
    if (first + afterFailure >= AT_ONCE_MAX) return false;
    return lane === "first" || afterFailure < AFTER_FAILURE_AT_ONCE_MAX;
  }

  #passOn(): void {
    const next = this.#waiting.findIndex(({ lane }) => this.#isFree(lane));
    if (next < 0) return;
    const [{ lane, begin }] = this.#waiting.splice(next, 1) as [Waiting];
    this.#taken[lane] += 1;
    begin();
  }
}
