// Keeps a copy in sync: follows the server's events and watches the folder; polls while there are no events; backs off after failures. Between
// cycles it holds nothing open but the event stream, and waits without using the processor.

import { rfc3339, systemTimers, type Clock, type Timers } from "../../kit/clock.ts";
import { pauseBy } from "../../kit/concurrency/deadline.ts";
import { AppError, messageOf, retryAfterSeconds, type ErrorCode } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Client } from "../client/client.ts";
import type { Head } from "../versioned-store/engine.ts";
import { parseHead } from "../versioned-store/head.ts";
import { BackOff, INTERVAL_MS } from "./backoff.ts";
import { runCycle } from "./cycle.ts";
import { writeStatus, type DaemonStatus } from "./daemon-status.ts";
import { Following } from "./following.ts";
import { LocalCopy } from "./local-copy.ts";
import { hasLocalNews } from "./local-news.ts";
import { Pace } from "./pace.ts";
import { hasChanges, type SyncReport } from "./report.ts";
import { ServerNews } from "./server-news.ts";
import { ServerSpace } from "./server-space.ts";
import { openReplicaState } from "./state.ts";
import { TreeWatch, type Changed } from "./watch.ts";

/** While everything is watched, a look at the whole folder finds what the system did not report. */
const FULL_LOOK_MS = 15 * 60_000;
/** Between two looks at the clocks. */
const TICK_MS = 30_000;
/** The wall clock ran ahead by more than this: the machine slept. */
const SLEPT_MS = 20_000;
/** A file that is gone may be a save in progress. */
const DELETE_GRACE_MS = 500;

/** The code of a failure that ends when the server can be reached again. */
const CONNECTION_FAILED: ErrorCode = "unavailable";

interface DaemonDeps {
  readonly directory: string;
  /** For each connection: the token may have changed. Raises what keeps the folder from syncing. */
  readonly connect: (signal: AbortSignal) => Promise<Client>;
  /** Says an error of the server so that a person knows what to do. */
  readonly inWords?: (error: unknown) => unknown;
  readonly clock: Clock;
  readonly log: Log;
  readonly pid: number;
  readonly timers?: Timers;
  /** For tests. */
  readonly noticesEveryChange?: (directory: string) => boolean;
  readonly intervalMs?: number;
  readonly tickMs?: number;
}

export class Daemon {
  readonly #deps: DaemonDeps;
  readonly #timers: Timers;
  readonly #backOff: BackOff;
  readonly #pace: Pace;
  readonly #following: Following;
  readonly #watch: TreeWatch;
  readonly #stop = new AbortController();
  #cycleStop = new AbortController();
  /** Local paths to look at. */
  #paths: Set<string> | "everything" = "everything";
  readonly #news = new ServerNews();
  #fullLookAt = 0;
  #wake = () => {};
  #status: DaemonStatus;

  constructor(deps: DaemonDeps) {
    const { timers = systemTimers, intervalMs } = deps;
    this.#deps = deps;
    this.#timers = timers;
    const elapsed = () => deps.clock.elapsed();
    this.#backOff = new BackOff(elapsed, intervalMs);
    this.#pace = new Pace(elapsed);
    this.#following = new Following({
      ...deps,
      timers,
      intervalMs,
      onConnected: (isConnected) => this.#noteConnection(isConnected),
      onEvent: (head) => this.#noteServer(head),
    });
    this.#watch = new TreeWatch(deps.log, (changed) => this.#noteLocal(changed), deps.noticesEveryChange);
    this.#status = {
      pid: deps.pid,
      started_at: rfc3339(deps.clock.now()),
      connected: false,
      synced_at: null,
      failures: 0,
      problem: null,
      next_try_at: null,
    };
  }

  /** Resolves after `stop`, when the cycle under way has ended. */
  async run(): Promise<void> {
    const { directory, log } = this.#deps;
    log.info("the daemon started", { directory });
    this.#tell({});
    this.#watch.start(directory);
    const unwatchClocks = this.#watchClocks();
    const following = this.#following.run();
    try {
      while (!this.#stop.signal.aborted) {
        await this.#untilDue();
        if (!this.#stop.signal.aborted) await this.#cycle();
      }
    } finally {
      unwatchClocks();
      this.#watch.stop();
      this.#following.stop();
      await following;
      log.info("the daemon stopped");
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#following.stop();
    this.#wake();
  }

  #noteLocal(changed: Changed): void {
    if (changed === "nudged") this.#backOff.hurry();
    else if (changed === "everything") this.#paths = "everything";
    else if (this.#paths !== "everything") for (const path of changed) this.#paths.add(path);
    this.#wake();
  }

  #noteServer(head?: Head): void {
    this.#news.note(head);
    this.#wake();
  }

  #noteConnection(connected: boolean): void {
    this.#tell({ connected });
    if (!connected) return this.#wake();
    // A server that was away is back. Another failure, such as a history that a person has to agree to, is still there.
    if (this.#status.problem?.code === CONNECTION_FAILED) this.#backOff.hurry();
    // Changes from before the stream opened had no event.
    this.#noteServer();
  }

  get #hasNews(): boolean {
    return this.#news.isPending || this.#paths === "everything" || this.#paths.size > 0;
  }

  /** Waits for news or the next regular look; after a failure, for the end of the back-off. */
  async #untilDue(): Promise<void> {
    for (;;) {
      const waitMs = this.#waitMs;
      if (this.#stop.signal.aborted || waitMs <= 0) return;
      await this.#sleep(waitMs);
    }
  }

  get #waitMs(): number {
    if (this.#backOff.failures > 0) return this.#backOff.waitMs;
    if (this.#hasNews) return this.#pace.waitMs;
    const isWatched = this.#following.isConnected && this.#watch.isWatching;
    return isWatched ? this.#fullLookInMs : this.#backOff.waitMs;
  }

  get #fullLookMs(): number {
    const { intervalMs = INTERVAL_MS } = this.#deps;
    return this.#watch.isWatching ? FULL_LOOK_MS : intervalMs;
  }

  get #fullLookInMs(): number {
    return this.#fullLookAt - this.#deps.clock.elapsed();
  }

  /** Until `ms` have passed, news, or the end. */
  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#stop.signal.aborted) this.#wake();
    });
  }

  async #cycle(): Promise<void> {
    const isFull = this.#paths === "everything" || !this.#hasNews || this.#fullLookInMs <= 0;
    const paths = isFull ? undefined : (this.#paths as Set<string>);
    const isServers = this.#news.isPending || isFull;
    this.#paths = new Set();
    // Here, because a wake-up between two cycles aborts neither of them.
    this.#cycleStop = new AbortController();
    try {
      const report = await this.#sync(paths, isServers);
      // Files that kept changing, or a delete that is still under way.
      if (report && report.waiting.length > 0) this.#paths = "everything";
      if (isFull) this.#fullLookAt = this.#deps.clock.elapsed() + this.#fullLookMs;
      this.#backOff.succeeded();
      if (report) this.#tellReport(report);
      else if (this.#status.problem) this.#tellSuccess();
    } catch (error) {
      // The state on disk has changed, so the list of paths to check is no longer known: check all of them.
      this.#paths = "everything";
      this.#backOff.failed(retryAfterSeconds(error));
      // Aborted by waking up.
      if (this.#cycleStop.signal.aborted) this.#backOff.hurry();
      this.#tellFailure(error);
    }
  }

  /** Undefined: nothing to do. */
  async #sync(paths: ReadonlySet<string> | undefined, isServers: boolean): Promise<SyncReport | undefined> {
    const { directory, clock, log, connect } = this.#deps;
    using state = await openReplicaState(directory, { clock });
    let client: Client | undefined;
    try {
      const local = new LocalCopy(directory, { clock, log });
      if (!isServers && paths && !(await hasLocalNews(state, local, paths))) return undefined;
      const signal = AbortSignal.any([this.#stop.signal, this.#cycleStop.signal]);
      client = await connect(signal);
      const server = new ServerSpace(client, state.origin!.space, signal);
      // Never cut short: the file may come back.
      const deleteGrace = () => pauseBy(this.#timers, DELETE_GRACE_MS);
      this.#news.asking();
      const report = await runCycle(
        { state, server, local, clock },
        { direction: "both", paths, deleteGrace },
      );
      this.#news.learned(parseHead("head", report.head));
      // Of a cycle that fails, the back-off is the longer wait.
      this.#pace.spent(server.requests);
      return report;
    } finally {
      await client?.close();
    }
  }

  /** After sleep, timers and connections are stale. Returns a function that ends the watch. */
  #watchClocks(): () => void {
    const { clock, log, tickMs = TICK_MS } = this.#deps;
    let wall = clock.now();
    const look = () => {
      cancel = this.#timers.after(tickMs, look);
      // A monotonic clock may stand still during sleep.
      const now = clock.now();
      const slept = now - wall - tickMs;
      wall = now;
      if (slept < SLEPT_MS) return;
      log.info("the machine slept", { ms: Math.round(slept) });
      this.#paths = "everything";
      this.#backOff.hurry();
      this.#following.reconnect();
      this.#cycleStop.abort();
      this.#noteServer();
    };
    let cancel = this.#timers.after(tickMs, look);
    return () => cancel();
  }

  #tellReport(report: SyncReport): void {
    const { pulled, removed, pushed, withdrawn, merged, conflicts, held, behind } = report;
    if (hasChanges(report))
      this.#deps.log.info("synced", {
        pulled: pulled.length,
        removed: removed.length,
        pushed: pushed.length,
        withdrawn: withdrawn.length,
        merged: merged.length,
        conflicts: conflicts.length,
      });
    for (const { path, copy } of conflicts) this.#deps.log.warn("a conflict was opened", { path, copy });
    for (const { path, reason } of held) this.#deps.log.warn("a change was refused", { path, reason });
    for (const { path, reason } of behind) this.#deps.log.warn("the disk refused a file", { path, reason });
    if (hasChanges(report) || this.#status.problem || this.#status.synced_at === null) this.#tellSuccess();
  }

  #tellSuccess(): void {
    const synced_at = rfc3339(this.#deps.clock.now());
    this.#tell({ synced_at, failures: 0, problem: null, next_try_at: null });
  }

  #tellFailure(error: unknown): void {
    const { failures, waitMs } = this.#backOff;
    const code = error instanceof AppError ? error.code : "internal";
    const next_try_at = rfc3339(this.#deps.clock.now() + waitMs);
    const message = this.#said(error);
    this.#deps.log.warn("cannot sync", { error: message, failures, next_try_at });
    this.#tell({ failures, problem: { code, message }, next_try_at });
  }

  #said(error: unknown): string {
    return messageOf(this.#deps.inWords?.(error) ?? error);
  }

  #tell(change: Partial<DaemonStatus>): void {
    this.#status = { ...this.#status, ...change };
    try {
      writeStatus(this.#deps.directory, this.#status);
    } catch (error) {
      this.#deps.log.warn("cannot write the daemon's status", { error: messageOf(error) });
    }
  }
}
