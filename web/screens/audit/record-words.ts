// A record of the audit in words: how its actor was signed in, and whether it can still be read.

import type { AuditRecord } from "../../../src/service/audit/schema.ts";

export const AUTH_NAMES: Readonly<Record<AuditRecord["auth"], string>> = {
  loopback: "this machine",
  session: "session",
  token: "token",
  system: "the service",
  none: "not signed in",
};

/** Somebody changed the database behind the service's back; the server shows such a record with this action and without a time. */
export const isUnreadable = (record: AuditRecord) => record.action === "unreadable" && record.time === null;
