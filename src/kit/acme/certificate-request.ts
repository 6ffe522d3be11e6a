// A request for a certificate, with a new key (PKCS #10, RFC 2986). The names are in the extension only, since authorities ignore the subject.

import { generateKeyPairSync, sign } from "node:crypto";
import { altNames, bits, ECDSA_WITH_SHA256, integer, oid, sequence, set, tagged } from "../secrets/der.ts";

const EXTENSION_REQUEST = oid("1.2.840.113549.1.9.14");
const ATTRIBUTES = 0xa0;

interface CertificateRequest {
  /** PEM. */
  readonly key: string;
  readonly der: Buffer;
}

export function certificateRequest(domains: readonly string[]): CertificateRequest {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const body = sequence(
    integer(Buffer.from([0])),
    sequence(),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(ATTRIBUTES, sequence(EXTENSION_REQUEST, set(sequence(altNames(domains))))),
  );
  const der = sequence(body, sequence(ECDSA_WITH_SHA256), bits(sign("sha256", body, privateKey)));
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }) as string, der };
}
