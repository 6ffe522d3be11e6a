// The SQL of webhooks and of the log of their deliveries.

import type { Db } from "../../kit/storage/db.ts";
import type { Delivery } from "./schema.ts";

export interface HookRow {
  id: number;
  url: string;
  events: string;
  /** JSON array of names; null: every space, and events that belong to none. */
  spaces: string | null;
  /** Sealed. */
  secret: string;
  enabled: number;
  cursor: number;
  created_by: string;
  by_operator: number;
  created_at: number;
  dropped: number;
}

export interface DeliveryRow {
  id: string;
  webhook_id: number;
  event_seq: number | null;
  type: string;
  body: string;
  state: Delivery["state"];
  tries: number;
  status: number | null;
  error: string | null;
  created_at: number;
}

type NewHook = Pick<
  HookRow,
  "url" | "events" | "spaces" | "cursor" | "created_by" | "by_operator" | "created_at"
>;

type NewDelivery = Omit<DeliveryRow, "state" | "tries" | "status" | "error">;

type Tried = Pick<DeliveryRow, "id" | "tries" | "status" | "error">;

const HOOK = "id, url, events, spaces, secret, enabled, cursor, created_by, by_operator, created_at, dropped";
const DELIVERY = "id, webhook_id, event_seq, type, body, state, tries, status, error, created_at";

export type WebhookStore = ReturnType<typeof webhookStore>;

export function webhookStore(db: Db) {
  return {
    all: db.query<HookRow, []>(`SELECT ${HOOK} FROM webhooks ORDER BY id`),
    byId: db.query<HookRow, [number]>(`SELECT ${HOOK} FROM webhooks WHERE id = ?`),
    insert: db.query<HookRow, NewHook>(
      `INSERT INTO webhooks (url, events, spaces, secret, cursor, created_by, by_operator, created_at)
       VALUES ($url, $events, $spaces, '', $cursor, $created_by, $by_operator, $created_at) RETURNING ${HOOK}`,
    ),
    secrets: db.query<Pick<HookRow, "id" | "secret">, []>("SELECT id, secret FROM webhooks"),
    setSecret: db.query<never, [string, number]>("UPDATE webhooks SET secret = ? WHERE id = ?"),
    update: db.query<never, Pick<HookRow, "id" | "url" | "events" | "spaces" | "enabled" | "cursor">>(
      "UPDATE webhooks SET url = $url, events = $events, spaces = $spaces, enabled = $enabled, cursor = $cursor WHERE id = $id",
    ),
    remove: db.query<never, [number]>("DELETE FROM webhooks WHERE id = ?"),
    advance: db.query<never, [number, number]>("UPDATE webhooks SET cursor = max(cursor, ?1) WHERE id = ?2"),
    deliveries: db.query<DeliveryRow, [number, number]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = ? ORDER BY number DESC LIMIT ?`,
    ),
    deliveriesBefore: db.query<DeliveryRow, [number, string, number]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = ? AND number <
         (SELECT number FROM webhook_deliveries WHERE id = ?) ORDER BY number DESC LIMIT ?`,
    ),
    delivery: db.query<DeliveryRow, [string]>(`SELECT ${DELIVERY} FROM webhook_deliveries WHERE id = ?`),
    // A started event comes first, because its number is lower than those that follow.
    waiting: db.query<DeliveryRow, [number]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting' ORDER BY number LIMIT 1`,
    ),
    waitingByHand: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting' AND event_seq IS NULL",
    ),
    begin: db.query<never, NewDelivery>(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_seq, type, body, state, created_at)
       VALUES ($id, $webhook_id, $event_seq, $type, $body, 'waiting', $created_at)`,
    ),
    tried: db.query<never, Tried>(
      "UPDATE webhook_deliveries SET tries = $tries, status = $status, error = $error WHERE id = $id",
    ),
    drop: db.query<never, [number, number]>("UPDATE webhooks SET dropped = dropped + ? WHERE id = ?"),
    finish: db.query<never, Tried & { state: Delivery["state"] }>(
      "UPDATE webhook_deliveries SET state = $state, tries = $tries, status = $status, error = $error WHERE id = $id",
    ),
    forget: db.query<never, [number, number]>(
      `DELETE FROM webhook_deliveries WHERE webhook_id = ?1 AND number <=
         (SELECT number FROM webhook_deliveries WHERE webhook_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`,
    ),
  };
}
