// Sends events to hooks: each hook has a queue of its own and one delivery at a time, all of them together share a few places. A hook that
// is slow or away delays no other. What is not answered with 2xx is tried again, then becomes a dead letter.

import { createHmac } from "node:crypto";
import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { sendOutbound, type Network } from "../../kit/outbound.ts";
import { randomHex } from "../../kit/random.ts";
import type { DeadLetterFile } from "./dead-letter.ts";
import { DELIVERIES_KEPT } from "./schema.ts";
import type { HookRow, WebhookStore } from "./store.ts";

export const RETRY_WAITS_MS = [1_000, 5_000, 25_000] as const;
export const QUEUE_MAX = 256;
export const AT_ONCE_MAX = 8;
const DEADLINE_MS = 8_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const ID_BITS = 96;

export interface Job {
  /** Null: a test, or one that is sent again. */
  readonly seq: number | null;
  readonly type: string;
  readonly body: string;
  /** Of a delivery that is in the log already. */
  readonly id?: string;
}

export interface DeliveryDeps {
  readonly db: Db;
  readonly store: WebhookStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly network: Network;
  readonly waitsMs: readonly number[];
  readonly deadLetters: DeadLetterFile;
}

interface Queue {
  readonly jobs: Job[];
  readonly gone: AbortController;
  running: boolean;
}

interface Outcome {
  readonly ok: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

export function newDeliveryId(): string {
  return randomHex(ID_BITS);
}

export class Deliveries {
  readonly #deps: DeliveryDeps;
  readonly #queues = new Map<number, Queue>();
  readonly #waitingForPlace: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  #places = AT_ONCE_MAX;
  #stopped = false;
  sent = 0;
  failed = 0;
  dropped = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** False: the queue of the hook is full and the job was dropped, which is counted. */
  add(hook: number, job: Job): boolean {
    if (this.#stopped) return false;
    const queue = this.#queues.get(hook) ?? { jobs: [], gone: new AbortController(), running: false };
    this.#queues.set(hook, queue);
    if (queue.jobs.length >= QUEUE_MAX) {
      this.dropped += 1;
      return false;
    }
    queue.jobs.push(job);
    if (!queue.running) this.#start(hook, queue);
    return true;
  }

  /** Nothing more goes to this hook. What waits for it is given up. */
  cancel(hook: number): void {
    this.#queues.get(hook)?.gone.abort();
    this.#queues.delete(hook);
  }

  /** Breaks off what is under way: it is not done, and is sent after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const hook of this.#queues.keys()) this.cancel(hook);
    await Promise.all(this.#running);
  }

  #start(hook: number, queue: Queue): void {
    queue.running = true;
    const task: Promise<void> = this.#work(hook, queue)
      .catch((error: unknown) =>
        this.#deps.log.error("a webhook's queue failed", { webhook: hook, error: messageOf(error) }),
      )
      .finally(() => {
        queue.running = false;
        this.#running.delete(task);
      });
    this.#running.add(task);
  }

  async #work(hook: number, queue: Queue): Promise<void> {
    const { signal } = queue.gone;
    while (queue.jobs.length > 0 && !signal.aborted) {
      const row = this.#deps.store.byId.get(hook);
      if (!row || row.enabled === 0) return void queue.jobs.splice(0);
      // It keeps its place in the queue while it is under way, so that the bound counts it.
      await this.#deliver(row, queue.jobs[0]!, signal);
      queue.jobs.shift();
    }
  }

  async #deliver(hook: HookRow, job: Job, signal: AbortSignal): Promise<void> {
    const { db, store, waitsMs, clock } = this.#deps;
    const known = job.seq === null ? undefined : store.deliveryOf.get(hook.id, job.seq);
    const id = job.id ?? known?.id ?? newDeliveryId();
    if (job.id === undefined && !known)
      await db.write(() => {
        store.begin.run(id, hook.id, job.seq, job.type, job.body, clock.now());
        store.forget.run(hook.id, DELIVERIES_KEPT);
      });
    let outcome = await this.#try(hook, job, id, signal);
    let tries = 1;
    for (const wait of waitsMs) {
      if (outcome.ok || signal.aborted) break;
      await pause(wait, signal);
      if (signal.aborted) break;
      outcome = await this.#try(hook, job, id, signal);
      tries += 1;
    }
    if (signal.aborted && !outcome.ok) return;
    await this.#finish(hook, job, id, tries, outcome);
  }

  async #finish(hook: HookRow, job: Job, id: string, tries: number, outcome: Outcome): Promise<void> {
    const { db, store, deadLetters, clock, log } = this.#deps;
    if (outcome.ok) this.sent += 1;
    else {
      this.failed += 1;
      const error = outcome.error ?? `status ${outcome.status}`;
      log.warn("a webhook's delivery was given up", { webhook: hook.id, delivery: id, error });
      deadLetters.add({
        time: rfc3339(clock.now()),
        delivery: id,
        webhook: hook.id,
        url: hook.url,
        tries,
        error,
        body: job.body,
      });
    }
    await db.write(() => {
      store.finish.run(outcome.ok ? "sent" : "failed", tries, outcome.status, outcome.error, id);
      if (job.seq !== null) store.advance.run(job.seq, hook.id);
    });
  }

  /** Waits take no place: a hook that is away must not keep others from being served. */
  async #try(hook: HookRow, job: Job, id: string, signal: AbortSignal): Promise<Outcome> {
    await this.#takePlace();
    try {
      const { status } = await sendOutbound(this.#deps.network, {
        url: new URL(hook.url),
        method: "POST",
        schemes: ["http", "https"],
        headers: {
          "Content-Type": "application/json",
          "Content-Length": String(Buffer.byteLength(job.body)),
          "User-Agent": "cairn-webhook",
          "X-Service-Event": job.type,
          "X-Service-Delivery": id,
          "X-Service-Signature": signatureOf(hook.secret, job.body),
        },
        body: job.body,
        deadlineMs: DEADLINE_MS,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal,
      });
      const ok = status >= 200 && status < 300;
      return { ok, status, error: ok ? null : `answered with status ${status}` };
    } catch (error) {
      return { ok: false, status: null, error: messageOf(error) };
    } finally {
      this.#leavePlace();
    }
  }

  async #takePlace(): Promise<void> {
    if (this.#places > 0) {
      this.#places -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waitingForPlace.push(resolve));
  }

  #leavePlace(): void {
    const next = this.#waitingForPlace.shift();
    if (next) next();
    else this.#places += 1;
  }
}

/** `sha256=<hex HMAC-SHA256(secret, raw body)>` */
export function signatureOf(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
