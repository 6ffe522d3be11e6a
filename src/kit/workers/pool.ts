// Runs bounded work off the main thread, so that no user's input blocks the server for others. Workers start with the first job and end after an
// idle time, so an idle server has none. A job past its deadline is terminated with its worker.

import { systemTimers, type Timers } from "../clock.ts";
import { AppError, stopping } from "../error.ts";
import type { Thread } from "./entry.ts";
import type { Job, Outcome, Reply, Request } from "./job.ts";
import { busy, FairQueue } from "./queue.ts";

const WORKERS_MAX = 2;
const IDLE_MS = 30_000;
const QUEUE_WAIT_MS_MAX = 30_000;
/** For the start of a thread and for the code of a job: neither is the job's own time, and a busy machine makes both slow. */
const START_WAIT_MS_MAX = 30_000;
const MEMORY_LOOK_MS = 50;

export interface RunOptions {
  /** The caller, for fairness: callers take turns. */
  readonly by: string;
  /** Cancels the job, even while it runs. */
  readonly signal?: AbortSignal | undefined;
}

interface Entry {
  readonly job: Job<never, unknown>;
  readonly input: unknown;
  readonly by: string;
  readonly bytes: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Cancels the limit of the queue, then that of the start, then that of the run. Undefined: the job has ended. */
  cancel: (() => void) | undefined;
  /** Looks at the memory of a running job that has a limit. */
  look: Timer | undefined;
}

interface Slot {
  readonly worker: Thread;
  /** Undefined: idle. */
  entry: Entry | undefined;
  /** Terminated: it keeps its slot until its thread ends, so that threads never exceed slots. */
  ending: boolean;
}

export class WorkerPool {
  readonly #open: () => Thread;
  readonly #timers: Timers;
  readonly #slots = new Set<Slot>();
  readonly #queue = new FairQueue<Entry>();
  #idleTimer: Timer | undefined;
  #closed = false;

  /** `open` starts the worker of this program (entry.ts); it calls `serveJobs`. */
  constructor(open: () => Thread, timers: Timers = systemTimers) {
    this.#open = open;
    this.#timers = timers;
  }

  /** Running and queued jobs. */
  get load(): number {
    return this.#queue.size + [...this.#slots].filter(({ entry }) => entry).length;
  }

  /**
   * Raises errors of the job; `too_large` with `limit_bytes`; `refused` with `job`, and with `deadline_ms` for a job past its deadline or
   * `limit_bytes` for one that takes too much memory; `unavailable` with `retry_after_seconds` if the queue is full, and without it if the pool is closed or `signal` aborts.
   */
  run<Input, Output>(job: Job<Input, Output>, input: Input, { by, signal }: RunOptions): Promise<Output> {
    const bytes = job.sizeOf(input);
    if (bytes > job.inputBytesMax)
      throw new AppError("too_large", `${job.name}: more than ${job.inputBytesMax} bytes`, {
        limit_bytes: job.inputBytesMax,
      });
    if (this.#closed) throw stopping("server");
    if (signal?.aborted) throw cancelled();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const entry: Entry = {
      job: job as Job<never, unknown>,
      input,
      by,
      bytes,
      resolve,
      reject,
      cancel: undefined,
      look: undefined,
    };
    this.#queue.add(entry);
    this.#limit(entry, QUEUE_WAIT_MS_MAX, busy);
    const abort = () => this.#end(entry, cancelled());
    signal?.addEventListener("abort", abort, { once: true });
    this.#dispatch();
    return promise.finally(() => signal?.removeEventListener("abort", abort)) as Promise<Output>;
  }

  /** Ends every job and worker. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (let entry = this.#queue.take(); entry; entry = this.#queue.take())
      this.#fail(entry, stopping("server"));
    for (const slot of this.#slots) {
      if (slot.entry) this.#fail(slot.entry, stopping("server"));
      terminate(slot);
    }
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      const idle = [...this.#slots].find(({ entry, ending }) => !entry && !ending);
      if (!idle && this.#slots.size >= WORKERS_MAX) return;
      const entry = this.#queue.take((one) => this.#mayRun(one));
      if (!entry) return;
      const slot = idle ?? this.#started(entry);
      if (slot) this.#begin(slot, entry);
    }
    if ([...this.#slots].every(({ entry }) => !entry)) this.#endWhenIdle();
  }

  #mayRun({ job, by }: Entry): boolean {
    if (job.perCaller !== "one") return true;
    return ![...this.#slots].some(({ entry }) => entry?.by === by && entry.job.perCaller === "one");
  }

  #begin(slot: Slot, entry: Entry): void {
    clearTimeout(this.#idleTimer);
    this.#limit(entry, START_WAIT_MS_MAX, busy);
    this.#limitMemory(entry);
    slot.entry = entry;
    slot.worker.ref();
    slot.worker.postMessage({ name: entry.job.name, input: entry.input } satisfies Request);
  }

  #limit(entry: Entry, ms: number, error: () => AppError): void {
    entry.cancel?.();
    entry.cancel = this.#timers.after(ms, () => this.#end(entry, error()));
  }

  /** Memory is that of the process, so what others take meanwhile counts too: a limit leaves room for that. */
  #limitMemory(entry: Entry): void {
    const { name, memoryBytesMax: limit } = entry.job;
    if (limit === undefined) return;
    const before = process.memoryUsage.rss();
    entry.look = setInterval(() => {
      if (process.memoryUsage.rss() - before > limit) this.#end(entry, oversized(name, limit));
    }, MEMORY_LOOK_MS);
  }

  /** Undefined: no thread can start, and the job has failed. */
  #started(entry: Entry): Slot | undefined {
    try {
      return this.#start();
    } catch (error) {
      this.#fail(entry, error);
      return undefined;
    }
  }

  #start(): Slot {
    const slot: Slot = { worker: this.#open(), entry: undefined, ending: false };
    this.#slots.add(slot);
    slot.worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#hear(slot, data));
    slot.worker.addEventListener("error", ({ message }) =>
      this.#hear(slot, { kind: "failed", message: `worker: ${message}` }),
    );
    slot.worker.addEventListener("close", () => {
      this.#slots.delete(slot);
      if (slot.entry) this.#fail(slot.entry, new Error("the worker ended during a job"));
      if (!this.#closed) this.#dispatch();
    });
    return slot;
  }

  #hear(slot: Slot, reply: Reply): void {
    const { entry } = slot;
    // The reply to a job cancelled at the same moment; its worker is ending.
    if (!entry || entry.cancel === undefined) return;
    if (reply.kind !== "begun") return this.#finish(slot, entry, reply);
    const { name, deadlineMs } = entry.job;
    this.#limit(entry, deadlineMs, () => overdue(name, deadlineMs));
  }

  #finish(slot: Slot, entry: Entry, reply: Outcome): void {
    slot.entry = undefined;
    slot.worker.unref();
    if (reply.kind === "done") this.#done(entry, reply.output);
    else if (reply.kind === "refused")
      this.#fail(entry, new AppError(reply.code, reply.message, reply.details));
    else this.#fail(entry, new Error(reply.message));
    this.#dispatch();
  }

  /** Cancels a job: removes it from the queue, or terminates its worker. */
  #end(entry: Entry, error: Error): void {
    if (entry.cancel === undefined) return;
    this.#queue.remove(entry);
    this.#fail(entry, error);
    for (const slot of this.#slots) if (slot.entry === entry) terminate(slot);
  }

  #done(entry: Entry, output: unknown): void {
    stopTimers(entry);
    entry.resolve(output);
  }

  #fail(entry: Entry, error: unknown): void {
    stopTimers(entry);
    entry.reject(error);
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const slot of this.#slots) terminate(slot);
    }, IDLE_MS);
    this.#idleTimer.unref();
  }
}

function stopTimers(entry: Entry): void {
  entry.cancel?.();
  clearInterval(entry.look);
  entry.cancel = undefined;
}

function terminate(slot: Slot): void {
  slot.ending = true;
  slot.worker.terminate();
}

function overdue(job: string, deadlineMs: number): AppError {
  return new AppError("refused", `${job}: took longer than ${deadlineMs} ms; send less at once`, {
    job,
    deadline_ms: deadlineMs,
  });
}

function oversized(job: string, limit: number): AppError {
  const problem = `${job}: took more than ${limit / 1024 ** 2} MiB of memory; send less at once`;
  return new AppError("refused", problem, { job, limit_bytes: limit });
}

function cancelled(): AppError {
  return new AppError("unavailable", "cancelled: the caller disconnected");
}
