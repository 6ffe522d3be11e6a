// A self-signed certificate, made with nothing but node:crypto, for labs and for tests of TLS. Format: X.509 v3 (RFC 5280) in DER; only what a client
// checks: names, validity, key, signature.

import { generateKeyPairSync, sign } from "node:crypto";
import { addressBytes } from "../network/addresses.ts";
import { secretBytes } from "../random.ts";

interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = oid("1.2.840.10045.4.3.2");
const COMMON_NAME = oid("2.5.4.3");
const SUBJECT_ALT_NAME = oid("2.5.29.17");
const DAY_MS = 86_400_000;
const SERIAL_BYTES = 8;
const COMMON_NAME_LENGTH_MAX = 64;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

interface Validity {
  /** Ms since the epoch. The certificate is valid from the day before, for clocks that are slow. */
  readonly now: number;
  readonly days: number;
}

/** Valid for the host names and addresses; the first is its common name. */
export function selfSigned(hosts: readonly [string, ...string[]], { now, days }: Validity): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const commonName = Buffer.from(hosts[0].slice(0, COMMON_NAME_LENGTH_MAX));
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, commonName))));
  const altNames = sequence(...hosts.map(altName));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), secretBytes(SERIAL_BYTES)])),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + days * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, altNames)))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { cert: pem(certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

function altName(host: string): Buffer {
  const address = addressBytes(host);
  return address === undefined
    ? tagged(DNS_NAME, Buffer.from(host))
    : tagged(IP_ADDRESS, Buffer.from(address));
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
