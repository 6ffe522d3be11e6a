// The only source of randomness. Unguessable values come from the system's generator, by the Web API: loading `node:crypto` takes 10 ms of a start.

const CALL_ID_CHARACTERS = 9;
const CALL_ID_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BOOT_ID_BYTES = 6;

/** A secret of the given strength, base64url without padding: 256 bits → 43 characters. */
export function randomSecret(bits: number): string {
  return secretBytes(bits / 8).toString("base64url");
}

/** Key material and nonces. */
export function secretBytes(count: number): Buffer {
  return crypto.getRandomValues(Buffer.alloc(count));
}

/** Fetches random bytes in bulk, because a system call costs more than an id. */
const POOL_BYTES = 4096;
let pool: Buffer = Buffer.alloc(0);

/** Random lower-case hex digits, for ids: 48 bits → 12. */
export function randomHex(bits: number): string {
  const bytes = bits / 8;
  if (pool.length < bytes) pool = secretBytes(POOL_BYTES);
  const digits = pool.toString("hex", 0, bytes);
  pool = pool.subarray(bytes);
  return digits;
}

/** Returns the id of a tool call as models see it: nine letters and digits (53 bits), because one provider accepts no other form. */
export function randomCallId(): string {
  const digits = Array.from(
    secretBytes(CALL_ID_CHARACTERS),
    (byte) => CALL_ID_ALPHABET[byte % CALL_ID_ALPHABET.length],
  );
  return digits.join("");
}

/** Returns a request id, unique within this process run and cheap to create. */
export function requestIds(): () => string {
  const boot = secretBytes(BOOT_ID_BYTES).toString("hex");
  let count = 0;
  return () => `${boot}-${(++count).toString(36)}`;
}
