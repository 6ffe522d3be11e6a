// The node that leads: takes the changes of its databases and files, and appends them to the log in the object storage. Each entry has the next
// number and is created only if no other node created it, so a leader that was replaced can append nothing. Nothing may leave this node before
// the changes that it shows are in the log: whoever answers waits for `settled`.

import type { Clock, Timers } from "../clock.ts";
import { pauseBy } from "../concurrency/deadline.ts";
import { messageOf, type AppError } from "../error.ts";
import type { Log } from "../log.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import type { ChangedPages, PageSink } from "../storage/changed-pages.ts";
import { AppendTrouble } from "./append-trouble.ts";
import { writeBeat, type Timing } from "./beat.ts";
import { encodeEntry, entryHash } from "./entry.ts";
import { Outbox } from "./outbox.ts";
import { noLongerLeads, outOfTouch, tooLargeFor } from "./lead-errors.ts";
import { hashAt, LARGE, takeoverIn } from "./log-inventory.ts";
import { entryKey } from "./places.ts";

/** Changes that nobody waits for are appended after this long, or when there are this many bytes. */
const GATHER_MS = 1_000;
const GATHER_BYTES = 8 * 1024 * 1024;
const RETRY_MS = 250;
/** A node that stops gives the storage this long. The whole stop may take ten seconds. */
const STOP_WAIT_MS = 4_000;

/** A place in the log: everything up to the entry with this number. */
export interface Position {
  readonly seq: number;
  /** Of that entry; empty for 0. */
  readonly hash: string;
}

/** Why a node no longer leads. `superseded`: another one does; `broken`: a change was not copied; `ended`: it was told to. */
export interface Loss {
  readonly reason: "superseded" | "broken" | "ended";
  readonly message: string;
}

interface LeaderDeps {
  readonly storage: ObjectStorage;
  readonly node: string;
  /** Random, of this term. */
  readonly term: string;
  /** The entry by which the node took over. */
  readonly position: Position;
  /** No other node took over after this node before then, so that its lease begins. */
  readonly begun: Moment;
  readonly timing: Timing;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Called after each append with its duration in ms. */
  readonly onAppend?: (ms: number) => void;
  /** Called when it stops its heartbeats, so that another node may lead. Nobody may give them in its place from then on. */
  readonly onSilent?: () => void;
}

interface Waiter {
  readonly upTo: number;
  /** Waits also beyond the lease. */
  readonly isPatient: boolean;
  readonly done: () => void;
  readonly failed: (error: AppError) => void;
}

export interface Moment {
  /** On the monotonic clock, which stands still while a machine is suspended. */
  readonly elapsed: number;
  /** On the wall clock, which someone may set. */
  readonly now: number;
}

export class Leader {
  readonly #deps: LeaderDeps;
  readonly #outbox = new Outbox();
  #position: Position;
  /** Counts changes; those up to `#stored` are in the log. The one with the number `#telling` is the last that someone could be told of. */
  #changes = 0;
  #stored = 0;
  #telling = 0;
  /** Changes that are counted and still being read. */
  readonly #beingRead = new Set<PromiseWithResolvers<void>>();
  #waiters: Waiter[] = [];
  #draining: Promise<void> | undefined;
  #appending: Promise<boolean> | undefined;
  /** The hash of the entry that is being appended, or was appended last. */
  #tried = "";
  readonly #trouble: AppendTrouble;
  /** On the monotonic clock: when the last append that succeeded was begun. */
  #lastAppend = -Infinity;
  #cancelGathering: (() => void) | undefined;
  /** On the monotonic clock: when this node began to stop. */
  #hurriedAt = Infinity;
  #cancelHurry: (() => void) | undefined;
  #beats = 0;
  /** When the last beat that arrived was begun. */
  #lastBeat: Moment;
  /** Since its lease was over, a beat has arrived. */
  #isReturning = false;
  #beating: Promise<void>;
  readonly #stopped = new AbortController();
  #loss: Loss | undefined;
  readonly #lost = Promise.withResolvers<Loss>();
  /** Bytes appended, and entries. */
  appendedBytes = 0;
  entries = 0;
  /** When the last snapshot of this term was made, in ms since the epoch; 0: none yet. */
  snapshotTime = 0;
  /** The last attempt to make a snapshot failed. */
  isSnapshotFailing = false;
  /** An object that the log in the storage lacks, so that no node can join or return. */
  lack: string | undefined;
  readonly #damaged = new AbortController();

  constructor(deps: LeaderDeps) {
    this.#deps = deps;
    const { clock, timing, log } = deps;
    this.#trouble = new AppendTrouble({ clock, timing, log, onStuck: () => deps.onSilent?.() });
    this.#position = deps.position;
    this.#lastBeat = deps.begun;
    this.#beating = this.#beat();
  }

  /** Resolves when this node no longer leads, and must stop answering. */
  get lost(): Promise<Loss> {
    return this.#lost.promise;
  }

  /** Aborted when it first finds that the log lacks the entry by which this node took over. */
  get damaged(): AbortSignal {
    return this.#damaged.signal;
  }

  get position(): Position {
    return this.#position;
  }

  /** `file`: a path in the data directory. */
  pages(file: string): PageSink {
    return {
      changed: (changed, isQuiet) => {
        this.#outbox.pages(file, changed);
        this.#changed({ isQuiet });
      },
      changing: () => this.#changing(file),
      failed: (error) => {
        this.#deps.log.error("cannot copy the changes of a file", { file, error: messageOf(error) });
        this.#lose({ reason: "broken", message: `cannot read changes of ${file}: ${messageOf(error)}` });
      },
    };
  }

  append(file: string, at: number, content: Uint8Array): void {
    this.#outbox.append(file, at, content);
    this.#changed({ isQuiet: false });
  }

  /** A file or folder of the data directory is gone. */
  removed(file: string): void {
    this.#outbox.remove(file);
    this.#changed({ isQuiet: false });
  }

  /** Raises `unavailable` once this node was replaced, and while it may have been. */
  requireLead(): void {
    if (this.#loss) throw noLongerLeads();
    if (this.#isLeaseOver()) throw outOfTouch();
  }

  /** Undefined: all changes so far are in the log, but for quiet ones. Otherwise resolves when they are; raises as `requireLead` does. */
  settled(): Promise<void> | undefined {
    this.requireLead();
    return this.#storedBy(this.#telling, { isPatient: false });
  }

  /** As `settled`, with the quiet ones. */
  allSettled(): Promise<void> | undefined {
    this.requireLead();
    return this.#storedBy(this.#changes, { isPatient: false });
  }

  /** As `settled`, for news that nobody asked for: waits as long as the object storage is out of reach. */
  stored(): Promise<void> | undefined {
    if (this.#loss) throw noLongerLeads();
    return this.#storedBy(this.#telling, { isPatient: true });
  }

  #storedBy(upTo: number, { isPatient }: Pick<Waiter, "isPatient">): Promise<void> | undefined {
    if (this.#stored >= upTo) return undefined;
    if (this.#isGivingUp()) throw outOfTouch();
    const done = Promise.withResolvers<void>();
    this.#waiters.push({ upTo, isPatient, done: done.resolve, failed: done.reject });
    this.#drain();
    return done.promise;
  }

  /** Called before this node stops: from then on, nobody waits long for a storage that takes nothing. */
  hurry(): void {
    const { clock, timers } = this.#deps;
    this.#hurriedAt = clock.elapsed();
    // An append that is under way may take longer to fail.
    this.#cancelHurry = timers.after(STOP_WAIT_MS, () => {
      if (this.#isGivingUp()) this.#refuse(outOfTouch(), () => true);
    });
  }

  /** Called when the bucket holds another log. */
  displaced(): void {
    this.#lose({ reason: "broken", message: "the bucket holds another replication log now" });
  }

  /** Appends what is left and lets another node lead at once. No change may follow. */
  async release(): Promise<void> {
    const { storage, node, term } = this.#deps;
    await this.allSettled();
    await this.#draining;
    this.#stopped.abort();
    await this.#beating;
    const { seq } = this.#position;
    await writeBeat(storage, { node, term, number: (this.#beats += 1), position: seq, released: true });
  }

  /** Without a word to the other nodes: for a node that no longer leads. Nothing is appended from here on. */
  abandon(): void {
    this.#stopped.abort();
    this.#cancelGathering?.();
    this.#cancelHurry?.();
    this.#lose({ reason: "ended", message: "this node gave up" });
  }

  #changed({ isQuiet }: { readonly isQuiet: boolean }): void {
    this.#changes += 1;
    if (isQuiet || this.#loss) return;
    this.#telling = this.#changes;
    if (this.#outbox.bytes >= GATHER_BYTES) return this.#drain();
    this.#cancelGathering ??= this.#deps.timers.after(GATHER_MS, () => {
      this.#cancelGathering = undefined;
      this.#drain();
    });
  }

  /** From here on, an answer waits for this change. */
  #changing(file: string): (changed: ChangedPages) => void {
    this.#telling = this.#changes += 1;
    const reading = Promise.withResolvers<void>();
    this.#beingRead.add(reading);
    return (changed) => {
      this.#outbox.pages(file, changed);
      this.#beingRead.delete(reading);
      reading.resolve();
      this.#changed({ isQuiet: false });
    };
  }

  #drain(): void {
    this.#draining ??= this.#appendAll();
  }

  async #appendAll(): Promise<void> {
    try {
      // After the step that changes something: all its changes are in one entry.
      await Promise.resolve();
      while ((!this.#outbox.isEmpty || this.#beingRead.size > 0) && this.#loss === undefined) {
        // An entry has whole commits, and what is stored has no gaps.
        if (this.#beingRead.size > 0) {
          await Promise.all([...this.#beingRead].map(({ promise }) => promise));
          continue;
        }
        const upTo = this.#changes;
        this.#appending = this.#appendNext();
        const isAppended = await this.#appending.finally(() => (this.#appending = undefined));
        if (isAppended) this.#storedUpTo(upTo);
      }
    } catch (error) {
      this.#lose({ reason: "broken", message: messageOf(error) });
    } finally {
      // In the same step as the last look into the outbox, or else a change in between would wait for the next one.
      this.#draining = undefined;
    }
  }

  /** False: this node no longer leads. */
  async #appendNext(): Promise<boolean> {
    const { node, clock, onAppend } = this.#deps;
    const begun = clock.elapsed();
    const { seq: before, hash: previous } = this.#position;
    const seq = before + 1;
    const bytes = await encodeEntry({ seq, kind: "changes", node, previous, parts: this.#outbox.take() });
    const hash = await entryHash(bytes);
    if (!(await this.#create(seq, bytes, hash))) return false;
    this.#position = { seq, hash };
    this.#lastAppend = begun;
    this.appendedBytes += bytes.length;
    this.entries += 1;
    onAppend?.(clock.elapsed() - begun);
    return true;
  }

  async #create(seq: number, bytes: Uint8Array, hash: string): Promise<boolean> {
    const { storage, term, timers } = this.#deps;
    this.#tried = hash;
    while (this.#loss === undefined) {
      try {
        if (!(await storage.create(entryKey(seq), bytes, { sha256: hash, by: term })))
          this.#supersededBy(seq);
        this.#trouble.end();
        return this.#loss === undefined;
      } catch (error) {
        this.#trouble.failed(error, bytes.length);
        if (this.#isGivingUp()) this.#refuse(outOfTouch(), () => true);
        if (this.#trouble.isHopeless) this.#lose({ reason: "broken", message: tooLargeFor(bytes, error) });
        await pauseBy(timers, RETRY_MS, this.#stopped.signal);
      }
    }
    return false;
  }

  /** This node stops, and the storage had its time. */
  #isGivingUp(): boolean {
    return this.#trouble.isThere && this.#deps.clock.elapsed() - this.#hurriedAt >= STOP_WAIT_MS;
  }

  #storedUpTo(change: number): void {
    this.#stored = change;
    const waiting = this.#waiters;
    this.#waiters = waiting.filter(({ upTo }) => upTo > change);
    for (const { upTo, done } of waiting) if (upTo <= change) done();
  }

  /** Until it is stopped. */
  async #beat(): Promise<void> {
    const { timing, clock, timers, log } = this.#deps;
    const { signal } = this.#stopped;
    while (!signal.aborted && this.#loss === undefined) {
      const begun = clock.elapsed();
      try {
        await this.#beatOnce();
      } catch (error) {
        this.#isReturning = false;
        log.warn("cannot write the heartbeat", { error: messageOf(error) });
      }
      // A slow storage takes a part of the lease already.
      await pauseBy(timers, Math.max(0, timing.beatEvery - (clock.elapsed() - begun)), signal);
      if (this.#isLeaseOver()) this.#refuse(outOfTouch(), ({ isPatient }) => !isPatient);
    }
  }

  async #beatOnce(): Promise<void> {
    const { storage, node, term } = this.#deps;
    const begun = this.#moment();
    if (this.#trouble.isStuck) {
      // Without a heartbeat, a node whose changes the storage takes leads.
      this.#isReturning = false;
      return this.#lookForSuccessor(begun);
    }
    const { seq } = this.#position;
    await writeBeat(storage, { node, term, number: (this.#beats += 1), position: seq, released: false });
    await Promise.all([this.#lookForOwnLog(), this.#lookForSuccessor(begun)]);
    if (!this.#loss) this.#arrived(begun);
  }

  /**
   * A lease that was over begins again with the second beat: a node that missed the first one and takes over has done it by then, and the look for a
   * successor finds it.
   */
  #arrived(begun: Moment): void {
    this.#trouble.beatTook(this.#deps.clock.elapsed() - begun.elapsed);
    if (this.#isLeaseOver() && !this.#isReturning) this.#isReturning = true;
    else {
      this.#isReturning = false;
      this.#lastBeat = begun;
    }
  }

  #isLeaseOver(): boolean {
    const { elapsed, now } = this.#moment();
    const last = this.#lastBeat;
    return Math.max(elapsed - last.elapsed, now - last.now) > this.#deps.timing.leaseMs;
  }

  #moment(): Moment {
    const { clock } = this.#deps;
    return { elapsed: clock.elapsed(), now: clock.now() };
  }

  /**
   * The log tells leaders apart, so one that was out of touch cannot go on without it. One that was not still leads, and the log can be restored from
   * its data.
   */
  async #lookForOwnLog(): Promise<void> {
    const { storage, position, log } = this.#deps;
    const found = await takeoverIn(storage, position);
    if (found === "same") return;
    if (found === "other") return this.displaced();
    if (this.#isLeaseOver())
      return this.#lose({
        reason: "broken",
        message:
          "the bucket lost the replication log while this node was out of touch, and another one may lead",
      });
    if (this.lack === undefined)
      log.error("the bucket lost objects of the replication log", { missing: entryKey(position.seq) });
    this.lack ??= entryKey(position.seq);
    this.#damaged.abort();
  }

  /**
   * A node that only reads would not notice that it was replaced, if its clocks stood still meanwhile, as in a machine that was suspended, or if the
   * one that replaced it misjudged its silence. Raises errors of the storage, and `unavailable` if it cannot tell.
   */
  async #lookForSuccessor({ elapsed: begun }: Moment): Promise<void> {
    const { storage, timers, timing } = this.#deps;
    // Its own entry tells only that nobody replaced it before, so that it has to be of this look.
    do {
      const { seq } = this.#position;
      const found = await hashAt(storage, seq + 1);
      if (found === undefined) return;
      // It may be its own, with the answer on its way.
      if (this.#appending && this.#position.seq === seq)
        await Promise.race([this.#appending, pauseBy(timers, timing.beatEvery, this.#stopped.signal)]);
      if (this.#position.seq > seq) continue;
      if (this.#appending && [LARGE, this.#tried].includes(found)) throw outOfTouch();
      return this.#supersededBy(seq + 1);
    } while (this.#lastAppend < begun);
  }

  #supersededBy(seq: number): void {
    this.#lose({ reason: "superseded", message: `another node wrote entry ${seq} of the log` });
  }

  #lose(loss: Loss): void {
    if (this.#loss) return;
    this.#loss = loss;
    this.#refuse(noLongerLeads(), () => true);
    this.#deps.onSilent?.();
    for (const { resolve } of this.#beingRead) resolve();
    this.#lost.resolve(loss);
  }

  #refuse(error: AppError, which: (waiter: Waiter) => boolean): void {
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => !which(waiter));
    for (const waiter of waiting) if (which(waiter)) waiter.failed(error);
  }
}
