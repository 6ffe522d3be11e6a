// Serializes and parses an audit record, one line of the file. A record has exactly one serialized form, so a change of any byte is detected.

import { canonicalJson } from "../../kit/crypto.ts";
import { hasMembers, parseExact } from "../../kit/text/exact-json.ts";
import { chainHash } from "../../kit/secrets/hash-chain.ts";
import { parsedObject } from "../../kit/text/parsed-json.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { AuditRecord } from "./schema.ts";

export type RecordBody = Omit<AuditRecord, "hash">;

/** In the order of serialization. Only recovered records have `recovered`. */
const MEMBERS = [
  "seq",
  "id",
  "time",
  "actor",
  "action",
  "space",
  "target",
  "version",
  "content_hash",
  "result",
  "error",
  "request_id",
  "prev",
] as const;
const RECOVERED_MEMBERS = [...MEMBERS.slice(0, -1), "recovered", "prev"];
const ACTOR_MEMBERS = ["name", "role", "auth", "address"] as const;

export function hashOf(body: RecordBody): string {
  return chainHash(canonicalOf(body));
}

/** Equals `canonicalJson`, but is many times faster for a record with exactly the expected members. */
export function canonicalOf(body: RecordBody): string {
  const { actor } = body;
  const isPlain =
    Object.keys(body).length === MEMBERS.length &&
    actor &&
    Object.keys(actor).length === ACTOR_MEMBERS.length;
  if (!isPlain) return canonicalJson(body);
  return JSON.stringify({
    action: body.action,
    actor: { address: actor.address, auth: actor.auth, name: actor.name, role: actor.role },
    content_hash: body.content_hash,
    error: body.error,
    id: body.id,
    prev: body.prev,
    request_id: body.request_id,
    result: body.result,
    seq: body.seq,
    space: body.space,
    target: body.target,
    time: body.time,
    version: body.version,
  });
}

/** Returns the line with its line break. `body` must have its members in the order of `MEMBERS`. */
export function lineOf(body: RecordBody, hash: string): string {
  return `${JSON.stringify({ ...body, hash })}\n`;
}

/** Undefined if the line is not a record. Accepts any JSON formatting; `isAsWritten` checks for the server's own. */
export function parseRecord(bytes: Uint8Array): AuditRecord | undefined {
  const value = parsedObject(decodeUtf8(bytes) ?? "") as AuditRecord | undefined;
  return Number.isSafeInteger(value?.seq) ? value : undefined;
}

/** Reports whether the line is, byte for byte, what the server writes for this record. */
export function isAsWritten(bytes: Uint8Array): boolean {
  const text = decodeUtf8(bytes);
  const value = text === undefined ? undefined : parseExact(text);
  if (typeof value !== "object" || value === null) return false;
  const { hash: _hash, ...body } = value as AuditRecord;
  const names = body.recovered === undefined ? MEMBERS : RECOVERED_MEMBERS;
  const { actor } = body;
  return (
    Object.keys(value).at(-1) === "hash" &&
    hasMembers(body, names) &&
    typeof actor === "object" &&
    actor !== null &&
    hasMembers(actor, ACTOR_MEMBERS)
  );
}
