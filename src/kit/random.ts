// Randomness, read here only. Everything that must not be guessed comes from the system's generator.

import { randomBytes } from "node:crypto";

const CALL_ID_BYTES = 12;
const BOOT_ID_BYTES = 6;

/** A secret of the given strength, base64url without padding: 256 bits → 43 characters. */
export function randomSecret(bits: number): string {
  return randomBytes(bits / 8).toString("base64url");
}

/** Key material and nonces. */
export function secretBytes(count: number): Buffer {
  return randomBytes(count);
}

/** Asking the system costs more than an id does, so it is asked for many at once. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

/** Random lower-case hex digits, for ids: 48 bits → 12. */
export function randomHex(bits: number): string {
  const bytes = bits / 8;
  if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
  const digits = pool.toString("hex", 0, bytes);
  pool = pool.subarray(bytes);
  return digits;
}

/** Id of a tool call as models see it: letters and digits only, accepted by every provider. */
export function randomCallId(): string {
  return `call_${randomBytes(CALL_ID_BYTES).toString("hex")}`;
}

/** Ids for requests: unique for this process run, cheap enough to make for each request. */
export function requestIds(): () => string {
  const boot = randomBytes(BOOT_ID_BYTES).toString("hex");
  let count = 0;
  return () => `${boot}-${(++count).toString(36)}`;
}
