// The certificate that the listener uses now, as health and metrics see it. Loads no cryptography, because servers without TLS have it too.

import type { HealthProblem } from "../../kit/health.ts";

const MS_PER_SECOND = 1_000;

export class ServedCertificate {
  #expiresAt = 0;
  #awaits: "authority" | "nothing" = "nothing";

  /** `expiresAt`: ms since the epoch; 0 for a placeholder. `awaits`: the authority has not issued one for all domains yet. */
  show(expiresAt: number, awaits: "authority" | "nothing"): void {
    this.#expiresAt = expiresAt;
    this.#awaits = awaits;
  }

  /** Seconds since the epoch; 0 for a placeholder. */
  expirySeconds(): number {
    return this.#expiresAt / MS_PER_SECOND;
  }

  /** Clients refuse a placeholder, a certificate without their domain, and one that has expired. */
  problems(now: number): readonly HealthProblem[] {
    const isExpired = this.#expiresAt !== 0 && this.#expiresAt <= now;
    return this.#awaits === "authority" || isExpired ? [{ what: "certificate", reason: "broken" }] : [];
  }
}
