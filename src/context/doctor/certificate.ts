// The check of `cairn doctor` on the certificate of a server that speaks TLS: clients refuse one that has expired, and the server one that does not
// fit its key.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { AppError, messageOf } from "../../kit/error.ts";
import { readTls } from "../config/tls-files.ts";
import type { ServerConfig } from "../config/schema.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;
const RENEW = "renew the certificate (tls.cert_file and tls.key_file in server.yaml), and restart the server";
const REPLACE = "name a certificate and its own key, both PEM, in server.yaml (tls.cert_file, tls.key_file)";

export function certificateVerdict(config: Pick<ServerConfig, "directory" | "tls">, now: number): Verdict {
  const pair = certificateOf(config);
  if (typeof pair === "string") return fail(pair, REPLACE);
  if (!pair.fits) return fail("the key does not belong to the certificate", REPLACE);
  const until = Date.parse(pair.certificate.validTo);
  const day = new Date(until).toISOString().slice(0, 10);
  if (until <= now) return fail(`the certificate expired on ${day}`, RENEW);
  if (until - now < EXPIRES_SOON_DAYS * DAY_MS) return warn(`the certificate expires on ${day}`, RENEW);
  return ok(`valid until ${day}, for ${pair.certificate.subjectAltName ?? pair.certificate.subject}`);
}

function certificateOf(config: Pick<ServerConfig, "directory" | "tls">) {
  try {
    const { cert, key } = readTls(config)!;
    const certificate = new X509Certificate(cert);
    return { certificate, fits: certificate.checkPrivateKey(createPrivateKey(key)) };
  } catch (error) {
    return error instanceof AppError
      ? messageOf(error)
      : `not a certificate with its key: ${messageOf(error)}`;
  }
}
