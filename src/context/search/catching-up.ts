// Keeps the text index of each open space up to date: changes of the log before a search answers; manual edits, which only a look at the whole tree
// can find, as often as that costs little.

import type { Clock } from "../../kit/clock.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { RunOptions, WorkerPool } from "../../kit/workers/pool.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Head, SpaceEngine } from "../versioned-store/engine.ts";
import { FIND_JOB, type Candidates, type Found } from "./jobs.ts";

/** In a space of at most this many files, every search looks at the whole tree, which takes a few milliseconds. */
const LOOKED_AT_FILES_MAX = 2_000;
/** Elsewhere, looking takes at most this share of the time. */
const LOOK_SHARE = 1 / 50;
/** More changes are found by a look at the whole tree. */
const CHANGES_MAX = 2_000;

interface Kept {
  /** Everything up to this change is in the index. */
  head: Head;
  /** The last look at the whole tree, and when it ended, on the monotonic clock. */
  look: NonNullable<Found["look"]>;
  lookedAt: number;
  isLooking: boolean;
}

interface CatchingUpDeps {
  readonly workers: Pick<WorkerPool, "run">;
  readonly clock: Clock;
  readonly later?: ((work: () => Promise<unknown>) => void) | undefined;
}

export class CatchingUp {
  readonly #deps: CatchingUpDeps;
  readonly #kept = new WeakMap<SpaceEngine, Kept>();
  /** The first look at a space, which every search waits for. */
  readonly #first = new WeakMap<SpaceEngine, Promise<unknown>>();

  constructor(deps: CatchingUpDeps) {
    this.#deps = deps;
  }

  /** Returns the files that match, best first. `expression`: made by terms.ts. */
  async candidates(
    space: OpenSpace,
    expression: string,
    limit: number,
    run: RunOptions,
  ): Promise<Candidates> {
    const { engine } = space;
    const first = this.#first.get(engine);
    if (first) await first.catch(() => undefined);
    const kept = this.#kept.get(engine);
    if (!kept || kept.head.epoch !== engine.head().epoch) {
      const looking = this.#look(engine, expression, limit, run);
      this.#first.set(engine, looking);
      return looking;
    }
    const { later } = this.#deps;
    if (!later || kept.look.files <= LOOKED_AT_FILES_MAX) return this.#look(engine, expression, limit, run);
    this.#lookLater(engine, kept, later);
    const changed = await changedSince(engine, kept.head);
    if (changed === undefined) return this.#look(engine, expression, limit, run);
    const head = engine.head();
    if (changed.size > 0) await engine.settled();
    const found = await this.#find(engine, { whole: false, changed: [...changed], expression, limit }, run);
    if (head.seq > kept.head.seq) kept.head = head;
    return found.candidates;
  }

  /** Does not look twice at the same time. */
  #lookLater(engine: SpaceEngine, kept: Kept, later: (work: () => Promise<unknown>) => void): void {
    const { clock } = this.#deps;
    if (kept.isLooking || clock.elapsed() - kept.lookedAt < kept.look.ms / LOOK_SHARE) return;
    kept.isLooking = true;
    later(async () => {
      try {
        await this.#look(engine, undefined, 0, { by: "" });
      } finally {
        kept.isLooking = false;
      }
    });
  }

  async #look(
    engine: SpaceEngine,
    expression: string | undefined,
    limit: number,
    run: RunOptions,
  ): Promise<Candidates> {
    const head = engine.head();
    await engine.settled();
    const { look, candidates } = await this.#find(
      engine,
      { whole: true, changed: [], expression, limit },
      run,
    );
    const lookedAt = this.#deps.clock.elapsed();
    const kept = this.#kept.get(engine);
    if (kept) Object.assign(kept, { head, look, lookedAt });
    else this.#kept.set(engine, { head, look: look!, lookedAt, isLooking: false });
    return candidates;
  }

  /** Each job indexes for a moment only, so that others have their turn. */
  async #find(
    engine: SpaceEngine,
    asked: { whole: boolean; changed: readonly string[]; expression: string | undefined; limit: number },
    run: RunOptions,
  ) {
    for (;;) {
      const found = await this.#deps.workers.run(
        FIND_JOB,
        { directory: engine.directory!, databases: engine.databases!, inTurns: true, ...asked },
        run,
      );
      if (found.isCurrent) return found;
    }
  }
}

/** Undefined: too many. */
async function changedSince(engine: SpaceEngine, { seq }: Head): Promise<Set<DocumentPath> | undefined> {
  const entries = await engine.log(seq, CHANGES_MAX + 1);
  if (entries.length > CHANGES_MAX) return undefined;
  return new Set(entries.map(({ path }) => path));
}
