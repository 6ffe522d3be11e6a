// Copies of scheduled backups in an object storage, for the day on which the machine is gone with its disk. The storage itself says which archives are
// there, so nothing is copied twice, and nothing is left out after a failure or a restart.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS, SECOND_MS, rfc3339, type Clock, type Timers } from "../clock.ts";
import type { Background } from "../concurrency/background.ts";
import type { Environment } from "../environment.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { counter, gauge, type Reading } from "../metrics/metrics.ts";
import { bucketOf } from "../object-storage/bucket.ts";
import type { BucketConfig } from "../object-storage/config.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import type { BackupConfig } from "./config.ts";
import type { Named, Shelf } from "./shelf.ts";

/** A start has other work. */
const FIRST_WAIT_MS = 2 * MINUTE_MS;
const RETRY_MS = HOUR_MS;

/** Of the programs, for those whose operator set a bucket. */
export function copiesOf(
  deps: Omit<CopiesDeps, "bucket" | "keep"> & { readonly config: BackupConfig },
): Copies | undefined {
  const { copyTo: bucket, keep } = deps.config;
  return bucket && new Copies({ ...deps, bucket, keep });
}

interface CopiesDeps {
  readonly bucket: BucketConfig;
  /** Has the credentials of the object storage. */
  readonly environment: Environment;
  readonly shelf: Shelf;
  /** Scheduled archives to keep in the bucket; 0: all. */
  readonly keep: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly log: Log;
}

export interface ShownCopies {
  readonly bucket: string;
  /** When the newest archive in the bucket was made; null: there is none, as far as known. */
  readonly last_at: string | null;
  /** Why the last attempt failed; null: it did not, or there was none since the start. */
  readonly failure: string | null;
}

export class Copies {
  readonly #deps: CopiesDeps;
  readonly #stopped = new AbortController();
  #storage: ObjectStorage | undefined;
  #cancel = () => {};
  #isRunning = false;
  /** There is a newer archive than those that are being copied. */
  #isAsked = false;
  /** Of the newest archive in the bucket, in ms since the epoch. */
  #lastAt: number | undefined;
  #failure: string | undefined;
  #failures = 0;

  constructor(deps: CopiesDeps) {
    this.#deps = deps;
  }

  shown(): ShownCopies {
    const { bucket } = this.#deps.bucket;
    const last_at = this.#lastAt === undefined ? null : rfc3339(this.#lastAt);
    return { bucket, last_at, failure: this.#failure ?? null };
  }

  readings(): Reading[] {
    const newest =
      "Time of the newest scheduled backup in the bucket, in seconds since the epoch; 0: there is none";
    return [
      gauge("service_backup_copy_timestamp_seconds", newest, () => (this.#lastAt ?? 0) / SECOND_MS),
      counter(
        "service_backup_copy_failed_total",
        "Attempts to copy backups that failed",
        () => this.#failures,
      ),
    ];
  }

  /** Raises `refused` without credentials, `invalid` for a bucket that cannot be. */
  start(): void {
    const { bucket, environment } = this.#deps;
    this.#storage = bucketOf("backup.copy_to", bucket, environment);
    this.#lookAfter(FIRST_WAIT_MS);
  }

  /** Ends a copy that is under way; the next start makes it again. */
  stop(): void {
    this.#stopped.abort();
    this.#cancel();
  }

  /** Called when there is a new archive. */
  wake(): void {
    this.#cancel();
    this.#isAsked = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#deps.background.run("copy backups to the bucket", async () => {
      for (; this.#isAsked && !this.#stopped.signal.aborted; await this.#attempt()) this.#isAsked = false;
      this.#isRunning = false;
    });
  }

  #lookAfter(ms: number): void {
    this.#cancel();
    this.#cancel = this.#deps.timers.after(ms, () => this.wake());
  }

  async #attempt(): Promise<void> {
    const { log } = this.#deps;
    const { signal } = this.#stopped;
    try {
      await this.#copyMissing(signal);
      this.#failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = messageOf(error);
      this.#failures += 1;
      log.error("cannot copy backups to the bucket", { error: this.#failure });
      this.#lookAfter(RETRY_MS);
    }
  }

  async #copyMissing(signal: AbortSignal): Promise<void> {
    const { shelf, keep, log } = this.#deps;
    const storage = this.#storage!;
    const there = await this.#inBucket();
    this.#lastAt = there[0]?.time;
    const names = new Set(there.map(({ name }) => name));
    // The newest first: it is worth most.
    const kept = (await shelf.scheduled()).slice(0, keep === 0 ? Infinity : keep);
    for (const { name, time } of kept.filter((one) => !names.has(one.name))) {
      signal.throwIfAborted();
      await storage.upload(name, createReadStream(join(shelf.directory, name)), signal);
      log.info("copied a scheduled backup to the bucket", { name });
      this.#lastAt = Math.max(this.#lastAt ?? 0, time);
    }
    if (keep === 0) return;
    const old = (await this.#inBucket()).slice(keep).map(({ name }) => name);
    if (old.length === 0) return;
    await storage.remove(old);
    log.info("deleted old scheduled backups in the bucket", { deleted: old.length, kept: keep });
  }

  /** The scheduled archives of this program, newest first. */
  async #inBucket(): Promise<Named[]> {
    const names: string[] = [];
    for await (const { key } of this.#storage!.list("")) names.push(key);
    return this.#deps.shelf.namedOf(names).filter(({ isScheduled }) => isScheduled);
  }
}
