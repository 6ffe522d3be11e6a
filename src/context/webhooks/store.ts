// SQL of webhooks and of the log of their deliveries.

import type { Db } from "../../kit/db.ts";
import type { Delivery } from "./schema.ts";

export interface HookRow {
  id: number;
  url: string;
  events: string;
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

const HOOK = "id, url, events, secret, enabled, cursor, created_by, by_operator, created_at, dropped";
const DELIVERY = "id, webhook_id, event_seq, type, body, state, tries, status, error, created_at";

export class WebhookStore {
  readonly all;
  readonly byId;
  readonly insert;
  readonly secrets;
  readonly setSecret;
  readonly update;
  readonly remove;
  readonly advance;
  readonly deliveries;
  readonly delivery;
  readonly waiting;
  readonly waitingByHand;
  readonly begin;
  readonly tried;
  readonly finish;
  readonly giveUp;
  readonly drop;
  readonly forget;

  constructor(db: Db) {
    this.all = db.query<HookRow, []>(`SELECT ${HOOK} FROM webhooks ORDER BY id`);
    this.byId = db.query<HookRow, [number]>(`SELECT ${HOOK} FROM webhooks WHERE id = ?`);
    this.insert = db.query<HookRow, [string, string, number, string, number, number]>(
      `INSERT INTO webhooks (url, events, secret, cursor, created_by, by_operator, created_at) VALUES (?, ?, '', ?, ?, ?, ?) RETURNING ${HOOK}`,
    );
    this.secrets = db.query<Pick<HookRow, "id" | "secret">, []>("SELECT id, secret FROM webhooks");
    this.setSecret = db.query<never, [string, number]>("UPDATE webhooks SET secret = ? WHERE id = ?");
    this.update = db.query<never, [string, string, number, number, number]>(
      "UPDATE webhooks SET url = ?, events = ?, enabled = ?, cursor = ? WHERE id = ?",
    );
    this.remove = db.query<never, [number]>("DELETE FROM webhooks WHERE id = ?");
    this.advance = db.query<never, [number, number]>(
      "UPDATE webhooks SET cursor = max(cursor, ?1) WHERE id = ?2",
    );
    this.deliveries = db.query<DeliveryRow, [number, number]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = ? ORDER BY number DESC LIMIT ?`,
    );
    this.delivery = db.query<DeliveryRow, [string]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE id = ?`,
    );
    // An event that was begun comes first: its number is below those that follow.
    this.waiting = db.query<DeliveryRow, [number]>(
      `SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting' ORDER BY number LIMIT 1`,
    );
    this.waitingByHand = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = ? AND state = 'waiting' AND event_seq IS NULL",
    );
    this.begin = db.query<never, [string, number, number | null, string, string, number]>(
      "INSERT INTO webhook_deliveries (id, webhook_id, event_seq, type, body, state, created_at) VALUES (?, ?, ?, ?, ?, 'waiting', ?)",
    );
    this.tried = db.query<never, [number, number | null, string | null, string]>(
      "UPDATE webhook_deliveries SET tries = ?, status = ?, error = ? WHERE id = ?",
    );
    this.giveUp = db.query<never, [string, number]>(
      "UPDATE webhook_deliveries SET state = 'failed', error = ? WHERE webhook_id = ? AND state = 'waiting'",
    );
    this.drop = db.query<never, [number, number]>("UPDATE webhooks SET dropped = dropped + ? WHERE id = ?");
    this.finish = db.query<never, [Delivery["state"], number, number | null, string | null, string]>(
      "UPDATE webhook_deliveries SET state = ?, tries = ?, status = ?, error = ? WHERE id = ?",
    );
    this.forget = db.query<never, [number, number]>(
      "DELETE FROM webhook_deliveries WHERE webhook_id = ?1 AND number <= (SELECT number FROM webhook_deliveries WHERE webhook_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
    );
  }
}
