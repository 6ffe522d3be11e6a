// Audit records: who decided what, how they authenticated, and the hash of the exact content. Each record contains the hash of the previous one.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, PageQuery, Time } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";

export const AuditRecord = closed({
  seq: Type.Integer(),
  /** Null for an unreadable record (action `unreadable`): the database was changed behind the service's back. */
  time: nullable(Time),
  actor_id: nullable(Id),
  actor: Type.String(),
  role: Type.String(),
  auth: Type.Union([AuthKind, Type.Literal("system"), Type.Literal("none")], {
    description: "`none`: no valid credential was presented",
  }),
  address: Type.String(),
  action: Type.String(),
  target: Type.String(),
  detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  content_hash: nullable(Type.String()),
  request_id: Type.String(),
  prev: Type.String(),
  hash: Type.String(),
});
export type AuditRecord = Static<typeof AuditRecord>;

/** A record as it is listed: with the present name of its target, which is not part of the chain. */
export const ListedRecord = closed({
  ...AuditRecord.properties,
  target_name: nullable(
    Type.String({
      description: "the present name of the target, or the one in the record; null if neither is known",
    }),
  ),
});
export type ListedRecord = Static<typeof ListedRecord>;

const Filter = {
  action: Type.Optional(Type.String()),
  actor: Type.Optional(Type.String()),
  since: Type.Optional(Type.String({ description: "RFC 3339, or a date (UTC)" })),
  until: Type.Optional(Type.String({ description: "RFC 3339, or a date (UTC); not included" })),
};
export const AuditExportQuery = closed(Filter);
export type AuditExportQuery = Static<typeof AuditExportQuery>;
export const AuditQuery = closed({ ...PageQuery.properties, ...Filter });
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditVerification = closed({
  ok: Type.Boolean(),
  entries: Type.Integer(),
  head: Type.String(),
  /** The first record that was edited, removed or reordered; null when the chain is intact. */
  broken_at: nullable(Type.Integer()),
  problem: nullable(Type.String()),
});
export type AuditVerification = Static<typeof AuditVerification>;
