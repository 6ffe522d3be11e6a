// Writes DER, the encoding of certificates and of requests for them (X.690), and PEM around it: only the types that we need.

import { addressBytes } from "../network/addresses.ts";

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTC_TIME = 0x17;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

export const ECDSA_WITH_SHA256 = oid("1.2.840.10045.4.3.2");
const SUBJECT_ALT_NAME = oid("2.5.29.17");

export function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, content]);
}

export function sequence(...parts: Buffer[]): Buffer {
  return tagged(SEQUENCE, Buffer.concat(parts));
}

export function set(...parts: Buffer[]): Buffer {
  return tagged(SET, Buffer.concat(parts));
}

export function integer(bytes: Buffer): Buffer {
  return tagged(INTEGER, bytes);
}

export function octets(content: Buffer): Buffer {
  return tagged(OCTET_STRING, content);
}

/** Whole bytes. */
export function bits(content: Buffer): Buffer {
  return tagged(BIT_STRING, Buffer.concat([Buffer.from([0]), content]));
}

/** UTCTime, `YYMMDDhhmmssZ`. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(UTC_TIME, Buffer.from(`${digits}Z`));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** The extension of a certificate that names its hosts and addresses. */
export function altNames(hosts: readonly string[]): Buffer {
  return sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(altName))));
}

function altName(host: string): Buffer {
  const address = addressBytes(host);
  return address === undefined
    ? tagged(DNS_NAME, Buffer.from(host))
    : tagged(IP_ADDRESS, Buffer.from(address));
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
