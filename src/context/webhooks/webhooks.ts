// Webhooks of a server: who may make them, what they hear of, and where they may lead. A target inside the network is refused when it is
// saved, and again at every connection.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { checkedEndpoints, OutboundFailure, type Network } from "../../kit/outbound.ts";
import { randomSecret } from "../../kit/random.ts";
import type { Events } from "../events/events.ts";
import { eventTypes, type EventEnvelope } from "../events/schema.ts";
import { requireAdmin, type Actor } from "../people/actor.ts";
import type { Changes, Write } from "../people/changes.ts";
import type { DeadLetterFile } from "./dead-letter.ts";
import { newDeliveryId, type Deliveries } from "./delivery.ts";
import {
  DELIVERIES_KEPT,
  URL_CHARACTERS_MAX,
  WEBHOOKS_MAX,
  type CreatedWebhook,
  type CreateWebhook,
  type DeadLetter,
  type Delivery,
  type UpdateWebhook,
  type Webhook,
} from "./schema.ts";
import type { DeliveryRow, HookRow, WebhookStore } from "./store.ts";

const SECRET_BITS = 256;
const LIST_MAX = 100;
const TEST_TYPE = "webhook.test";

export interface WebhooksDeps {
  readonly changes: Changes;
  readonly store: WebhookStore;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetterFile;
  readonly network: Network;
  readonly events: Events;
  readonly clock: Clock;
  /** May this person see the event, with the rights of now? */
  readonly maySee: (name: string, event: EventEnvelope) => boolean;
}

export class Webhooks {
  readonly #deps: WebhooksDeps;
  /** The enabled ones, kept at hand since every event asks for them. */
  #hooks: HookRow[] = [];

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /** Sends what a stop or a crash left unsent, then whatever happens. */
  start(): void {
    const { store, events, deliveries } = this.#deps;
    this.#reload();
    for (const hook of this.#hooks) {
      // Tests and repeats by hand that were under way.
      for (const row of store.deliveries.all(hook.id, DELIVERIES_KEPT).toReversed())
        if (row.state === "waiting" && row.event_seq === null)
          deliveries.add(hook.id, { seq: null, type: row.type, body: row.body, id: row.id });
      let after = hook.cursor;
      for (let page = events.after(after); page.length > 0; page = events.after(after)) {
        for (const event of page) this.#offer(hook, event);
        after = page.at(-1)!.seq;
      }
    }
    events.listen((event) => {
      for (const hook of this.#hooks) this.#offer(hook, event);
    });
  }

  list(actor: Actor): Webhook[] {
    requireAdmin(actor);
    return this.#deps.store.all.all().map(toWebhook);
  }

  async create(actor: Actor, { url, events = ["*"] }: CreateWebhook): Promise<CreatedWebhook> {
    const secret = randomSecret(SECRET_BITS);
    const { store, clock } = this.#deps;
    const row = await this.#changed(actor, "new", async (write) => {
      checkSubscriptions(events);
      const target = await this.#checkedTarget(url);
      return write(() => {
        if (store.all.all().length >= WEBHOOKS_MAX)
          throw new AppError("conflict", `there are ${WEBHOOKS_MAX} webhooks already`);
        const list = JSON.stringify(events);
        const operator = Number(actor.auth === "local");
        const from = this.#deps.events.last;
        return store.insert.get(target, list, secret, from, actor.name, operator, clock.now())!;
      });
    });
    return { ...toWebhook(row), secret };
  }

  async update(actor: Actor, id: number, change: UpdateWebhook): Promise<Webhook> {
    const { store, deliveries } = this.#deps;
    const row = await this.#changed(actor, String(id), async (write) => {
      this.#row(id);
      if (change.events) checkSubscriptions(change.events);
      const target = change.url === undefined ? undefined : await this.#checkedTarget(change.url);
      return write(() => {
        const { url, events, enabled, cursor } = this.#row(id);
        const now = change.enabled === undefined ? enabled : Number(change.enabled);
        // What happened while it was off is not sent afterwards.
        const from = now === 1 && enabled === 0 ? this.#deps.events.last : cursor;
        const list = change.events ? JSON.stringify(change.events) : events;
        store.update.run(target ?? url, list, now, from, id);
        return this.#row(id);
      });
    });
    if (row.enabled === 0) deliveries.cancel(id);
    return toWebhook(row);
  }

  async remove(actor: Actor, id: number): Promise<void> {
    const { store, deliveries } = this.#deps;
    await this.#changed(actor, String(id), (write) =>
      write(() => {
        const row = this.#row(id);
        store.remove.run(id);
        return row;
      }),
    );
    deliveries.cancel(id);
  }

  /** Sends an event that only this hook hears of. */
  async test(actor: Actor, id: number): Promise<Delivery> {
    requireAdmin(actor);
    const { clock, events } = this.#deps;
    const delivery = newDeliveryId();
    const body = JSON.stringify({
      id: delivery,
      seq: events.last,
      type: TEST_TYPE,
      created: rfc3339(clock.now()),
      space: null,
      path: null,
      version: null,
      actor: actor.name,
      data: { webhook: id },
    });
    return this.#sendNow(actor, this.#row(id), delivery, TEST_TYPE, body);
  }

  async redeliver(actor: Actor, id: string): Promise<Delivery> {
    requireAdmin(actor);
    const row = this.#deps.store.delivery.get(id);
    if (!row) throw notFound("delivery", id);
    return this.#sendNow(actor, this.#row(row.webhook_id), newDeliveryId(), row.type, row.body);
  }

  deliveries(actor: Actor, id: number): Delivery[] {
    requireAdmin(actor);
    this.#row(id);
    return this.#deps.store.deliveries.all(id, LIST_MAX).map(toDelivery);
  }

  deadLetters(actor: Actor): DeadLetter[] {
    requireAdmin(actor);
    return this.#deps.deadLetters.read(LIST_MAX);
  }

  async #sendNow(actor: Actor, hook: HookRow, id: string, type: string, body: string): Promise<Delivery> {
    const { changes, store, deliveries, clock } = this.#deps;
    if (hook.enabled === 0) throw new AppError("conflict", `webhook ${hook.id} is disabled`);
    const deed = { action: "webhook.send", target: String(hook.id) };
    await changes.byAdmin(actor, deed, (write) =>
      write(() => void store.begin.run(id, hook.id, null, type, body, clock.now())),
    );
    if (!deliveries.add(hook.id, { seq: null, type, body, id })) {
      await changes.byServer(() => void store.finish.run("failed", 0, null, "the queue is full", id));
      throw new AppError("unavailable", `the queue of webhook ${hook.id} is full`);
    }
    return toDelivery(store.delivery.get(id)!);
  }

  async #changed(actor: Actor, target: string, act: (write: Write) => Promise<HookRow>): Promise<HookRow> {
    const { changes, events } = this.#deps;
    const deed = { action: "webhook.change", target };
    const row = await changes.byAdmin(actor, deed, act, ({ id }) => ({ target: String(id) }));
    this.#reload();
    events.announce({ type: "webhook.change", actor: actor.name, data: { webhook: row.id } });
    return row;
  }

  #reload(): void {
    this.#hooks = this.#deps.store.all.all().filter(({ enabled }) => enabled === 1);
  }

  #offer(hook: HookRow, event: EventEnvelope): void {
    if (event.seq <= hook.cursor || !subscribes(JSON.parse(hook.events) as string[], event.type)) return;
    if (hook.by_operator === 0 && !this.#deps.maySee(hook.created_by, event)) return;
    this.#deps.deliveries.add(hook.id, { seq: event.seq, type: event.type, body: JSON.stringify(event) });
  }

  #row(id: number): HookRow {
    const row = this.#deps.store.byId.get(id);
    if (!row) throw notFound("webhook", id);
    return row;
  }

  async #checkedTarget(text: string): Promise<string> {
    const url = URL.parse(text);
    if (!url || text.length > URL_CHARACTERS_MAX)
      throw new AppError("invalid", "url: expected an address such as https://example.org/hook");
    if (url.username !== "" || url.password !== "" || url.hash !== "")
      throw new AppError("invalid", "url: credentials and fragments are not allowed in it");
    try {
      await checkedEndpoints(this.#deps.network, { url, schemes: ["http", "https"] });
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      const { couldBeAllowed } = error;
      const remedy = couldBeAllowed ? "; webhooks.allow_private_targets in server.yaml would let it be" : "";
      throw new AppError(
        error.problem === "refused" ? "refused" : "invalid",
        `url: ${error.message}${remedy}`,
      );
    }
    return url.href;
  }
}

export function subscribes(subscriptions: readonly string[], type: string): boolean {
  return subscriptions.some(
    (one) => one === "*" || one === type || (one.endsWith(".*") && type.startsWith(one.slice(0, -1))),
  );
}

/** Raises `invalid` for what can never match. */
function checkSubscriptions(subscriptions: readonly string[]): void {
  const unknown = subscriptions.find((one) => !eventTypes.some((type) => subscribes([one], type)));
  if (unknown !== undefined)
    throw new AppError(
      "invalid",
      `events: "${unknown}": expected a type of event, a group such as file.*, or *`,
    );
}

function toWebhook({ id, url, events, enabled, created_by, created_at }: HookRow): Webhook {
  return {
    id,
    url,
    events: JSON.parse(events) as string[],
    enabled: enabled === 1,
    created_by,
    created_at: rfc3339(created_at),
  };
}

function toDelivery({
  id,
  webhook_id,
  type,
  state,
  tries,
  status,
  error,
  created_at,
}: DeliveryRow): Delivery {
  return { id, webhook: webhook_id, type, state, tries, status, error, created_at: rfc3339(created_at) };
}
