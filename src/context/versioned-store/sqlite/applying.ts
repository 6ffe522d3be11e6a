// Writes batches: each planned inside its transaction before anything of it is written, then brought to those who follow the log. A large one is
// one transaction in steps, between which everything else runs; who reads the space meanwhile waits for its end.

import type { Clock } from "../../../kit/clock.ts";
import type { Db } from "../../../kit/db.ts";
import type { StepGate } from "../../../kit/step-gate.ts";
import type { Applied, Batch } from "../engine.ts";
import { planOf, planSteps, refuseClashes, type Prepared, type Step } from "./batch.ts";
import type { Coded } from "./coding.ts";
import type { Mirror } from "./mirror.ts";
import type { RecentContents } from "./recent.ts";
import type { SpaceRow, SpaceStore } from "./store.ts";
import { Writing } from "./writing.ts";

/** A batch of more operations is written in steps: so many take about 5 ms at once. */
export const AT_ONCE_MAX = 100;
/** Of a batch in steps, so many changes are told of between two pauses. */
const TOLD_AT_ONCE = 32;
/** Changes: a statement less in each commit, for so many more files to look at after a crash. */
const FOLLOWER_STORED_EVERY = 64;
/** Changes whose files are looked at after a crash in any case. Also marks that the space is open: it was not closed while fewer are followed. */
const LOOKED_AT_AFTER_CRASH = 256;

interface ApplyingDeps {
  readonly db: Db;
  readonly store: SpaceStore;
  readonly mirror: Mirror;
  readonly recent: RecentContents;
  /** Closed while a batch is written in steps. */
  readonly gate: StepGate;
  readonly clock: Clock;
  /** See SqliteEngineOptions. */
  readonly onApplied: (applied: Applied, batch: Pick<Batch, "author" | "by">) => void;
}

type Terms = Omit<Batch, "operations">;

/** What a transaction did, for when it is committed. */
interface Done {
  readonly applied: Applied;
  readonly steps: readonly Step[];
  readonly space: SpaceRow;
  /** How far the tree is, when that was stored. */
  readonly treeSeq: number | undefined;
}

export class Applying {
  readonly #deps: ApplyingDeps;
  readonly #writing: Writing;
  /** As of the last commit. */
  space: SpaceRow;
  /** Of the last change: times in the log only grow, whatever the clock does. */
  lastTime: number;
  /** How far the working tree is, as the database has it: after a crash the open looks at all that came since. */
  storedTreeSeq: number;

  constructor(deps: ApplyingDeps) {
    this.#deps = deps;
    const { store } = deps;
    this.#writing = new Writing(store);
    this.space = store.space.get()!;
    this.lastTime = store.timeOf.get(this.space.seq)?.created_at ?? 0;
    this.storedTreeSeq = store.follower.get("tree")!.seq;
  }

  /** `isStill` is asked first inside the transaction; false: nothing is done. */
  async write(
    batch: Terms,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
    isStill: () => boolean = () => true,
  ): Promise<Applied | undefined> {
    if (prepared.length <= AT_ONCE_MAX)
      return this.#deps.db.write(() => (isStill() ? this.applyIn(batch, prepared, coded) : undefined), {
        repeatable: true,
      });
    const work = this.#applying(batch, prepared, coded, isStill);
    const applied = await this.#deps.gate.change(async () => {
      this.#deps.mirror.following.hold();
      try {
        return await this.#deps.db.writeInSteps(
          () => work,
          (done) => this.#committed(done, batch),
        );
      } finally {
        this.#deps.mirror.following.release();
      }
    });
    await this.#deps.mirror.following.paid();
    return applied?.applied;
  }

  /** Inside the transaction, at once. */
  applyIn(batch: Terms, prepared: readonly Prepared[], coded: ReadonlyMap<string, Coded>): Applied {
    const done = atOnce(this.#applying(batch, prepared, coded))!;
    this.#deps.db.afterCommit(() => atOnce(this.#committed(done, batch)));
    return done.applied;
  }

  /** Inside the transaction. Undefined: `isStill` was false. */
  *#applying(
    batch: Terms,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
    isStill: () => boolean = () => true,
  ): Generator<void, Done | undefined> {
    if (!isStill()) return undefined;
    batch.begin?.();
    const { store } = this.#deps;
    const steps = yield* planSteps(store, prepared);
    yield* refuseClashes(store, steps);
    const space = store.space.get()!;
    const plan = planOf(space, steps);
    batch.admit?.(plan);
    const time = Math.max(this.#deps.clock.now(), this.lastTime);
    this.lastTime = time;
    const stamp = { author: batch.author, time, versionsKept: batch.versionsKept ?? 0 };
    let { seq } = space;
    let pruned = 0;
    for (const step of steps) {
      seq += 1;
      pruned += this.#writing.record(step, coded, stamp, seq);
      yield;
    }
    if (steps.length > AT_ONCE_MAX) {
      // Others ran in between, and rights count now.
      batch.begin?.();
      batch.admit?.(plan);
    }
    const after = { ...plan.after, versions: plan.after.versions - pruned };
    if (steps.length > 0)
      store.setTotals.run({ seq, files: after.files, bytes: after.bytes, versions: after.versions });
    const treeSeq = Math.max(0, this.#deps.mirror.following.safeSeq - LOOKED_AT_AFTER_CRASH);
    const ahead = treeSeq - this.storedTreeSeq;
    // It goes back where a file could not be written.
    const isNews = ahead < 0 || ahead >= FOLLOWER_STORED_EVERY;
    if (isNews) store.setFollower.run(treeSeq, "tree");
    const applied = { head: { epoch: space.epoch, seq }, effects: plan.effects, time };
    return {
      applied,
      steps,
      space: { epoch: space.epoch, seq, ...after },
      treeSeq: isNews ? treeSeq : undefined,
    };
  }

  /** After the commit, before any other. */
  *#committed(done: Done | undefined, batch: Terms): Generator<void> {
    if (!done) return;
    const { applied, steps, space, treeSeq } = done;
    this.space = space;
    if (treeSeq !== undefined) this.storedTreeSeq = treeSeq;
    for (const { operation } of steps)
      if (operation.op === "put") this.#deps.recent.add(operation.hash, operation.content);
    this.#deps.mirror.following.follow(steps, space.seq);
    for (const portion of portionsOf(applied)) {
      this.#deps.onApplied(portion, batch);
      yield;
    }
    const destroyed = steps.filter(({ effect }) => effect.op === "destroy");
    for (const { version } of destroyed) this.#deps.recent.forget(version!.hash);
    if (destroyed.length > 0) this.#deps.db.clearLog();
  }
}

function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Each as if it had been a commit of its own. */
function* portionsOf({ head, effects, time }: Applied): Generator<Applied> {
  const first = head.seq - effects.length;
  for (let from = 0; from < effects.length; from += TOLD_AT_ONCE) {
    const portion = effects.slice(from, from + TOLD_AT_ONCE);
    yield { head: { ...head, seq: first + from + portion.length }, effects: portion, time };
  }
}
