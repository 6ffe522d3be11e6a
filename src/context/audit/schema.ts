// The record of everything that was changed and of everything that was refused: one JSON line each, each closing over the one before.

import { Type, type Static } from "@sinclair/typebox";
import { Role } from "../access/schema.ts";
import { authKinds } from "../people/schema.ts";
import { closed, nullable, oneOf, PageQuery, Time } from "../../kit/schema.ts";

export const auditResults = ["ok", "denied", "error"] as const;
export const exportFormats = ["jsonl", "csv"] as const;

export const AuditActor = closed({
  name: Type.String(),
  role: nullable(Role),
  auth: oneOf(authKinds),
  address: Type.String(),
});

export const AuditRecord = closed({
  seq: Type.Integer({ minimum: 1 }),
  id: Type.String(),
  time: Time,
  actor: AuditActor,
  action: Type.String(),
  space: nullable(Type.String()),
  target: nullable(Type.String({ description: "canonical path, or name of a user, token, webhook" })),
  version: nullable(Type.Integer()),
  content_hash: nullable(Type.String({ description: "SHA-256, hex" })),
  result: oneOf(auditResults),
  /** Code and message of a refusal; null when it went well. */
  error: nullable(Type.String()),
  request_id: Type.String(),
  prev: Type.String(),
  hash: Type.String({ description: "SHA-256 over the canonical JSON of the record without `hash`" }),
});
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditQuery = Type.Composite(
  [
    PageQuery,
    closed({
      actor: Type.Optional(Type.String()),
      action: Type.Optional(Type.String()),
      space: Type.Optional(Type.String()),
      result: Type.Optional(oneOf(auditResults)),
      since: Type.Optional(Type.String()),
      until: Type.Optional(Type.String()),
    }),
  ],
  { additionalProperties: false },
);
export type AuditQuery = Static<typeof AuditQuery>;

export const ExportQuery = Type.Composite(
  [Type.Omit(AuditQuery, ["limit"]), closed({ format: Type.Optional(oneOf(exportFormats)) })],
  { additionalProperties: false },
);

export const AuditStats = closed({
  entries: Type.Integer(),
  first: nullable(Time),
  last: nullable(Time),
  actions: Type.Record(Type.String(), Type.Integer()),
  results: Type.Record(Type.String(), Type.Integer()),
});
export type AuditStats = Static<typeof AuditStats>;

export const AuditVerification = closed({
  ok: Type.Boolean(),
  /** Records whose hash was checked. */
  entries: Type.Integer(),
  /** Records without a hash, from before the chain existed. */
  skipped: Type.Integer(),
  /** First line that was edited, removed or reordered; null when the chain holds. */
  line: nullable(Type.Integer()),
  problem: nullable(Type.String()),
  /** Was the end compared with what the server had counted? */
  anchored: Type.Boolean(),
});
export type AuditVerification = Static<typeof AuditVerification>;
