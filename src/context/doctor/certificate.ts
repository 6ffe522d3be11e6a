// The check of `cairn doctor` on the certificate of a server that speaks TLS: clients refuse one that has expired, and the server one that does not
// fit its key.

import { DAY_MS } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { acmeStatus } from "../certificates/status.ts";
import { readTls, validity, type Tls } from "../config/tls-files.ts";
import type { AcmeConfig, ServerConfig } from "../config/schema.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

const EXPIRES_SOON_DAYS = 14;
const RENEW = "renew the certificate (tls.cert_file and tls.key_file in server.yaml), and restart the server";
const REPLACE = "name a certificate and its own key, both PEM, in server.yaml (tls.cert_file, tls.key_file)";

export function certificateVerdict(config: Pick<ServerConfig, "directory" | "tls">, now: number): Verdict {
  if (config.tls?.acme) return acmeVerdict(config.tls.acme, now);
  const pair = pairOf(config);
  if (typeof pair === "string") return fail(pair, REPLACE);
  const { certificate, until, day, problem } = validity(pair, now);
  if (problem !== undefined) return fail(problem, RENEW);
  if (until - now < EXPIRES_SOON_DAYS * DAY_MS) return warn(`the certificate expires on ${day}`, RENEW);
  return ok(`valid until ${day}, for ${certificate.subjectAltName ?? certificate.subject}`);
}

const SEE_STATUS = "see cairn server tls acme status, and the log of the server";
const START = "start the server, and let it reach the authority; then see cairn server tls acme status";

/** The server renews it, so only an order that failed or a certificate that is missing needs a person. */
function acmeVerdict(acme: AcmeConfig, now: number): Verdict {
  const { state, expires_at, last_error, domains } = acmeStatus(acme, now);
  const until = expires_at === null ? undefined : Date.parse(expires_at);
  const isValid = until !== undefined && until > now;
  const day = expires_at?.slice(0, 10);
  if (state === "failing") {
    const why = `the last order of a certificate failed: ${last_error}`;
    if (!isValid) return fail(`${why}; clients refuse the server until one succeeds`, SEE_STATUS);
    return warn(`${why}; the present certificate expires on ${day}`, SEE_STATUS);
  }
  if (isValid) return ok(`valid until ${day}, for ${domains.join(", ")}; renewed by the server`);
  const why =
    until === undefined
      ? "the authority has not issued a certificate yet"
      : `the certificate expired on ${day}`;
  return warn(`${why}; clients refuse the server until it does`, START);
}

function pairOf(config: Pick<ServerConfig, "directory" | "tls">): Tls | string {
  try {
    return readTls(config)!;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
