// Delivers events to webhooks. Each hook reads the event log independently from its stored position, one delivery at a time. There is no queue, so
// a burst loses nothing, and a slow or unreachable hook delays no other. A delivery without a 2xx response is retried, then dead-lettered.

import { Background } from "../../kit/concurrency/background.ts";
import { rfc3339, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { messageOf } from "../../kit/error.ts";
import { pause } from "../../kit/concurrency/deadline.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import type { Events } from "../events/events.ts";
import type { EventEnvelope } from "../events/schema.ts";
import type { DeadLetterFile } from "./dead-letter.ts";
import { Places } from "./delivery-slots.ts";
import { DELIVERIES_KEPT } from "./schema.ts";
import type { Outcome, Parcel, Sender } from "./sender.ts";
import type { DeliveryRow, HookRow, WebhookStore } from "./store.ts";
import { subscribes, subscriptionOf, type Subscription } from "./subscriptions.ts";

export const RETRY_WAITS_MS = [1_000, 5_000, 25_000] as const;
/** Before a hook tries again after a failure of this machine, where nothing else says how long to wait. */
const HELD_UP_WAIT_MS = 25_000;
/** A hook skips events it does not receive in memory only; after a crash it skips at most this many again. */
const PASSED_OVER_UNSTORED_MAX = 1_000;
const ID_BITS = 96;
const ID_CHARACTERS = ID_BITS / 4;
/** A power cut may undo the write; the delivery is then sent again with the same id. */
const RELAXED = { relaxed: true } as const;

interface DeliveryDeps {
  readonly db: Db;
  readonly store: WebhookStore;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: Pick<Sender, "send">;
  readonly waitsMs: readonly number[];
  readonly deadLetters: DeadLetterFile;
  /** Reports whether the owner of the hook may see the event now. */
  readonly maySee: (hook: HookRow, event: EventEnvelope) => boolean;
}

interface Job extends Parcel {
  /** Null: a test or a manual redelivery. */
  readonly event: EventEnvelope | null;
  /** Already in the log of deliveries. */
  readonly isStored: boolean;
  /** Attempts before this run. */
  readonly tries: number;
  /** The outcome of the last of them. */
  readonly last?: Outcome;
}

/** A job that needs no further attempt. */
interface Ended {
  readonly hook: HookRow;
  readonly job: Job;
  readonly outcome: Outcome;
  /** Its dead letter may be in the file already. */
  mayBeBuried: boolean;
}

/** The progress of a hook through the event log. */
interface Courier {
  readonly hook: number;
  subscription: Subscription;
  /** The last event that was delivered or skipped. */
  position: number;
  /** The stored position. */
  stored: number;
  /** Events read ahead, in order. */
  page: readonly EventEnvelope[];
  running: boolean;
  /** The end of its work. Never rejects. */
  ends: Promise<void>;
  /** The last attempt failed. */
  failing: boolean;
  /** Kept until it is recorded, so that a full disk makes no receiver get it again. */
  ended: Ended | undefined;
  readonly gone: AbortController;
}

export function newDeliveryId(): string {
  return randomHex(ID_BITS);
}

/** Deterministic, so that a receiver recognizes a repeated delivery. */
function deliveryIdOf(hook: number, event: EventEnvelope): string {
  return sha256Hex(`${hook} ${event.id}`).slice(0, ID_CHARACTERS);
}

function triedRow(id: string, tries: number, { status, error }: Outcome) {
  return { id, tries, status, error };
}

function begunJob({ id, type, event_seq, body, tries, status, error }: DeliveryRow): Job {
  const event = event_seq === null ? null : (JSON.parse(body) as EventEnvelope);
  return { id, event, isStored: true, type, body, tries, last: { ok: false, status, error } };
}

export class Deliveries {
  readonly #deps: DeliveryDeps;
  readonly #couriers = new Map<number, Courier>();
  /** The ends of those that were cancelled. */
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #running: Background;
  readonly #places = new Places();
  /** The last published event. */
  #published = 0;
  /** False before `start` and after `stop`. */
  #sends = false;
  sent = 0;
  failed = 0;
  dropped = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#running = new Background(deps.log);
  }

  /** Sends what a stop or a crash left unsent, then new events. */
  start(): void {
    const { store, events } = this.#deps;
    this.#sends = true;
    this.#published = events.last;
    for (const row of store.all.all()) {
      this.follow(row);
      // A crash may have kept it from that.
      if (row.enabled === 0) this.#running.run(`disabled webhook ${row.id}`, () => this.giveUp(row.id));
    }
    events.listen((event) => this.#publish(event));
    events.beforeForgetting((upTo) => this.#forgetting(upTo));
  }

  /** Call after a hook is created or changed: it continues from the position in its row. A disabled hook is cancelled. */
  follow(row: HookRow): void {
    const known = this.#couriers.get(row.id);
    if (row.enabled === 0 || !this.#sends) return this.cancel(row.id);
    const subscription = subscriptionOf(row);
    if (known) {
      known.subscription = subscription;
      return;
    }
    const courier: Courier = {
      hook: row.id,
      subscription,
      position: row.cursor,
      stored: row.cursor,
      page: [],
      running: false,
      ends: Promise.resolve(),
      failing: (this.#deps.store.waiting.get(row.id)?.tries ?? 0) > 0,
      ended: undefined,
      gone: new AbortController(),
    };
    this.#couriers.set(row.id, courier);
    this.#wake(courier);
  }

  /** Call when there may be a delivery that is not in the event log. */
  wake(hook: number): void {
    const courier = this.#couriers.get(hook);
    if (courier) this.#wake(courier);
  }

  /** Returns how many events a hook has not looked at; 0 if it receives none. */
  lagOf(hook: number): number {
    const courier = this.#couriers.get(hook);
    return courier ? Math.max(0, this.#deps.events.last - courier.position) : 0;
  }

  /** Stops sending to this hook. */
  cancel(hook: number): void {
    const courier = this.#couriers.get(hook);
    if (!courier) return;
    courier.gone.abort();
    this.#couriers.delete(hook);
    const ends = courier.ends.then(
      () => void (this.#leaving.get(hook) === ends && this.#leaving.delete(hook)),
    );
    this.#leaving.set(hook, ends);
  }

  /** Call after a hook was disabled: its pending deliveries become dead letters. After an error of the disk, the next start tries again. */
  async giveUp(hook: number): Promise<void> {
    const { store, log } = this.#deps;
    try {
      await this.#leaving.get(hook);
      for (;;) {
        const [row, begun] = [store.byId.get(hook), store.waiting.get(hook)];
        if (!begun || row?.enabled !== 0) return;
        const job = begunJob(begun);
        const outcome = { ok: false, status: begun.status, error: "the webhook was disabled" };
        await this.#settle({ hook: row, job, outcome, mayBeBuried: true });
      }
    } catch (error) {
      log.error("cannot give up the deliveries of a disabled webhook", {
        webhook: hook,
        error: messageOf(error),
      });
    }
  }

  /** Aborts running deliveries; they are sent after the next start. */
  async stop(): Promise<void> {
    const { db, store } = this.#deps;
    this.#sends = false;
    const couriers = [...this.#couriers.values()];
    for (const { hook } of couriers) this.cancel(hook);
    await this.#running.ended();
    const moved = couriers.filter(({ position, stored }) => position > stored);
    if (moved.length === 0) return;
    await db.write(() => {
      for (const { position, hook } of moved) store.advance.run(position, hook);
    });
  }

  /** A hook that is up to date and not subscribed to this event need not read the log. */
  #publish(event: EventEnvelope): void {
    const before = this.#published;
    this.#published = event.seq;
    for (const courier of this.#couriers.values()) {
      if (courier.running || event.seq <= courier.position) continue;
      const isNext = courier.position >= before;
      const passes = isNext && !subscribes(courier.subscription, event);
      const isStoredSoon = event.seq - courier.stored < PASSED_OVER_UNSTORED_MAX;
      if (passes && isStoredSoon) courier.position = event.seq;
      else this.#wake(courier);
    }
  }

  #wake(courier: Courier): void {
    if (courier.running || !this.#sends) return;
    courier.running = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    courier.ends = promise;
    this.#running.run(`webhook ${courier.hook}`, () => this.#work(courier).finally(resolve));
  }

  async #work(courier: Courier): Promise<void> {
    const { store, log, waitsMs } = this.#deps;
    const { signal } = courier.gone;
    try {
      while (!signal.aborted) {
        try {
          if (courier.ended) await this.#finish(courier, courier.ended);
          const next = this.#next(courier);
          if (next === "none") return;
          if (next === "more") await this.#rest(courier);
          else await this.#deliver(courier, next);
        } catch (error) {
          // A delivery does not outlive its webhook.
          if (!store.byId.get(courier.hook)) return;
          // Such as a full disk. Nothing else would wake it before the next event.
          log.error("a webhook is held up", { webhook: courier.hook, error: messageOf(error) });
          await pause(waitsMs.at(-1) ?? HELD_UP_WAIT_MS, signal);
        }
      }
    } finally {
      // In the same step that found nothing, so that the next published event wakes it again.
      courier.running = false;
    }
  }

  /** Returns the next job, reading at most one page of the log. */
  #next(courier: Courier): Job | "more" | "none" {
    const { store, events } = this.#deps;
    const begun = store.waiting.get(courier.hook);
    if (begun) return begunJob(begun);
    if (courier.page.length === 0) courier.page = events.after(courier.position);
    if (courier.page.length === 0) return "none";
    const wanted = courier.page.findIndex(
      (event) => event.seq > courier.position && this.#isFor(courier, event),
    );
    const passed = wanted < 0 ? courier.page.length : wanted;
    if (passed > 0) courier.position = Math.max(courier.position, courier.page[passed - 1]!.seq);
    courier.page = courier.page.slice(passed);
    const event = courier.page[0];
    if (!event) return "more";
    const id = deliveryIdOf(courier.hook, event);
    return { id, event, isStored: false, type: event.type, body: JSON.stringify(event), tries: 0 };
  }

  #isFor({ hook, subscription }: Courier, event: EventEnvelope): boolean {
    if (!subscribes(subscription, event)) return false;
    const row = this.#deps.store.byId.get(hook);
    return row !== null && this.#deps.maySee(row, event);
  }

  /** Yields between two pages of events that the hook skips. */
  async #rest(courier: Courier): Promise<void> {
    const { db, store } = this.#deps;
    const { position, hook } = courier;
    if (position - courier.stored >= PASSED_OVER_UNSTORED_MAX) {
      await db.write(() => void store.advance.run(position, hook));
      courier.stored = position;
    }
    await turnOfOthers();
  }

  async #deliver(courier: Courier, job: Job): Promise<void> {
    const { db, store, clock } = this.#deps;
    const { id, event } = job;
    if (!job.isStored)
      await db.write(() => {
        store.begin.run({
          id,
          webhook_id: courier.hook,
          event_seq: event!.seq,
          type: job.type,
          body: job.body,
          created_at: clock.now(),
        });
        store.forget.run(courier.hook, DELIVERIES_KEPT);
      }, RELAXED);
    courier.ended = await this.#attempts(courier, job);
    if (courier.ended) await this.#finish(courier, courier.ended);
  }

  /** Resolves after the last attempt. Undefined: the webhook was deleted or disabled, or the server stops. */
  async #attempts(courier: Courier, job: Job): Promise<Ended | undefined> {
    const { db, store, waitsMs } = this.#deps;
    const { id, last, isStored: mayBeBuried } = job;
    let { tries } = job;
    const hook = store.byId.get(courier.hook);
    // A crash came between the last attempt and the record of its outcome.
    if (hook && last && tries > waitsMs.length) return { hook, job, outcome: last, mayBeBuried };
    for (;;) {
      const attempt = await this.#attempt(courier, job);
      if (!attempt) return undefined;
      const { row, outcome } = attempt;
      if (outcome !== NOT_VISIBLE) {
        courier.failing = !outcome.ok;
        tries += 1;
      }
      if (outcome.ok || outcome === NOT_VISIBLE || tries > waitsMs.length)
        return { hook: row, job: { ...job, tries }, outcome, mayBeBuried };
      await db.write(() => void store.tried.run(triedRow(id, tries, outcome)), RELAXED);
      await pause(waitsMs[tries - 1]!, courier.gone.signal);
    }
  }

  /** Sends once there is a slot. Undefined: the webhook was deleted or disabled, or the server stops. */
  #attempt(courier: Courier, job: Job): Promise<{ row: HookRow; outcome: Outcome } | undefined> {
    const { store, sender, maySee } = this.#deps;
    const { signal } = courier.gone;
    return this.#places.run(courier.failing ? "after failure" : "first", async () => {
      // Read in the slot: target, secret and the owner's rights may have changed while it waited.
      const row = store.byId.get(courier.hook);
      if (!row || signal.aborted) return undefined;
      const isVisible = job.event === null || maySee(row, job.event);
      const outcome = isVisible ? await sender.send(row, job, signal) : NOT_VISIBLE;
      return signal.aborted && !outcome.ok ? undefined : { row, outcome };
    });
  }

  async #finish(courier: Courier, ended: Ended): Promise<void> {
    await this.#settle(ended);
    courier.ended = undefined;
    const { event } = ended.job;
    if (event) courier.position = courier.stored = Math.max(courier.position, event.seq);
  }

  /**
   * Stores the last failed attempt, then the dead letter, then the state, and counts at the end. An error of the disk repeats none of these, and
   * a crash repeats only the attempt of a delivery that arrived.
   */
  async #settle(ended: Ended): Promise<void> {
    const { db, store, log } = this.#deps;
    const { hook, job, outcome } = ended;
    const row = triedRow(job.id, job.tries, outcome);
    if (!outcome.ok) {
      await db.write(() => void store.tried.run(row), RELAXED);
      this.#bury(ended);
    }
    await db.write(() => {
      store.finish.run({ ...row, state: outcome.ok ? "sent" : "failed" });
      if (job.event) store.advance.run(job.event.seq, hook.id);
    }, RELAXED);
    if (outcome.ok) {
      this.sent += 1;
      return;
    }
    this.failed += 1;
    const { error } = outcome;
    log.warn("a webhook delivery failed permanently", { webhook: hook.id, delivery: job.id, error });
  }

  #bury(ended: Ended): void {
    const { deadLetters, clock } = this.#deps;
    const { hook, job, outcome, mayBeBuried } = ended;
    const { id, tries, body } = job;
    if (mayBeBuried && deadLetters.has(id)) return;
    ended.mayBeBuried = true;
    deadLetters.add({
      time: rfc3339(clock.now()),
      delivery: id,
      webhook: hook.id,
      url: hook.url,
      tries,
      error: outcome.error!,
      body,
    });
  }

  /** Runs inside the write that deletes the oldest events. A hook that has not reached them misses those it subscribed to. */
  #forgetting(upTo: number): void {
    const { db, store, events, log } = this.#deps;
    for (const courier of this.#couriers.values()) {
      const { hook, subscription } = courier;
      // The event being delivered is not lost: its body is stored with the delivery.
      const begun = store.waiting.get(hook)?.event_seq ?? 0;
      const from = Math.max(courier.position, begun);
      if (from >= upTo) continue;
      const missed = events
        .counts(from, upTo)
        .filter((counted) => subscribes(subscription, counted))
        .reduce((sum, { count }) => sum + count, 0);
      store.drop.run(missed, hook);
      db.afterCommit(() => {
        courier.page = courier.page.filter(({ seq }) => seq > upTo);
        courier.position = Math.max(courier.position, upTo);
        if (missed === 0) return;
        this.dropped += missed;
        log.warn("dropped events: a webhook fell further behind than the event log reaches", {
          webhook: hook,
          events: missed,
        });
      });
    }
  }
}

const NOT_VISIBLE: Outcome = {
  ok: false,
  status: null,
  error: "the owner of the webhook may no longer see this event",
};
