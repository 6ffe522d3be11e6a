// The state of a certificate from an authority, read from the files: the same answer whether the server runs or not.

import { rfc3339OrNull } from "../../kit/clock.ts";
import type { AcmeConfig } from "../config/schema.ts";
import { CertificateCache } from "./cache.ts";
import { isFor } from "./held-certificate.ts";

export interface AcmeStatus {
  readonly domains: readonly string[];
  readonly challenge: string;
  readonly authority: string;
  /** `pending`: not issued yet. `failing`: the last order failed; an earlier certificate may still be valid. */
  readonly state: "pending" | "valid" | "failing";
  /** RFC 3339; null without a certificate for all domains. */
  readonly expires_at: string | null;
  /** The next order, or its next attempt; null: when the server starts. */
  readonly next_renewal_at: string | null;
  readonly last_error: string | null;
}

/** `now`: ms since the epoch. */
export function acmeStatus(acme: AcmeConfig, now: number): AcmeStatus {
  const cache = new CertificateCache(acme);
  const found = cache.certificate();
  const held = found && isFor(found, acme.domains) ? found : undefined;
  const { failures, last_error, next_attempt_at } = cache.state();
  const isValid = held !== undefined && held.expiresAt > now;
  return {
    domains: acme.domains,
    challenge: acme.challenge,
    authority: acme.authority,
    state: failures > 0 ? "failing" : isValid ? "valid" : "pending",
    expires_at: rfc3339OrNull(held?.expiresAt ?? null),
    next_renewal_at: rfc3339OrNull(failures > 0 ? next_attempt_at : (held?.renewsAt ?? null)),
    last_error,
  };
}
