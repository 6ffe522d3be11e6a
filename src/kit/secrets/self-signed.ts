// A self-signed certificate, made with nothing but node:crypto, for labs and for tests of TLS. Format: X.509 v3 (RFC 5280) in DER; only what a client
// checks: names, validity, key, signature.

import { DAY_MS } from "../clock.ts";
import { generateKeyPairSync, sign } from "node:crypto";
import { secretBytes } from "../random.ts";
import { altNames, bits, ECDSA_WITH_SHA256, integer, oid, pem, sequence, set, tagged, time } from "./der.ts";

interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const COMMON_NAME = oid("2.5.4.3");
const UTF8_STRING = 0x0c;
const SERIAL_BYTES = 8;
const COMMON_NAME_LENGTH_MAX = 64;

interface Validity {
  /** Ms since the epoch. The certificate is valid from the day before, for clocks that are slow. */
  readonly now: number;
  readonly days: number;
}

/** Valid for the hostnames and addresses; the first is its common name. */
export function selfSigned(hosts: readonly [string, ...string[]], { now, days }: Validity): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const commonName = Buffer.from(hosts[0].slice(0, COMMON_NAME_LENGTH_MAX));
  const name = sequence(set(sequence(COMMON_NAME, tagged(UTF8_STRING, commonName))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), secretBytes(SERIAL_BYTES)])),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + days * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(altNames(hosts))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, bits(signature));
  return {
    cert: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
