// Snapshots of a server that leads, for nodes that join and so that the log stays short. They are made while writes continue.

import { createReadStream, existsSync } from "node:fs";
import { DAY_MS, HOUR_MS, MINUTE_MS, rfc3339, type Clock, type Timers } from "../../kit/clock.ts";
import { pauseBy } from "../../kit/concurrency/deadline.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { chunksOf } from "../../kit/backup/members.ts";
import { placeBelow } from "../../kit/disk/place-below.ts";
import type { ObjectStorage } from "../../kit/object-storage/object-storage.ts";
import type { Leader } from "../../kit/replication/leader.ts";
import { lackIn, restoreMarks, type LogMarks } from "../../kit/replication/log-inventory.ts";
import { finishSnapshot, uploadFiles, type SnapshotFile } from "../../kit/replication/snapshot.ts";
import { calm, freeze, recordsOf, thaw, type Moment, type MomentDeps } from "../backup/moment.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { spaceFilePath } from "../spaces/space-file.ts";
import { AUDIT_FILE, hasWal, SERVER_DATABASE, spaceFolder } from "./copied-files.ts";

const LOOK_EVERY_MS = MINUTE_MS;
/** A log of this size is worth a snapshot, and for much data half of the data's size. */
const LOG_BYTES_MIN = 64 * 1024 * 1024;
/** A node that joins reads the entries one by one. */
const ENTRIES_MAX = 5_000;

interface SnapshotsDeps extends MomentDeps {
  /** The data directory. */
  readonly directory: string;
  readonly engine: EngineKind;
  readonly leader: Leader;
  readonly storage: ObjectStorage;
  readonly takeovers: readonly number[];
  readonly marks: LogMarks;
  /** Leaves the check of the shared key again if it is missing. */
  readonly restoreKeyCheck: () => Promise<void>;
  /** A snapshot of an earlier leader exists. */
  readonly hasOne: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** The leader's counts at the last snapshot. */
interface Last {
  readonly bytes: number;
  readonly entries: number;
  /** On the monotonic clock. */
  readonly time: number;
  /** Of its files, unpacked; 0: unknown. */
  readonly size: number;
}

export class Snapshots {
  readonly #deps: SnapshotsDeps;
  #last: Last | undefined;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  /** It has looked at the log because the leader found it damaged. */
  #wasAlerted = false;

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps;
    if (deps.hasOne) this.#last = { bytes: 0, entries: 0, time: deps.clock.elapsed(), size: 0 };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Called before the databases are closed. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { leader, log } = this.#deps;
    const { signal } = this.#stopped;
    let isRepeated = false;
    while (!signal.aborted) {
      try {
        await this.#look(signal);
        leader.isSnapshotFailing = false;
        isRepeated = false;
      } catch (error) {
        // The storage may be out of reach for a moment, which the leader notices by itself.
        leader.isSnapshotFailing = !signal.aborted && (isRepeated || !isOutOfReach(error));
        isRepeated = true;
        if (!signal.aborted) log.warn("cannot make a snapshot for other nodes", { error: messageOf(error) });
      }
      await this.#pause(signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    if (this.#last === undefined) return this.#makeFirst(signal);
    if (await this.#isDamaged()) return this.#restoreLog(signal);
    if (this.#isDue()) await this.#make(signal);
  }

  /** Nobody can join before it, and it must not end up in another log. */
  async #makeFirst(signal: AbortSignal): Promise<void> {
    const { leader, storage, marks } = this.#deps;
    leader.requireLead();
    if (!(await restoreMarks(storage, marks))) return leader.displaced();
    await this.#make(signal);
  }

  async #isDamaged(): Promise<boolean> {
    const { leader, storage, marks, log } = this.#deps;
    const missing = await lackIn(storage, marks, leader.position.seq);
    if (missing !== undefined && leader.lack === undefined)
      log.error("the bucket lost objects of the replication log", { missing });
    leader.lack = missing;
    return missing !== undefined;
  }

  /** From the data of this node, which has all of it. */
  async #restoreLog(signal: AbortSignal): Promise<void> {
    const { leader, storage, marks, restoreKeyCheck, log } = this.#deps;
    // A node that was replaced must not make its place look free again.
    leader.requireLead();
    if (!(await restoreMarks(storage, marks))) return leader.displaced();
    await restoreKeyCheck();
    await this.#make(signal);
    if (!(await this.#isDamaged())) log.info("restored the replication log from the data of this node");
  }

  /** A loss that the leader finds ends it, once. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { leader, timers } = this.#deps;
    const { damaged } = leader;
    const isNews = !this.#wasAlerted;
    await pauseBy(timers, LOOK_EVERY_MS, isNews ? AbortSignal.any([signal, damaged]) : signal);
    this.#wasAlerted = damaged.aborted;
  }

  #isDue(): boolean {
    const { leader, clock } = this.#deps;
    const { bytes, entries, time, size } = this.#last!;
    const [newBytes, newEntries] = [leader.appendedBytes - bytes, leader.entries - entries];
    const age = clock.elapsed() - time;
    if (newBytes >= Math.max(LOG_BYTES_MIN, size / 2)) return true;
    return (newEntries >= ENTRIES_MAX && age >= HOUR_MS) || (newEntries > 0 && age >= DAY_MS);
  }

  async #make(signal: AbortSignal): Promise<void> {
    const { leader, storage, spaces, takeovers, clock, log } = this.#deps;
    await calm(this.#deps, "nodes", signal);
    const moment = freeze(this.#deps, "nodes");
    const { seq: after, hash } = leader.position;
    const [bytes, entries, time] = [leader.appendedBytes, leader.entries, clock.elapsed()];
    const unopened = spaces.names().filter((name) => !moment.spaces.some((one) => one.name === name));
    const uploading = uploadFiles(storage, after, this.#filesOf(moment, unopened), signal);
    const files = await uploading.finally(() => thaw(this.#deps, moment));
    await this.#requireRemoved(moment, files);
    // The files may show changes that are not in the log yet.
    await leader.allSettled();
    const complete = leader.position.seq;
    const created_at = rfc3339(moment.time);
    await finishSnapshot(storage, { after, hash, complete, created_at, takeovers: [...takeovers], files });
    const size = files.reduce((sum, file) => sum + file.size, 0);
    this.#last = { bytes, entries, time, size };
    leader.snapshotTime = moment.time;
    log.info("made a snapshot for other nodes", { after, bytes: size });
  }

  /**
   * Of a space that cannot be opened: its database as it is, or else the file that shows that there was one. Other nodes have the same problem then, and
   * do not take the space for removed. Nobody writes to it. Raises `refused` if only a part of it is in the file.
   */
  #unopenedFile(name: string): SnapshotFile {
    const { directory, engine } = this.#deps;
    const folder = spaceFolder(directory, name);
    const database = engine.databaseOf(folder);
    if (hasWal(database))
      throw new AppError(
        "refused",
        `the space ${name} cannot be opened, and ${database} has changes in its WAL`,
      );
    const path = existsSync(database) ? database : spaceFilePath(folder);
    return { file: placeBelow(directory, path), content: createReadStream(path) };
  }

  /** The log must have the removal of each space that the snapshot lacks. Raises `unavailable` for one that was not removed, or made again. */
  async #requireRemoved(
    { spaces: frozen }: Moment,
    files: readonly Pick<SnapshotFile, "file">[],
  ): Promise<void> {
    const { spaces } = this.#deps;
    const uploaded = new Set(files.map(({ file }) => file));
    for (const { name } of frozen) {
      if (uploaded.has(this.#databaseOf(name))) continue;
      await spaces.removalOf(name);
      if (spaces.exists(name)) throw new AppError("unavailable", `${name}: the space was replaced meanwhile`);
    }
  }

  #databaseOf(name: string): string {
    const { directory, engine } = this.#deps;
    return placeBelow(directory, engine.databaseOf(spaceFolder(directory, name)));
  }

  /** `unopened`: the names of the spaces that cannot be opened. */
  *#filesOf(moment: Moment, unopened: readonly string[]): Generator<SnapshotFile> {
    const { spaces } = this.#deps;
    yield { file: SERVER_DATABASE, content: chunksOf(moment.server) };
    yield { file: AUDIT_FILE, content: recordsOf(moment) };
    for (const { name, database } of moment.spaces) {
      const isGone = () => !spaces.exists(name);
      yield { file: this.#databaseOf(name), content: chunksOf(database), isGone };
    }
    for (const name of unopened) yield this.#unopenedFile(name);
  }
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}
