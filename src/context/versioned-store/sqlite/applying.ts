// Writes batches. Each is planned inside its transaction before anything is written, then passed to the followers of the log. A large batch is one
// transaction in steps, with other work in between; reads of the space wait for its end.

import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/error.ts";
import type { Db } from "../../../kit/storage/db.ts";
import type { StepGate } from "../../../kit/concurrency/step-gate.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import type { Applied, AppliedEach, Batch, Effect } from "../engine.ts";
import { checkShape, planOf, planSteps, refuseClashes, type Prepared, type Step } from "./batch.ts";
import type { Coded } from "../coding.ts";
import type { Mirror } from "./mirror.ts";
import type { RecentContents } from "./content-cache.ts";
import type { SpaceRow, SpaceStore } from "./store.ts";
import { Writing } from "./writing.ts";

/** A larger batch is written in steps. This many operations take about 5 ms. */
export const AT_ONCE_MAX = 100;
/** As many links take as long to store as one operation. */
const LINKS_AS_OPERATION = 20;
/** For a batch in steps: the changes announced between two pauses. */
const TOLD_AT_ONCE = 32;
/** In changes. Saves a statement in most commits, at the price of this many more files to check after a crash. */
const FOLLOWER_STORED_EVERY = 64;
/**
 * In changes. Their files are always checked after a crash. While the space is open, the stored position lags by at least this many, so a position
 * at the head means that the space was closed.
 */
const LOOKED_AT_AFTER_CRASH = 256;

interface ApplyingDeps {
  readonly db: Db;
  readonly store: SpaceStore;
  readonly mirror: Mirror;
  readonly recent: RecentContents;
  /** Closed while a batch is written in steps. */
  readonly gate: StepGate;
  readonly clock: Clock;
  /** Called when a content was destroyed. */
  readonly removeDerived: () => void;
  /** See `SpaceEngineOptions`. */
  readonly onApplied: (applied: Applied, batch: Pick<Batch, "author" | "by">) => void;
}

type Terms = Omit<Batch, "operations">;

/** The result of a transaction, for use after the commit. */
interface Done {
  readonly applied: Applied;
  readonly steps: readonly Step[];
  readonly space: SpaceRow;
  /** The position of the tree, if it was stored. */
  readonly treeSeq: number | undefined;
}

export class Applying {
  readonly #deps: ApplyingDeps;
  readonly #writing: Writing;
  /** As of the last commit. */
  space: SpaceRow;
  /** The time of the last change. Times in the log never decrease, whatever the clock does. */
  lastTime: number;
  /** The position of the working tree in the database. After a crash, open checks everything since. */
  storedTreeSeq: number;

  constructor(deps: ApplyingDeps) {
    this.#deps = deps;
    const { store } = deps;
    this.#writing = new Writing(store);
    this.space = store.space.get()!;
    this.lastTime = store.timeOf.get(this.space.seq)?.created_at ?? 0;
    this.storedTreeSeq = store.follower.get("tree")!.seq;
  }

  /** Calls `isStill` first inside the transaction, and does nothing if it returns false. */
  async write(
    batch: Terms,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
    isStill: () => boolean = () => true,
  ): Promise<Applied | undefined> {
    const weight = weightOf(prepared);
    if (weight <= AT_ONCE_MAX || prepared.length === 1)
      return this.#deps.db.write(() => (isStill() ? this.applyIn(batch, prepared, coded) : undefined), {
        repeatable: true,
        weight,
      });
    const work = this.#applying(batch, prepared, coded, { isStill, inSteps: true });
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

  /** Runs inside the transaction, without pauses. */
  applyIn(batch: Terms, prepared: readonly Prepared[], coded: ReadonlyMap<string, Coded>): Applied {
    const done = atOnce(this.#applying(batch, prepared, coded))!;
    this.#deps.db.afterCommit(() => atOnce(this.#committed(done, batch)));
    return done.applied;
  }

  /** As `applyIn`, each operation by itself. An operation is refused before it writes anything, so there is nothing to roll back. */
  applyEachIn(
    { begin, ...batch }: Terms,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
  ): AppliedEach {
    begin?.();
    const effects: Effect[] = [];
    const refused: { path: DocumentPath; error: AppError }[] = [];
    for (const operation of prepared) {
      try {
        checkShape([operation]);
        effects.push(...this.applyIn(batch, [operation], coded).effects);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ path: operation.path, error });
      }
    }
    const { epoch, seq } = this.#deps.store.space.get()!;
    return { head: { epoch, seq }, effects, time: this.lastTime, refused };
  }

  /** Runs inside the transaction. Undefined: `isStill` was false. */
  *#applying(
    batch: Terms,
    prepared: readonly Prepared[],
    coded: ReadonlyMap<string, Coded>,
    { isStill, inSteps }: { isStill?: () => boolean; inSteps?: true } = {},
  ): Generator<void, Done | undefined> {
    if (isStill?.() === false) return undefined;
    batch.begin?.();
    const { store } = this.#deps;
    const steps = yield* planSteps(store, prepared);
    yield* refuseClashes(store, steps);
    const space = store.space.get()!;
    const plan = planOf(space, steps);
    batch.admit?.(plan);
    const time = Math.max(this.#deps.clock.now(), this.lastTime);
    this.lastTime = time;
    const { author, message = null, versionsKept = 0 } = batch;
    const stamp = { author, message, time, versionsKept };
    let { seq } = space;
    let pruned = 0;
    for (const step of steps) {
      seq += 1;
      pruned += this.#writing.record(step, coded, stamp, seq);
      yield;
    }
    if (inSteps) {
      // Other work ran in between, and the current rights decide.
      batch.begin?.();
      batch.admit?.(plan);
    }
    const after = { ...plan.after, versions: plan.after.versions - pruned };
    if (steps.length > 0)
      store.setTotals.run({ seq, files: after.files, bytes: after.bytes, versions: after.versions });
    const treeSeq = Math.max(0, this.#deps.mirror.following.safeSeq - LOOKED_AT_AFTER_CRASH);
    const ahead = treeSeq - this.storedTreeSeq;
    // The position goes back if a file could not be written.
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

  /** Runs after the commit, before any other. */
  *#committed(done: Done | undefined, batch: Terms): Generator<void> {
    if (!done) return;
    const { applied, steps, space, treeSeq } = done;
    this.space = space;
    if (treeSeq !== undefined) this.storedTreeSeq = treeSeq;
    yield* this.#deps.mirror.following.follow(steps, space.seq);
    for (const { operation } of steps) {
      if (operation.op === "put") this.#deps.recent.add(operation.hash, operation.content);
      yield;
    }
    for (const portion of portionsOf(applied)) {
      this.#deps.onApplied(portion, batch);
      yield;
    }
    const destroyed = steps.filter(({ effect }) => effect.op === "destroy");
    for (const { version } of destroyed) this.#deps.recent.forget(version!.hash);
    if (destroyed.length === 0) return;
    this.#deps.db.clearLog();
    this.#deps.removeDerived();
  }
}

/** In operations of ordinary size. */
function weightOf(prepared: readonly Prepared[]): number {
  let links = 0;
  for (const one of prepared) if (one.op === "put") links += one.derived?.links.length ?? 0;
  return prepared.length + Math.floor(links / LINKS_AS_OPERATION);
}

function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Splits a commit into portions that look like separate commits. */
function* portionsOf({ head, effects, time }: Applied): Generator<Applied> {
  const first = head.seq - effects.length;
  for (let from = 0; from < effects.length; from += TOLD_AT_ONCE) {
    const portion = effects.slice(from, from + TOLD_AT_ONCE);
    yield { head: { ...head, seq: first + from + portion.length }, effects: portion, time };
  }
}
