// Takes events to hooks. Each hook goes through the log of events by itself, from the position that is stored for it, one delivery after the
// other: nothing is copied into a queue, so a burst loses nothing, and a hook that is slow or away delays no other. A delivery that is not
// answered with 2xx is tried again, then becomes a dead letter.

import { Background } from "../../kit/background.ts";
import { rfc3339, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/db.ts";
import { pause } from "../../kit/deadline.ts";
import type { Log } from "../../kit/log.ts";
import { randomHex } from "../../kit/random.ts";
import type { Events } from "../events/events.ts";
import type { EventEnvelope } from "../events/schema.ts";
import type { DeadLetterFile } from "./dead-letter.ts";
import { DELIVERIES_KEPT } from "./schema.ts";
import type { Outcome, Parcel, Sender } from "./sender.ts";
import type { DeliveryRow, HookRow, WebhookStore } from "./store.ts";
import { subscribes } from "./subscriptions.ts";

export const RETRY_WAITS_MS = [1_000, 5_000, 25_000] as const;
/** Events that a hook does not hear of are passed over in memory; a crash passes over so many again. */
const PASSED_OVER_UNSTORED_MAX = 1_000;
const ID_BITS = 96;
const ID_CHARACTERS = ID_BITS / 4;
/** A power cut may take it back: then a delivery is sent once more, under the same id. */
const RELAXED = { relaxed: true } as const;

export interface DeliveryDeps {
  readonly db: Db;
  readonly store: WebhookStore;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: Pick<Sender, "send">;
  readonly waitsMs: readonly number[];
  readonly deadLetters: DeadLetterFile;
  /** May the owner of the hook see the event, with the rights of now? */
  readonly maySee: (hook: HookRow, event: EventEnvelope) => boolean;
}

interface Job extends Parcel {
  /** Null: a test, or one that an admin sends again. */
  readonly event: EventEnvelope | null;
  /** It is in the log of deliveries already. */
  readonly isStored: boolean;
  /** Made before this run. */
  readonly tries: number;
}

/** A hook on its way through the log. */
interface Courier {
  readonly hook: number;
  subscriptions: readonly string[];
  /** The last event that is done for the hook, or is not for it. */
  position: number;
  /** The position as it is stored. */
  stored: number;
  /** Read ahead, in order. */
  page: readonly EventEnvelope[];
  running: boolean;
  /** The last try failed. */
  failing: boolean;
  readonly gone: AbortController;
}

export function newDeliveryId(): string {
  return randomHex(ID_BITS);
}

/** The same whenever it is computed, so that a receiver recognises what it gets twice. */
function deliveryIdOf(hook: number, event: EventEnvelope): string {
  return sha256Hex(`${hook} ${event.id}`).slice(0, ID_CHARACTERS);
}

/** Null: a test, or one that is sent again. */
function eventOf({ event_seq, body }: DeliveryRow): EventEnvelope | null {
  return event_seq === null ? null : (JSON.parse(body) as EventEnvelope);
}

export class Deliveries {
  readonly #deps: DeliveryDeps;
  readonly #couriers = new Map<number, Courier>();
  readonly #running: Background;
  /** The last event that was published. */
  #published = 0;
  /** Nothing is sent before the start, nor after the stop. */
  #sends = false;
  sent = 0;
  failed = 0;
  dropped = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#running = new Background(deps.log);
  }

  /** Sends what a stop or a crash left unsent, then whatever happens. */
  start(): void {
    const { store, events } = this.#deps;
    this.#sends = true;
    this.#published = events.last;
    for (const row of store.all.all()) this.follow(row);
    events.listen((event) => this.#publish(event));
    events.beforeForgetting((upTo) => this.#forgetting(upTo));
  }

  /** After a hook was made or changed: it goes on from the position in its row. One that is disabled gets nothing. */
  follow(row: HookRow): void {
    const known = this.#couriers.get(row.id);
    if (row.enabled === 0 || !this.#sends) return this.cancel(row.id);
    const subscriptions = JSON.parse(row.events) as string[];
    if (known) {
      known.subscriptions = subscriptions;
      return;
    }
    const courier: Courier = {
      hook: row.id,
      subscriptions,
      position: row.cursor,
      stored: row.cursor,
      page: [],
      running: false,
      failing: (this.#deps.store.waiting.get(row.id)?.tries ?? 0) > 0,
      gone: new AbortController(),
    };
    this.#couriers.set(row.id, courier);
    this.#wake(courier);
  }

  /** There may be something to send that is not in the log of events. */
  wake(hook: number): void {
    const courier = this.#couriers.get(hook);
    if (courier) this.#wake(courier);
  }

  /** Nothing more goes to this hook. */
  cancel(hook: number): void {
    this.#couriers.get(hook)?.gone.abort();
    this.#couriers.delete(hook);
  }

  /** Aborts what is under way: it is sent after the next start. */
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

  /** A hook that has seen everything before this event, and is not to hear of it, need not look into the log. */
  #publish(event: EventEnvelope): void {
    const before = this.#published;
    this.#published = event.seq;
    for (const courier of this.#couriers.values()) {
      if (courier.running || event.seq <= courier.position) continue;
      const isNext = courier.position >= before;
      const passes = isNext && !subscribes(courier.subscriptions, event.type);
      const isStoredSoon = event.seq - courier.stored < PASSED_OVER_UNSTORED_MAX;
      if (passes && isStoredSoon) courier.position = event.seq;
      else this.#wake(courier);
    }
  }

  #wake(courier: Courier): void {
    if (courier.running || !this.#sends) return;
    courier.running = true;
    this.#running.run(`webhook ${courier.hook}`, () => this.#work(courier));
  }

  async #work(courier: Courier): Promise<void> {
    const { signal } = courier.gone;
    try {
      while (!signal.aborted) {
        const next = this.#next(courier);
        if (next === "none") return;
        if (next === "more") await this.#rest(courier);
        else await this.#deliver(courier, next);
      }
    } finally {
      // In the step that found nothing: whatever is published from now on wakes it again.
      courier.running = false;
    }
  }

  /** What comes next, looking at one page of the log at most. */
  #next(courier: Courier): Job | "more" | "none" {
    const { store, events } = this.#deps;
    const begun = store.waiting.get(courier.hook);
    if (begun) return { ...begun, event: eventOf(begun), isStored: true };
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

  #isFor({ hook, subscriptions }: Courier, event: EventEnvelope): boolean {
    if (!subscribes(subscriptions, event.type)) return false;
    const row = this.#deps.store.byId.get(hook);
    return row !== null && this.#deps.maySee(row, event);
  }

  /** Between two pages of events that are not for it. */
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
    const { db, store, clock, waitsMs } = this.#deps;
    const { signal } = courier.gone;
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
    let { tries } = job;
    for (;;) {
      // Of now: the target, the secret, and the rights of the owner may have changed while it waited.
      const row = store.byId.get(courier.hook);
      if (!row || signal.aborted) return;
      if (event && tries > 0 && !this.#deps.maySee(row, event))
        return this.#finish(courier, row, { ...job, tries }, NOT_VISIBLE);
      const lane = courier.failing ? "after failure" : "first";
      const outcome = await this.#deps.sender.send(row, job, lane, signal);
      if (signal.aborted && !outcome.ok) return;
      courier.failing = !outcome.ok;
      tries += 1;
      if (outcome.ok || tries > waitsMs.length) return this.#finish(courier, row, { ...job, tries }, outcome);
      await db.write(
        () => void store.tried.run({ id, tries, status: outcome.status, error: outcome.error }),
        RELAXED,
      );
      await pause(waitsMs[tries - 1]!, signal);
    }
  }

  async #finish(courier: Courier, hook: HookRow, job: Job, outcome: Outcome): Promise<void> {
    const { db, store, deadLetters, clock, log } = this.#deps;
    const { id, event, tries, body } = job;
    if (outcome.ok) this.sent += 1;
    else {
      this.failed += 1;
      const error = outcome.error!;
      log.warn("a webhook delivery failed for good", { webhook: hook.id, delivery: id, error });
      deadLetters.add({
        time: rfc3339(clock.now()),
        delivery: id,
        webhook: hook.id,
        url: hook.url,
        tries,
        error,
        body,
      });
    }
    await db.write(() => {
      store.finish.run({
        id,
        state: outcome.ok ? "sent" : "failed",
        tries,
        status: outcome.status,
        error: outcome.error,
      });
      if (event) store.advance.run(event.seq, hook.id);
    }, RELAXED);
    if (event) courier.position = courier.stored = Math.max(courier.position, event.seq);
  }

  /** Inside the write that forgets the oldest events. A hook that is still before them misses those that it subscribed to. */
  #forgetting(upTo: number): void {
    const { db, store, events, log } = this.#deps;
    for (const courier of this.#couriers.values()) {
      const { hook, subscriptions } = courier;
      // One that is being delivered is not lost: its body is kept with the delivery.
      const begun = store.waiting.get(hook)?.event_seq ?? 0;
      const from = Math.max(courier.position, begun);
      if (from >= upTo) continue;
      const missed = events
        .counts(from, upTo)
        .filter(({ type }) => subscribes(subscriptions, type))
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
  error: "the owner of the webhook may not see this event any more",
};
