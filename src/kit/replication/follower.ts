// A node that does not lead: copies a snapshot and the entries after it into its own files, watches the leader, and takes its place when its
// heartbeats end. A takeover is an entry of the log, so that of two nodes only one succeeds, and only one that has every entry before it.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timers } from "../clock.ts";
import { pauseBy } from "../concurrency/deadline.ts";
import { PRIVATE_DIRECTORY_MODE } from "../disk/modes.ts";
import { AppError, messageOf } from "../error.ts";
import { probeDirectory } from "../health.ts";
import { randomHex } from "../random.ts";
import { fullDisk, storageReasonOf } from "../storage-error.ts";
import { readBeat, type Beat, type Timing } from "./beat.ts";
import { encodeEntry, entryHash, type Entry } from "./entry.ts";
import type { Moment, Position } from "./leader.ts";
import { Joining, type JoiningDeps } from "./joining.ts";
import { writeState, type LocalState } from "./local-state.ts";
import { markFiles } from "./file-marks.ts";
import type { LogMarks } from "./log-inventory.ts";
import {
  beginningIn,
  entriesAfter,
  isLack,
  isTakeover,
  isUnconnected,
  mayPass,
  missing,
  requireShared,
  type ReadEntries,
  type ReadEntry,
} from "./log-entries.ts";
import { entryKey } from "./places.ts";
import { applyEntries, removeDurably, replaceNames } from "./replica-files.ts";
import { newestSnapshot, restoreFiles, type Manifest } from "./snapshot.ts";

/** Of this node before it followed: the last one that it wrote, and one that was on its way. */
const OWN_BEATS_MAX = 2;
/** In the data directory: the files of a snapshot, until they are complete. */
const BUILD = "replication-snapshot";
const TERM_BITS = 64;

interface FollowerDeps extends JoiningDeps {
  readonly node: string;
  readonly timing: Timing;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Prepares what is derived from these files; undefined: from all. Called when they have changed, and before a takeover. */
  readonly prepare: (files: ReadonlySet<string> | undefined, signal: AbortSignal) => Promise<void>;
}

/** This node leads from here on. */
export interface Takeover {
  readonly position: Position;
  /** They prove that the log is still this one. */
  readonly marks: LogMarks;
  /** Random, of this term of leadership. */
  readonly term: string;
  /** No other node took over after this node before then. */
  readonly begun: Moment;
  readonly takeovers: readonly number[];
  /** The entry after which the newest snapshot begins; undefined: there is none. */
  readonly snapshot: number | undefined;
}

export class Follower {
  readonly #deps: FollowerDeps;
  #state: LocalState | undefined;
  /** The last beat that differed from the one before it. */
  #beat: Beat | undefined;
  /** On the monotonic clock: when the last beat or takeover was seen. */
  #lifeSeen: number;
  /** Beats of a leader with the name of this node. */
  #ownBeats = 0;
  /** The highest number of a beat of the last term in which this node led. */
  #ownNumber = -1;
  /** The files that changed since what is derived from them was prepared; undefined: all. */
  #unprepared: Set<string> | undefined;
  #lastProblem: string | undefined;
  /** The leader with which this node was last told to have caught up. */
  #caughtUpWith: string | undefined;
  readonly #joining: Joining;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#joining = new Joining(deps);
    this.#lifeSeen = deps.clock.elapsed();
  }

  /** The name of the node that leads, as far as known. */
  get leader(): string | undefined {
    return this.#beat?.released === false ? this.#beat.node || undefined : undefined;
  }

  /** The last entry that the leader was seen to write. */
  get leaderPosition(): number | undefined {
    return this.#beat?.position;
  }

  /** Why it could not follow at its last look. */
  get problem(): string | undefined {
    return this.#lastProblem;
  }

  /** Since the last heartbeat of a leader, or of the object storage that has it. */
  get silentMs(): number {
    return this.#deps.clock.elapsed() - this.#lifeSeen;
  }

  /** The last entry in the files of this node; undefined: it has no files yet. */
  get position(): number | undefined {
    return this.#state?.files === "exact" ? this.#state.seq : undefined;
  }

  /**
   * Follows until this node has taken over; undefined: until the signal. Waits while the object storage or the disk fails, and for objects that the
   * log lacks, because a leader restores them. Raises `refused` or `invalid` for what time does not mend: foreign data in the directory, a foreign or
   * damaged log, another node of the same name.
   */
  async follow(signal: AbortSignal): Promise<Takeover | undefined> {
    const { timers, timing, log } = this.#deps;
    while (!signal.aborted) {
      let lacks = false;
      try {
        const taken = await this.#look(signal);
        if (taken) return taken;
        this.#lastProblem = undefined;
      } catch (error) {
        if (signal.aborted) break;
        if (!mayPass(error) && !isLack(error)) {
          await this.#leaveMarks();
          throw error;
        }
        const problem = problemOf(error, this.#deps.directory);
        // Once per outage.
        if (this.#lastProblem === undefined)
          log.warn("cannot follow the replication log", { error: problem });
        this.#lastProblem = problem;
        this.#caughtUpWith = undefined;
        lacks = isLack(error);
      }
      // Each look may copy a snapshot up to the object that is missing, and the leader restores it within a minute or later.
      await pauseBy(timers, lacks ? timing.takeoverAfter : timing.lookEvery, signal);
    }
    await this.#leaveMarks();
    return undefined;
  }

  /** Without marks, the next start does not look for changes. */
  async #leaveMarks(): Promise<void> {
    if (this.#state?.files === "exact") await markFiles(this.#deps, this.#state).catch(() => {});
  }

  async #look(signal: AbortSignal): Promise<Takeover | undefined> {
    this.#state ??= await this.#joining.state();
    if (this.#state === undefined) return undefined;
    await this.#readBeat();
    const isLeaderless = this.#isLeaderless(); // Judged now, because a leader lives on while this node copies.
    if (!(await this.#isCurrent(this.#beat?.position ?? 0, signal))) return undefined;
    await this.#prepare(signal);
    this.#tellCaughtUp();
    return isLeaderless ? this.#takeOver(signal) : undefined;
  }

  /** Once for each leader, and after each outage. */
  #tellCaughtUp(): void {
    const { leader } = this;
    if (leader === undefined || leader === this.#caughtUpWith) return;
    this.#caughtUpWith = leader;
    this.#deps.log.info("caught up with the leader", { leader, entry: this.#state!.seq });
  }

  /** Returns whether there is a new one. */
  async #readBeat(): Promise<boolean> {
    const { storage, clock } = this.#deps;
    try {
      const beat = await readBeat(storage);
      const isNew = beat?.term !== this.#beat?.term || beat?.number !== this.#beat?.number;
      if (isNew) this.#sawBeat(beat);
      return isNew;
    } catch (error) {
      // The leader may be out of touch, too, and gets its time when the storage is back.
      this.#lifeSeen = clock.elapsed();
      throw error;
    }
  }

  #sawBeat(beat: Beat | undefined): void {
    const { clock, node } = this.#deps;
    this.#beat = beat;
    this.#lifeSeen = clock.elapsed();
    if (beat?.node !== node || beat.released) return;
    if (beat.term === this.#state?.lead?.term) {
      // The storage may apply an earlier one late, or again.
      if (beat.number <= this.#ownNumber) return;
      this.#ownNumber = beat.number;
    }
    this.#ownBeats += 1;
    if (this.#ownBeats > OWN_BEATS_MAX)
      throw new AppError(
        "refused",
        `another node has the name "${node}", too; set a replication.node of its own for each`,
      );
  }

  /**
   * Gives the leader the time that it needs for a beat, also one that has just taken over, so that nodes that start together do not depose each
   * other. A leader that was this node before a restart gets less, because nobody answers from its directory; its term proves that, its name does not.
   */
  #isLeaderless(): boolean {
    const { clock, timing } = this.#deps;
    const { takeovers, lead } = this.#state!;
    const lastTakeover = takeovers.at(-1) ?? 0;
    const beat = this.#beat && this.#beat.position >= lastTakeover ? this.#beat : undefined;
    if (beat ? beat.released : lastTakeover === 0) return true;
    const isOwn = lead?.seq === lastTakeover && (beat?.term ?? lead.term) === lead.term;
    return clock.elapsed() - this.#lifeSeen > (isOwn ? 2 * timing.beatEvery : timing.takeoverAfter);
  }

  async #stored(state: LocalState): Promise<LocalState> {
    await writeState(this.#deps.directory, state);
    return (this.#state = state);
  }

  /** Applies the entries up to this one. False: there is no snapshot to join with yet. */
  async #isCurrent(position: number, signal: AbortSignal): Promise<boolean> {
    if (this.#state!.files !== "exact") {
      const manifest = await this.#newestSnapshot();
      // The files of a leader that ended before its first snapshot are the only ones with everything.
      if (!manifest) return this.#state!.files === "ahead";
      await this.#restore(manifest, signal);
    }
    while (this.#state!.seq < position && !signal.aborted) {
      if (await this.#applied(position, signal)) continue;
      const manifest = await this.#newestSnapshot();
      if (!manifest || manifest.after <= this.#state!.seq) throw missing(this.#state!.seq + 1);
      await this.#restore(manifest, signal);
    }
    return !signal.aborted;
  }

  /** Undefined: there is none that counts. */
  async #newestSnapshot(): Promise<Manifest | undefined> {
    const found = await newestSnapshot(this.#deps.storage);
    return found && found.after >= (this.#state?.beginning ?? 0) ? found : undefined;
  }

  /** Replaces the files by a snapshot and the entries that complete it, or by a newer one if the leader removes it meanwhile. */
  async #restore(manifest: Manifest, signal: AbortSignal): Promise<void> {
    try {
      await this.#restoreOnly(manifest, signal);
    } catch (error) {
      if (!isLack(error)) throw error;
      const newest = await this.#newestSnapshot();
      if (!newest || newest.after <= manifest.after) throw error;
      await this.#restore(newest, signal);
    }
  }

  /**
   * Builds the files beside those that are there, which are the only whole copy if the object storage turns out to be damaged, or the snapshot not to
   * count, and puts them in their place at the end.
   */
  async #restoreOnly(manifest: Manifest, signal: AbortSignal): Promise<void> {
    const { storage, directory, names, log } = this.#deps;
    const { after: seq, hash, takeovers, complete } = manifest;
    requireShared(names, manifest.files, "the newest snapshot");
    log.info("copying a snapshot", { after: seq, files: manifest.files.length });
    const build = join(directory, BUILD);
    await removeDurably(build);
    await mkdir(build, { mode: PRIVATE_DIRECTORY_MODE });
    await restoreFiles(storage, build, manifest, signal);
    let state: LocalState = { ...this.#state!, seq, hash, takeovers, files: "building" };
    // The files of a leader make way only for all of the log. It may grow as fast as entries are read one by one.
    const isOfLeader = this.#state!.files === "ahead";
    for (let isEnd = !isOfLeader; state.seq < complete || !isEnd;) {
      signal.throwIfAborted();
      const found = await this.#entriesAfter(state, isOfLeader ? Infinity : complete - state.seq);
      if (found.isEnd && state.seq + found.entries.length < complete)
        throw missing(state.seq + found.entries.length + 1);
      isEnd ||= found.isEnd;
      if (found.entries.length === 0) continue;
      await this.#requireSame(found.entries, this.#state!.files);
      await applyEntries(build, found.entries);
      state = stateAfter(state, found.entries);
    }
    signal.throwIfAborted();
    this.#unprepared = undefined;
    if (state.takeovers.at(-1) !== this.#state!.takeovers.at(-1)) this.#lifeSeen = this.#deps.clock.elapsed();
    await this.#stored({ ...state, files: "building" });
    await replaceNames(build, directory, names);
    await this.#stored({ ...state, files: "exact" });
  }

  /** Applies the next entries, at least up to this one if they are not too many at once. False: the log has no next entry. */
  async #applied(position: number, signal: AbortSignal): Promise<boolean> {
    const state = this.#state!;
    try {
      const { entries } = await this.#entriesAfter(state, Math.max(1, position - state.seq));
      if (entries.length === 0) return false;
      await this.#requireSame(entries, "building");
      await applyEntries(this.#deps.directory, entries, { isComplete: state.files === "exact" });
      for (const { file } of entries.flatMap(({ parts }) => parts)) this.#unprepared?.add(file);
      await this.#advanced(entries);
    } catch (error) {
      if (isUnconnected(error)) await this.#leaveFork(error, signal);
      else if (isLack(error)) {
        await this.#stored({ ...state, files: "building" });
        throw new AppError("unavailable", `${messageOf(error)}; copying all data again`);
      } else throw error;
    }
    return true;
  }

  /** The number of a trimmed entry is free, so that a node that slept may have taken it, and this node may have followed. */
  async #leaveFork(error: unknown, signal: AbortSignal): Promise<void> {
    const { seq, hash } = this.#state!;
    const manifest = await this.#newestSnapshot();
    if (!manifest || manifest.after < seq || manifest.hash === hash) throw error;
    await this.#restore(manifest, signal);
  }

  /** Raises `unavailable` for a beginning, with which files made from the entries before it are worthless. `files`: this node's from then on. */
  async #requireSame(entries: readonly Entry[], files: LocalState["files"]): Promise<void> {
    const beginning = beginningIn(entries);
    if (beginning === undefined) return;
    await this.#stored({ ...this.#state!, beginning, files });
    throw new AppError("unavailable", `entry ${beginning} begins with other data; copying all data again`);
  }

  async #advanced(entries: readonly ReadEntry[]): Promise<void> {
    if (entries.some(isTakeover)) this.#lifeSeen = this.#deps.clock.elapsed();
    await this.#stored(stateAfter(this.#state!, entries));
  }

  #entriesAfter(last: Position, count: number): Promise<ReadEntries> {
    const { storage, names } = this.#deps;
    return entriesAfter({ storage, names }, last, count);
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    if (this.#unprepared?.size === 0) return;
    await this.#deps.prepare(this.#unprepared, signal);
    if (!signal.aborted) this.#unprepared = new Set();
  }

  /** Undefined: another node was first, or the leader lives. */
  async #takeOver(signal: AbortSignal): Promise<Takeover | undefined> {
    const { storage, node, directory, clock, log } = this.#deps;
    const last = this.#state!.takeovers.at(-1);
    const kind = this.#state!.files === "ahead" ? "beginning" : "takeover";
    if (kind === "beginning") await this.#skipToEnd();
    else while (!signal.aborted && (await this.#applied(0, signal)));
    const newest = await this.#newestSnapshot();
    // The number is free because its entry was trimmed, and no heartbeat told of it.
    if (newest && newest.after > this.#state!.seq) return void (await this.#restore(newest, signal));
    await this.#prepare(signal);
    const state = this.#state!;
    if (signal.aborted || state.takeovers.at(-1) !== last) return undefined;
    // A node that cannot note its lead would keep the others from leading.
    await probeDirectory(directory);
    // A leader may have come back while this node prepared.
    if (await this.#readBeat()) return undefined;
    const begun = { elapsed: clock.elapsed(), now: clock.now() };
    const seq = state.seq + 1;
    const bytes = await encodeEntry({ seq, kind, node, previous: state.hash, parts: [] });
    const term = randomHex(TERM_BITS);
    const isFirst = await storage.create(entryKey(seq), bytes, { by: term });
    if (!isFirst) log.info("another node leads", { entry: seq });
    if (!isFirst || (await this.#isInVain(seq))) {
      this.#lifeSeen = clock.elapsed();
      return undefined;
    }
    const snapshot = kind === "beginning" ? undefined : newest?.after;
    const takeovers = [...state.takeovers, seq];
    const position = { seq, hash: await entryHash(bytes) };
    const beginning = kind === "beginning" && { beginning: seq };
    const lead = { term, seq };
    await this.#stored({ ...state, ...position, takeovers, lead, ...beginning, files: "ahead" });
    const marks = { cluster: state.cluster, takeover: { seq, bytes } };
    return { position, marks, term, begun, takeovers, snapshot };
  }

  /**
   * Reports whether this node may not lead although it created the entry: the number was free because its entry was trimmed while this node slept, or
   * a leader gave a heartbeat at the last moment, so that it may answer for the length of its lease.
   */
  async #isInVain(seq: number): Promise<boolean> {
    const newest = await newestSnapshot(this.#deps.storage);
    return (newest !== undefined && newest.after >= seq) || (await this.#readBeat());
  }

  /**
   * For a leader that ended before its first snapshot: its files have everything that is in its log, and perhaps more. They are kept, and the log goes
   * on after its last entry. Nobody has followed it, unless the snapshot arrives now, so its takeover is a beginning.
   */
  async #skipToEnd(): Promise<void> {
    for (;;) {
      const { entries } = await this.#entriesAfter(this.#state!, 1);
      if (entries.length === 0) return;
      await this.#advanced(entries);
    }
  }
}

/** Says how it ends. */
function problemOf(error: unknown, directory: string): string {
  if (storageReasonOf(error) === "full") return fullDisk(directory).message;
  return isLack(error) ? `${messageOf(error)}; waiting until a leader restores it` : messageOf(error);
}

function stateAfter({ takeovers, ...state }: LocalState, entries: readonly ReadEntry[]): LocalState {
  const { seq, hash } = entries.at(-1)!;
  const taken = entries.filter(isTakeover).map((entry) => entry.seq);
  return { ...state, seq, hash, takeovers: [...takeovers, ...taken] };
}
