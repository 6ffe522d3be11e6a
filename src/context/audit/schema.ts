// The schema of the audit record: one JSON line for every change and every refusal, each containing the hash of the previous line.

import { Type, type Static } from "@sinclair/typebox";
import { Role } from "../access/schema.ts";
import { authKinds } from "../identity/schema.ts";
import { closed, Id, ID_LIMITS, nullable, oneOf, PageQuery, Time } from "../../kit/schema.ts";

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
  id: Type.String({
    description:
      "for a change in a space: the head of the space after it, so that no change is recorded twice",
  }),
  time: Time,
  actor: AuditActor,
  action: Type.String(),
  space: nullable(Type.String()),
  target: nullable(Type.String({ description: "canonical path, or the name of a user, token or webhook" })),
  version: nullable(Type.Integer()),
  content_hash: nullable(Type.String({ description: "SHA-256, hex" })),
  result: oneOf(auditResults),
  /** Code and message of a refusal; null on success. */
  error: nullable(Type.String()),
  request_id: Type.String(),
  recovered: Type.Optional(
    Type.Literal(true, {
      description:
        "recorded at startup from the log of the space, because a crash came between the change and its record",
    }),
  ),
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

const Count = Type.Integer({ minimum: 0 });

/** A mismatch between the file and its anchor. Reported until an admin acknowledges it, and kept afterwards. */
export const AuditBreak = closed({
  id: Id,
  noticed_at: Time,
  line: Count,
  problem: Type.String(),
  expected_entries: Type.Integer({ minimum: 0, description: "records that the server had written" }),
  expected_hash: Type.String({ description: "hash of the last of them" }),
  found_entries: Type.Integer({ minimum: 0, description: "intact records before the line" }),
  found_hash: Type.String({ description: "hash of the last of them" }),
  acknowledged_at: nullable(Time),
  acknowledged_by: nullable(Type.String()),
});
export type AuditBreak = Static<typeof AuditBreak>;

/** Describes a break in one sentence. */
export function breakText(one: AuditBreak): string {
  return `line ${one.line}: ${one.problem}; the server had written ${one.expected_entries} records, the last with hash ${one.expected_hash}; ${one.found_entries} held, the last with hash ${one.found_hash}`;
}

export const AcknowledgeBreaks = closed({
  up_to: Type.Integer({
    ...ID_LIMITS,
    description: "id of the newest break to acknowledge, together with all older ones",
  }),
});
export type AcknowledgeBreaks = Static<typeof AcknowledgeBreaks>;

export const AuditVerification = closed({
  ok: Type.Boolean(),
  /** Records whose hash was checked. */
  entries: Count,
  /** Records without a hash, from before the chain existed. */
  skipped: Count,
  /** Broken lines that an admin acknowledged, unchanged since then. */
  acknowledged: Count,
  /** First line that was edited, removed or reordered; null if the chain is intact or nothing could be checked. */
  line: nullable(Type.Integer()),
  problem: nullable(Type.String()),
  /** Whether the end was compared with the server's own count. */
  anchored: Type.Boolean(),
  /** Detected and not acknowledged yet. */
  breaks: Type.Array(AuditBreak),
});
export type AuditVerification = Static<typeof AuditVerification>;
