// The event envelope, shared by the stream and webhooks.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";

export const eventTypes = [
  "file.write",
  "file.delete",
  "file.undelete",
  "file.destroy",
  "space.create",
  "space.delete",
  "space.push",
  "space.snapshot",
  "space.restore",
  "space.quotas",
  "space.sync",
  "user.add",
  "user.role",
  "user.disable",
  "user.enable",
  "token.create",
  "token.revoke",
  "auth.login",
  "auth.locked",
  "acl.change",
  "webhook.change",
  "quota.warning",
  "quota.exceeded",
  "secret.blocked",
  "freshness.stale",
  "conflict.open",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Older events are deleted; a client that was away longer reads the changes of the spaces instead. */
export const EVENTS_KEPT = 100_000;

export const EventEnvelope = closed({
  id: Type.String(),
  seq: Type.Integer({ minimum: 1 }),
  type: oneOf(eventTypes),
  created: Time,
  space: nullable(Type.String()),
  path: nullable(Type.String()),
  version: nullable(Type.Integer()),
  actor: Type.String(),
  data: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
});
export type EventEnvelope = Static<typeof EventEnvelope>;

export const EventsQuery = closed({
  spaces: Type.Optional(Type.String({ description: "names, separated by commas" })),
  after: Type.Optional(Type.Integer({ minimum: 0 })),
});
