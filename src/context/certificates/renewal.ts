// Keeps the certificate of a server current: orders the first one, renews it in time, and waits longer after each failure. At most one order runs.

import { messageOf } from "../../kit/error.ts";
import { DAY_MS, MINUTE_MS, rfc3339, type Clock, type Timers } from "../../kit/clock.ts";
import { AcmeFailure } from "../../kit/acme/client.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Log } from "../../kit/log.ts";
import type { CertificateCache } from "./cache.ts";
import { isFor, type HeldCertificate } from "./held-certificate.ts";
import { NO_ORDERS, type OrderState } from "./schema.ts";

const DOUBLINGS_MAX = 11;
/** Authorities allow five failed proofs per hour and domain, so a restart tries again after this, and not at once. */
const RESTART_WAIT_MS = 12 * MINUTE_MS;
/** After a success: an authority may send a certificate again that is due already, as any is for a clock that runs ahead. */
const REPEAT_WAIT_MS = MINUTE_MS;

interface RenewalOptions {
  readonly domains: readonly string[];
  readonly cache: Pick<CertificateCache, "state" | "certificate" | "keepCertificate" | "keepState">;
  readonly order: (signal: AbortSignal) => Promise<HeldCertificate>;
  /** Serves it from now on. */
  readonly install: (certificate: HeldCertificate) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly background: Background;
}

export class Renewal {
  readonly #options: RenewalOptions;
  readonly #stopped = new AbortController();
  #state: OrderState;
  #held: HeldCertificate | undefined;
  #cancel = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: RenewalOptions) {
    const { cache } = options;
    this.#options = options;
    this.#state = cache.state();
    this.#held = cache.certificate();
  }

  /** Asks the authority only if an order is due. */
  start(): void {
    const { last_attempt_at: last, next_attempt_at: next, failures } = this.#state;
    const { clock, background } = this.#options;
    if (failures > 0 && this.#isCurrent() && this.#held!.renewsAt > clock.now())
      // The failure was about other domains, before the configuration changed.
      background.run("forgetting a failed order", () => this.#keep(NO_ORDERS));
    else if (last !== null && next !== null)
      this.#state = { ...this.#state, next_attempt_at: Math.min(next, last + RESTART_WAIT_MS) };
    this.#look();
  }

  /** Ends a running order. */
  async stop(): Promise<void> {
    this.#cancel();
    this.#stopped.abort();
    await this.#running;
  }

  /** The clock may have moved in the meantime, so it is asked once a day. */
  #lookAfter(ms: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#cancel = this.#options.timers.after(Math.min(Math.max(ms, 0), DAY_MS), () => this.#look());
  }

  #look(): void {
    const { clock, background } = this.#options;
    const dueAt = this.#dueAt();
    const now = clock.now();
    if (dueAt > now) this.#lookAfter(dueAt - now);
    else background.run("ordering a certificate", () => (this.#running = this.#attempt()));
  }

  #dueAt(): number {
    const { failures, next_attempt_at: next } = this.#state;
    const held = this.#isCurrent() ? this.#held!.renewsAt : 0;
    return failures > 0 ? Math.max(held, next ?? 0) : held;
  }

  #isCurrent(): boolean {
    return this.#held !== undefined && isFor(this.#held, this.#options.domains);
  }

  async #attempt(): Promise<void> {
    const { cache, clock, log, domains, install } = this.#options;
    const { signal } = this.#stopped;
    const at = clock.now();
    let waitMs = 0;
    log.info("ordering a certificate", { domains: domains.join(", ") });
    try {
      const certificate = await this.#options.order(signal);
      await cache.keepCertificate(certificate.pem);
      // The listener is closing; the next start serves it.
      if (signal.aborted) return;
      this.#held = certificate;
      install(certificate);
      await this.#keep({
        failures: 0,
        last_error: null,
        last_attempt_at: at,
        next_attempt_at: certificate.renewsAt,
      });
      log.info("serving a new certificate", {
        expires: rfc3339(certificate.expiresAt),
        renews: rfc3339(certificate.renewsAt),
      });
      waitMs = REPEAT_WAIT_MS;
    } catch (error) {
      if (signal.aborted) return;
      await this.#failed(error, at);
    }
    this.#lookAfter(Math.max(this.#dueAt() - clock.now(), waitMs));
  }

  async #failed(error: unknown, at: number): Promise<void> {
    const { clock, log } = this.#options;
    const failures = this.#state.failures + 1;
    const asked = error instanceof AcmeFailure ? (error.retryAfterMs ?? 0) : 0;
    const next = clock.now() + Math.min(Math.max(retryAfterMs(failures), asked), DAY_MS);
    const reason = messageOf(error);
    const isNew = reason !== this.#state.last_error;
    await this.#keep({ failures, last_error: reason, last_attempt_at: at, next_attempt_at: next });
    // Once, because the same failure would otherwise fill the log.
    if (isNew)
      log.error("cannot get a certificate; see cairn server tls acme status", {
        error: reason,
        retries: rfc3339(next),
      });
  }

  /** A disk that refuses the record must not stop the renewal. */
  async #keep(state: OrderState): Promise<void> {
    this.#state = state;
    try {
      await this.#options.cache.keepState(state);
    } catch (error) {
      this.#options.log.error("cannot record the outcome of an order", { error: messageOf(error) });
    }
  }
}

/** Doubles from a minute to a day. */
function retryAfterMs(failures: number): number {
  return Math.min(MINUTE_MS * 2 ** Math.min(failures - 1, DOUBLINGS_MAX), DAY_MS);
}
