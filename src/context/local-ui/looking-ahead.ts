// Looks at the files of a space before a page needs it: when someone comes in, and again as soon as the system reports a change while someone reads
// such pages.

import type { Clock } from "../../kit/clock.ts";
import type { BrowsedSpace } from "../space/door.ts";
import type { TreeLook } from "../versioned-store/tree-memory.ts";

/** A page that was opened this long ago is not opened again soon. */
const READ_MS = 60_000;
/** Looking takes at most this share of the time while files keep changing. */
const LOOK_SHARE = 1 / 5;

const LOOKS: Readonly<Record<TreeLook, (space: BrowsedSpace) => Promise<unknown>>> = {
  graph: (space) => space.graph({ only: "core" }),
  freshness: (space) => space.freshness(),
  unrecorded: (space) => space.unrecorded(),
};

interface LookingAheadDeps {
  readonly clock: Clock;
  readonly use: (work: (space: BrowsedSpace) => Promise<unknown>) => Promise<unknown>;
  readonly later: (work: () => Promise<unknown>) => void;
}

export class LookingAhead {
  readonly #deps: LookingAheadDeps;
  /** When someone read something of it, on the monotonic clock. */
  readonly #read = new Map<TreeLook, number>();
  #isLooking = false;
  #restsUntil = 0;

  constructor(deps: LookingAheadDeps) {
    this.#deps = deps;
  }

  /** Its own looks do not count. */
  read(what: TreeLook): void {
    if (!this.#isLooking) this.#read.set(what, this.#deps.clock.elapsed());
  }

  /** Call when someone comes in. */
  entered(): void {
    this.#begin(Object.keys(LOOKS) as TreeLook[]);
  }

  /** Call when files have changed. */
  changed(): void {
    this.#begin(this.#wanted());
  }

  #begin(wanted: readonly TreeLook[]): void {
    const { clock, later } = this.#deps;
    if (wanted.length === 0 || this.#isLooking || clock.elapsed() < this.#restsUntil) return;
    this.#isLooking = true;
    later(() => this.#look(wanted));
  }

  async #look(wanted: readonly TreeLook[]): Promise<void> {
    const { clock, use } = this.#deps;
    const started = clock.elapsed();
    try {
      for (const what of wanted) await use(LOOKS[what]);
    } finally {
      this.#isLooking = false;
      const ended = clock.elapsed();
      this.#restsUntil = ended + (ended - started) / LOOK_SHARE;
    }
  }

  #wanted(): TreeLook[] {
    const since = this.#deps.clock.elapsed() - READ_MS;
    return [...this.#read].filter(([, at]) => at >= since).map(([what]) => what);
  }
}
