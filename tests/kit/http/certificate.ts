// A self-signed certificate for one host name, made with nothing but node:crypto, so that tests of TLS need no tool and keep no key in
// the repository. Format: X.509 v3 (RFC 5280) in DER; only what a client checks: name, validity, key, signature.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = oid("1.2.840.10045.4.3.2");
const COMMON_NAME = oid("2.5.4.3");
const SUBJECT_ALT_NAME = oid("2.5.29.17");
const DAY_MS = 86_400_000;

export function selfSigned(hostname: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(hostname)))));
  const altNames = sequence(tagged(0x82, Buffer.from(hostname)));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, altNames)))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { cert: pem(certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

/** UTCTime, `YYMMDDhhmmssZ`. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}
