// The migrations of a server's database, in order. Never edit a released file: every database stores its hash.

import type { Migration } from "../../kit/storage/migrate.ts";
import init from "./001_server.sql" with { type: "text" };
import events from "./002_events.sql" with { type: "text" };
import webhooks from "./003_webhooks.sql" with { type: "text" };
import audit from "./004_audit.sql" with { type: "text" };
import webhookLag from "./005_webhooks.sql" with { type: "text" };
import console from "./006_console.sql" with { type: "text" };
import freshness from "./007_freshness.sql" with { type: "text" };
import serverSchema from "./whole.sql" with { type: "text" };
import webhookSpaces from "./008_webhook_spaces.sql" with { type: "text" };
import staleHistory from "./009_stale_history.sql" with { type: "text" };
import auditEnd from "./010_audit_end.sql" with { type: "text" };
import auditPending from "./011_audit_pending.sql" with { type: "text" };
import spaceDeeds from "./012_space_deeds.sql" with { type: "text" };
import eventStarts from "./013_event_starts.sql" with { type: "text" };

/** The migration that introduced webhooks, and the one that sealed their secrets. */
export const HOOKS_SINCE = "003_webhooks";
export const SEALED_SINCE = "005_webhooks";

export const serverMigrations: readonly Migration[] = [
  { name: "001_server", sql: init },
  { name: "002_events", sql: events },
  { name: "003_webhooks", sql: webhooks },
  { name: "004_audit", sql: audit },
  { name: "005_webhooks", sql: webhookLag },
  { name: "006_console", sql: console },
  { name: "007_freshness", sql: freshness },
  { name: "008_webhook_spaces", sql: webhookSpaces },
  { name: "009_stale_history", sql: staleHistory },
  { name: "010_audit_end", sql: auditEnd },
  { name: "011_audit_pending", sql: auditPending },
  { name: "012_space_deeds", sql: spaceDeeds },
  { name: "013_event_starts", sql: eventStarts },
];

/** The result of all migrations as one script (tests/house/whole-schema). */
export { serverSchema };
