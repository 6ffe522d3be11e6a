// The check of `cairn doctor` on the certificate of a server that speaks TLS: clients refuse one that has expired, and the server one that does not
// fit its key.

import { AppError } from "../../kit/error.ts";
import { readTls, validity, type Tls } from "../config/tls-files.ts";
import type { ServerConfig } from "../config/schema.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;
const RENEW = "renew the certificate (tls.cert_file and tls.key_file in server.yaml), and restart the server";
const REPLACE = "name a certificate and its own key, both PEM, in server.yaml (tls.cert_file, tls.key_file)";

export function certificateVerdict(config: Pick<ServerConfig, "directory" | "tls">, now: number): Verdict {
  const pair = pairOf(config);
  if (typeof pair === "string") return fail(pair, REPLACE);
  const { certificate, until, day, problem } = validity(pair, now);
  if (problem !== undefined) return fail(problem, RENEW);
  if (until - now < EXPIRES_SOON_DAYS * DAY_MS) return warn(`the certificate expires on ${day}`, RENEW);
  return ok(`valid until ${day}, for ${certificate.subjectAltName ?? certificate.subject}`);
}

function pairOf(config: Pick<ServerConfig, "directory" | "tls">): Tls | string {
  try {
    return readTls(config)!;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
