// The rules of webhooks: who may create them, what they receive and where they may send it. A target inside the network is refused when it is
// saved and at every connection.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import { AppError, notFound } from "../../kit/error.ts";
import type { Network } from "../../kit/network/outbound.ts";
import { randomSecret } from "../../kit/random.ts";
import type { Events } from "../events/events.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Changes, Write } from "../people/changes.ts";
import { requireSpaces, spacesOf, storedSpaces } from "../people/space-names.ts";
import type { DeadLetterFile } from "./dead-letter.ts";
import { newDeliveryId, type Deliveries } from "./delivery.ts";
import {
  DELIVERIES_KEPT,
  WEBHOOKS_MAX,
  type CreatedWebhook,
  type CreateWebhook,
  type DeadLetter,
  type Delivery,
  type HookState,
  type UpdateWebhook,
  type Webhook,
} from "./schema.ts";
import type { HookOwners } from "./owners.ts";
import type { HookSecrets } from "./secrets.ts";
import { checkTypes } from "./subscriptions.ts";
import type { DeliveryRow, HookRow, WebhookStore } from "./store.ts";
import { checkedTarget } from "./target.ts";

const SECRET_BITS = 256;
const LIST_MAX = 100;
/** The most pending tests and redeliveries of a hook. */
const WAITING_BY_HAND_MAX = 256;
const TEST_TYPE = "webhook.test";

interface WebhooksDeps {
  readonly changes: Changes;
  readonly store: WebhookStore;
  readonly deliveries: Deliveries;
  readonly secrets: HookSecrets;
  readonly deadLetters: DeadLetterFile;
  readonly network: Network;
  readonly events: Events;
  readonly clock: Clock;
  readonly spaceExists: (name: string) => boolean;
  readonly owners: Pick<HookOwners, "problemOf" | "timeOfNew">;
}

export class Webhooks {
  readonly #deps: WebhooksDeps;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  /** Counts the webhooks that cannot sign because the key of their secrets is missing. For the code that opened the server. */
  withoutSecret(): number {
    const { store, secrets } = this.#deps;
    return store.all.all().filter((row) => secrets.problemOf(row) !== null).length;
  }

  list(caller: Caller): Webhook[] {
    requireAdmin(caller);
    return this.#deps.store.all.all().map((row) => this.#shown(row));
  }

  get(caller: Caller, id: number): HookState {
    requireAdmin(caller);
    return this.#state(this.#row(id));
  }

  /** As `list`, with how far each has come. */
  states(caller: Caller): HookState[] {
    requireAdmin(caller);
    return this.#deps.store.all.all().map((row) => this.#state(row));
  }

  #state(row: HookRow): HookState {
    const { store, deliveries } = this.#deps;
    const [last] = store.deliveries.all(row.id, 1);
    return { ...this.#shown(row), lag: deliveries.lagOf(row.id), last: last ? toDelivery(last) : null };
  }

  async create(
    caller: Caller,
    { url, events = ["*"], spaces = null }: CreateWebhook,
  ): Promise<CreatedWebhook> {
    const secret = randomSecret(SECRET_BITS);
    const { store, secrets, deliveries, owners, clock } = this.#deps;
    const row = await this.#changed(caller, "new", async (write) => {
      checkTypes(events);
      const target = await checkedTarget(this.#deps.network, url);
      return write(() => {
        if (store.all.all().length >= WEBHOOKS_MAX)
          throw new AppError(
            "conflict",
            `the limit of ${WEBHOOKS_MAX} webhooks is reached; delete one first`,
          );
        requireSpaces(spaces, this.#isSeenBy(caller));
        const list = JSON.stringify(events);
        const operator = Number(caller.auth === "local");
        const from = this.#deps.events.last;
        const made = store.insert.get({
          url: target,
          events: list,
          spaces: storedSpaces(spaces),
          cursor: from,
          created_by: caller.name,
          by_operator: operator,
          created_at: owners.timeOfNew(caller.name, clock.now()),
        })!;
        // Sealing binds the secret to the id of the row, so insert first.
        store.setSecret.run(secrets.seal(secret, made.id), made.id);
        return this.#row(made.id);
      });
    });
    deliveries.follow(row);
    return { ...this.#shown(row), secret };
  }

  async update(caller: Caller, id: number, change: UpdateWebhook): Promise<Webhook> {
    const { store, deliveries } = this.#deps;
    const row = await this.#changed(caller, String(id), async (write) => {
      this.#row(id);
      if (change.events) checkTypes(change.events);
      const target =
        change.url === undefined ? undefined : await checkedTarget(this.#deps.network, change.url);
      return write(() => {
        const { url, events, spaces, enabled, cursor } = this.#row(id);
        requireSpaces(change.spaces, this.#isSeenBy(caller), spaces);
        const now = change.enabled === undefined ? enabled : Number(change.enabled);
        // Events from while it was disabled are not sent.
        const from = now === 1 && enabled === 0 ? this.#deps.events.last : cursor;
        const list = change.events ? JSON.stringify(change.events) : events;
        const names = change.spaces === undefined ? spaces : storedSpaces(change.spaces);
        store.update.run({
          id,
          url: target ?? url,
          events: list,
          spaces: names,
          enabled: now,
          cursor: from,
        });
        return this.#row(id);
      });
    });
    deliveries.follow(row);
    if (row.enabled === 0) await deliveries.giveUp(id);
    return this.#shown(row);
  }

  /** Replaces the secret, from the next attempt on. */
  async rotateSecret(caller: Caller, id: number): Promise<CreatedWebhook> {
    const secret = randomSecret(SECRET_BITS);
    const { store, secrets } = this.#deps;
    const row = await this.#changed(caller, String(id), (write) =>
      write(() => {
        store.setSecret.run(secrets.seal(secret, this.#row(id).id), id);
        return this.#row(id);
      }),
    );
    return { ...this.#shown(row), secret };
  }

  async remove(caller: Caller, id: number): Promise<void> {
    const { store, deliveries } = this.#deps;
    await this.#changed(caller, String(id), (write) =>
      write(() => {
        const row = this.#row(id);
        store.remove.run(id);
        return row;
      }),
    );
    deliveries.cancel(id);
  }

  /** Sends a test event to this hook only. */
  async test(caller: Caller, id: number): Promise<Delivery> {
    requireAdmin(caller);
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
      actor: caller.name,
      data: { webhook: id },
    });
    return this.#sendNow(caller, this.#row(id), { id: delivery, type: TEST_TYPE, body });
  }

  async redeliver(caller: Caller, id: string): Promise<Delivery> {
    requireAdmin(caller);
    const row = this.#deps.store.delivery.get(id);
    if (!row) throw notFound("delivery", id);
    const { type, body } = row;
    return this.#sendNow(caller, this.#row(row.webhook_id), { id: newDeliveryId(), type, body });
  }

  /** Newest first. `before`: the last delivery of the previous page. */
  deliveries(caller: Caller, id: number, before?: string, limit = LIST_MAX): Delivery[] {
    requireAdmin(caller);
    this.#row(id);
    const { store } = this.#deps;
    const rows =
      before === undefined ? store.deliveries.all(id, limit) : store.deliveriesBefore.all(id, before, limit);
    return rows.map(toDelivery);
  }

  deadLetters(caller: Caller): DeadLetter[] {
    requireAdmin(caller);
    return this.#deps.deadLetters.read(LIST_MAX);
  }

  async #sendNow(
    caller: Caller,
    hook: HookRow,
    { id, type, body }: { id: string; type: string; body: string },
  ): Promise<Delivery> {
    const { changes, store, deliveries, clock } = this.#deps;
    if (hook.enabled === 0) throw new AppError("conflict", `webhook ${hook.id} is disabled`);
    const deed = { action: "webhook.send", target: String(hook.id) };
    await changes.byAdmin(caller, deed, (write) =>
      write(() => {
        if (store.waitingByHand.get(hook.id)!.count >= WAITING_BY_HAND_MAX)
          throw new AppError(
            "unavailable",
            `webhook ${hook.id} already has ${WAITING_BY_HAND_MAX} pending deliveries; try again later`,
          );
        store.begin.run({ id, webhook_id: hook.id, event_seq: null, type, body, created_at: clock.now() });
        store.forget.run(hook.id, DELIVERIES_KEPT);
      }),
    );
    deliveries.wake(hook.id);
    return toDelivery(store.delivery.get(id)!);
  }

  #changed(
    caller: Caller,
    target: string,
    act: (write: Write<HookRow>) => Promise<HookRow>,
  ): Promise<HookRow> {
    const deed = { action: "webhook.change", target };
    return this.#deps.changes.byAdmin(caller, deed, act, {
      about: ({ id }) => ({ target: String(id) }),
      event: ({ id }) => ({ type: deed.action, actor: caller.name, data: { webhook: id } }),
    });
  }

  #shown(row: HookRow): Webhook {
    const { id, url, events, enabled, created_by, created_at, dropped } = row;
    const spaces = spacesOf(row.spaces);
    return {
      id,
      url,
      events: JSON.parse(events) as string[],
      spaces,
      enabled: enabled === 1,
      problem:
        this.#deps.owners.problemOf(row) ?? this.#deps.secrets.problemOf(row) ?? this.#spacesProblem(spaces),
      dropped,
      created_by,
      created_at: rfc3339(created_at),
    };
  }

  #row(id: number): HookRow {
    const row = this.#deps.store.byId.get(id);
    if (!row) throw notFound("webhook", id);
    return row;
  }

  /** A space that the caller may not see is unknown. */
  #isSeenBy({ rights }: Caller): (name: string) => boolean {
    return (name) => this.#deps.spaceExists(name) && rights.sees(name);
  }

  #spacesProblem(spaces: readonly string[] | null): string | null {
    if (spaces === null || spaces.some((name) => this.#deps.spaceExists(name))) return null;
    return spaces.length === 1
      ? `its space ${spaces[0]} was deleted`
      : `all of its ${spaces.length} spaces were deleted`;
  }
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
