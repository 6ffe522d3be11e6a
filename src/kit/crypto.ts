// Hashes and bearer tokens. Formats that are stored live here, so that they are stated once.

import { randomSecret } from "./random.ts";

const TOKEN_PREFIX = "cairn_";
const TOKEN_BITS = 256;
/** Longer tokens are refused without a database lookup. */
export const TOKEN_CHARACTERS_MAX = 512;

/** SHA-256 as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return Bun.CryptoHasher.hash("sha256", data, "hex");
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSameSecret(one: string, other: string): boolean {
  return crypto.timingSafeEqual(Buffer.from(sha256Hex(one)), Buffer.from(sha256Hex(other)));
}

/** HMAC-SHA-256 (RFC 2104). */
export function hmacSha256(key: string | Uint8Array, data: string | Uint8Array): Buffer {
  return new Bun.CryptoHasher("sha256", key).update(data).digest();
}

/** The same as lower-case hex. */
export function hmacSha256Hex(key: string, data: string | Uint8Array): string {
  return hmacSha256(key, data).toString("hex");
}

/** A new bearer token: `cairn_` and 256 random bits in base64url. Only its hash may be stored. */
export function newToken(): string {
  return TOKEN_PREFIX + randomSecret(TOKEN_BITS);
}

/** The hash under which a token is stored and looked up. */
export function tokenHash(token: string): string {
  return Bun.CryptoHasher.hash("sha256", token, "hex");
}

/** Canonical JSON: keys sorted at every level, no white space, `undefined` left out (RFC 8785 for the values we store). */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
