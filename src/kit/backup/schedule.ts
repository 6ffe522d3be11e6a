// Backs up again and again. The newest scheduled archive says when the next one is due, so a restart neither skips nor repeats one.

import { HOUR_MS, MINUTE_MS, SECOND_MS, rfc3339, type Clock, type Timers } from "../clock.ts";
import type { Background } from "../concurrency/background.ts";
import { accessProblem } from "../disk/disk.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { counter, gauge, type Reading } from "../metrics/metrics.ts";
import type { Begun } from "./backup-jobs.ts";
import type { BackupConfig } from "./config.ts";
import type { Copies, ShownCopies } from "./copies.ts";
import type { Shelf } from "./shelf.ts";

/** A start has other work; and a program that ends again and again must not back up each time. */
const FIRST_WAIT_MS = MINUTE_MS;
/** The clock may jump, and timers stand still while a laptop sleeps, so the clock is asked this often. */
const LOOK_MS_MAX = 5 * MINUTE_MS;
const RETRY_MS_MAX = HOUR_MS;

interface ScheduleDeps {
  readonly config: BackupConfig;
  readonly shelf: Shelf;
  /** Copies the archives elsewhere. */
  readonly copies: Copies | undefined;
  /** Starts one scheduled backup. Raises why it cannot. */
  readonly make: () => Begun<unknown>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly log: Log;
}

/** Times in ms since the epoch. */
interface ScheduleState {
  /** Undefined: none is scheduled. */
  readonly nextAt: number | undefined;
  /** The last one that succeeded, also before this start. */
  readonly lastAt: number | undefined;
  /** Of the last attempt; undefined: it succeeded, or there was none since the start. */
  readonly failure: string | undefined;
  /** Since the start. */
  readonly failures: number;
}

export interface ShownSchedule {
  /** 0: none is scheduled. */
  readonly every_hours: number;
  /** 0: all. */
  readonly keep: number;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly failure: string | null;
  /** Null: the operator set no bucket for copies. */
  readonly copies: ShownCopies | null;
}

export class BackupSchedule {
  readonly #deps: ScheduleDeps;
  readonly #everyMs: number;
  #state: ScheduleState = { nextAt: undefined, lastAt: undefined, failure: undefined, failures: 0 };
  #cancel = () => {};
  #isStopped = false;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    this.#everyMs = deps.config.everyHours * HOUR_MS;
  }

  get state(): ScheduleState {
    return this.#state;
  }

  /** The schedule in the form of the API. */
  shown(): ShownSchedule {
    const { config, copies: copier } = this.#deps;
    const { everyHours: every_hours, keep } = config;
    const { nextAt, lastAt, failure = null } = this.#state;
    const shown = (time: number | undefined) => (time === undefined ? null : rfc3339(time));
    const copies = copier?.shown() ?? null;
    return { every_hours, keep, next_at: shown(nextAt), last_at: shown(lastAt), failure, copies };
  }

  /** Empty if the operator scheduled none. */
  readings(): Reading[] {
    if (this.#everyMs === 0) return [];
    const newest = "Time of the newest scheduled backup, in seconds since the epoch; 0: there is none";
    return [
      gauge(
        "service_backup_last_success_timestamp_seconds",
        newest,
        () => (this.#state.lastAt ?? 0) / SECOND_MS,
      ),
      counter("service_backup_failed_total", "Scheduled backups that failed", () => this.#state.failures),
      ...(this.#deps.copies?.readings() ?? []),
    ];
  }

  /** Without effect if the operator scheduled none. */
  start(): void {
    if (this.#everyMs === 0) return;
    this.#deps.copies?.start();
    this.#deps.background.run("schedule of backups", async () => {
      const { clock, shelf, log } = this.#deps;
      try {
        this.#state = { ...this.#state, lastAt: await shelf.newestScheduled() };
      } catch (error) {
        const { directory } = shelf;
        log.warn("cannot read the directory for backups", { directory, error: accessProblem(error) });
      }
      const now = clock.now();
      this.#due(Math.max((this.#state.lastAt ?? 0) + this.#everyMs, now + FIRST_WAIT_MS));
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#deps.copies?.stop();
    this.#cancel();
  }

  #due(at: number): void {
    if (this.#isStopped) return;
    const { clock, timers } = this.#deps;
    const now = clock.now();
    // The clock may have been ahead when the last archive was named, or be set back.
    const nextAt = Math.min(at, now + this.#everyMs);
    this.#state = { ...this.#state, nextAt };
    this.#cancel = timers.after(Math.min(Math.max(nextAt - now, 0), LOOK_MS_MAX), () => this.#look());
  }

  #look(): void {
    if (this.#isStopped) return;
    const { background, clock } = this.#deps;
    if (clock.now() < this.#state.nextAt!) this.#due(this.#state.nextAt!);
    else background.run("scheduled backup", () => this.#attempt());
  }

  async #attempt(): Promise<void> {
    const { clock, make } = this.#deps;
    const begun = clock.now();
    const failure = await failureOf(make);
    // Stopping the program cancels it, which is no failure.
    if (this.#isStopped) return;
    if (failure !== undefined) {
      this.#failed(failure);
      this.#due(clock.now() + Math.min(this.#everyMs, RETRY_MS_MAX));
      return;
    }
    this.#deps.log.info("made a scheduled backup");
    this.#state = { ...this.#state, lastAt: begun, failure: undefined };
    await this.#clearUp();
    this.#deps.copies?.wake();
    this.#due(begun + this.#everyMs);
  }

  #failed(failure: string): void {
    this.#deps.log.error("the scheduled backup failed", { error: failure });
    this.#state = { ...this.#state, failure, failures: this.#state.failures + 1 };
  }

  async #clearUp(): Promise<void> {
    const { clock, config, shelf, log } = this.#deps;
    try {
      await shelf.clearLeftovers(clock.now());
      if (config.keep === 0) return;
      for (const name of await shelf.prune(config.keep))
        log.info("deleted an old scheduled backup", { name, kept: config.keep });
    } catch (error) {
      log.error("cannot delete old scheduled backups", {
        directory: shelf.directory,
        error: accessProblem(error),
      });
    }
  }
}

async function failureOf(make: () => Begun<unknown>): Promise<string | undefined> {
  try {
    const { shown, ended } = make();
    await ended;
    return shown.error?.message;
  } catch (error) {
    return messageOf(error);
  }
}
