// Public keys as they stand in an `id_ed25519.pub` file: a type, the key in Base64, and perhaps a comment.

import type { PublicKey } from "./schema.ts";

const TYPES = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "ssh-rsa",
] as const;
const RSA_BYTES_MIN = 256;
const ED25519_BYTES = 32;
const LENGTH_BYTES = 4;

/** Returns what is wrong with a text that is not the public key of a supported type. */
export function parsePublicKey(text: string): PublicKey | string {
  if (text.includes("PRIVATE KEY")) return "this is a private key; use the file that ends with .pub";
  const [type = "", blob = ""] = text.trim().split(/[ \t]+/);
  if (/[\r\n]/.test(text.trim())) return "one line expected, as in id_ed25519.pub";
  if (!TYPES.some((one) => one === type))
    return `"${type.slice(0, 40)}" is not a supported type; use one of ${TYPES.join(", ")}, without options in front`;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(blob)) return "the part after the type is not Base64";
  const bytes = Buffer.from(blob, "base64");
  const parts = partsOf(bytes);
  if (parts?.[0]?.toString("latin1") !== type) return "incomplete, or its content does not match its type";
  const problem = problemOf(type, parts.slice(1));
  return problem ?? { type, blob: bytes.toString("base64"), fingerprint: fingerprintOf(bytes) };
}

export function fingerprintOf(bytes: Uint8Array): string {
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("base64");
  return `SHA256:${hash.replace(/=+$/, "")}`;
}

/** RFC 4251, 5: strings with their length in front. Undefined if they do not fill the bytes. */
function partsOf(bytes: Buffer): Buffer[] | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + LENGTH_BYTES > bytes.length) return undefined;
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32BE(at);
    if (at > bytes.length) return undefined;
    parts.push(bytes.subarray(start, at));
  }
  return parts;
}

function problemOf(type: string, parts: readonly Buffer[]): string | undefined {
  if (type === "ssh-rsa") {
    const modulus = parts[1];
    if (parts.length !== 2 || modulus === undefined) return "incomplete";
    // A zero byte in front marks the number as positive.
    const bytes = modulus.length - (modulus[0] === 0 ? 1 : 0);
    return bytes < RSA_BYTES_MIN ? `an RSA key of ${bytes * 8} bits is too weak; 2048 at least` : undefined;
  }
  if (type === "ssh-ed25519")
    return parts.length === 1 && parts[0]!.length === ED25519_BYTES ? undefined : "incomplete";
  return parts.length === 2 ? undefined : "incomplete";
}
