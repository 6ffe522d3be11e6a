// Words for an audit record: how its actor was signed in, and whether it is readable.

import type { AuditRecord } from "../../../src/service/audit/schema.ts";

export const AUTH_NAMES: Readonly<Record<AuditRecord["auth"], string>> = {
  loopback: "this machine",
  session: "session",
  token: "token",
  system: "system",
  none: "not signed in",
};

/** True if someone edited the record in the database: the server sends it with this action and without a time. */
export const isUnreadable = (record: AuditRecord) => record.action === "unreadable" && record.time === null;
