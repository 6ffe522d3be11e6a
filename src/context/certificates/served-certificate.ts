// The certificate that the listener uses now, as health and metrics see it. Loads no cryptography, because servers without TLS have it too.

import { SECOND_MS } from "../../kit/clock.ts";
import type { HealthProblem } from "../../kit/health.ts";

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
    return this.#expiresAt / SECOND_MS;
  }

  /** All clients refuse a placeholder and a certificate that has expired; one without a new domain still serves the others. */
  problems(now: number): readonly HealthProblem[] {
    const isPlaceholder = this.#awaits === "authority" && this.#expiresAt === 0;
    const isExpired = this.#expiresAt !== 0 && this.#expiresAt <= now;
    if (isPlaceholder || isExpired) return [{ what: "certificate", reason: "failed" }];
    return this.#awaits === "authority" ? [{ what: "certificate", reason: "broken" }] : [];
  }
}
