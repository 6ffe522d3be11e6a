// DNS-01: puts the proofs into the domain's zone as TXT records, waits until a resolver sees them, and removes them after the order. Records are
// written down first, so that those of an order that a crash ended are removed too.

import { pause } from "../../kit/concurrency/deadline.ts";
import { digest } from "../../kit/acme/account-key.ts";
import type { CertificateCache } from "./cache.ts";
import type { Challenger, Proof } from "./challenge.ts";
import type { TxtRecord } from "./schema.ts";

/** The host of a zone. Both raise an error whose message is for people. */
export interface DnsProvider {
  put(record: TxtRecord, signal: AbortSignal): Promise<void>;
  /** Removes nothing that has another value. */
  remove(record: TxtRecord, signal: AbortSignal): Promise<void>;
}

/** Returns the values of a name's TXT records; rejects if there are none. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

const PREFIX = "_acme-challenge.";
/** Resolvers remember a name that they did not find, so the first look is late. */
const VISIBLE_POLL_MS = 5_000;
const VISIBLE_POLLS_MAX = 36;
const LOOK_MS_MAX = 5_000;

interface DnsChallengeOptions {
  readonly provider: DnsProvider;
  readonly cache: Pick<CertificateCache, "dnsRecords" | "keepDnsRecords">;
  readonly resolveTxt: ResolveTxt;
  /** Only tests pass another. */
  readonly pollMs?: number | undefined;
}

export class DnsChallenge implements Challenger {
  readonly type = "dns-01";
  readonly #options: DnsChallengeOptions;

  constructor(options: DnsChallengeOptions) {
    this.#options = options;
  }

  async present(proofs: readonly Proof[], signal: AbortSignal): Promise<void> {
    const { provider, cache } = this.#options;
    const records = proofs.map(({ domain, authorisation }) => ({
      name: PREFIX + domain,
      value: digest(authorisation),
    }));
    await cache.keepDnsRecords([...cache.dnsRecords(), ...records]);
    for (const record of records) await provider.put(record, signal);
    for (const record of records) await this.#visible(record, signal);
  }

  async withdraw(signal: AbortSignal): Promise<void> {
    const { provider, cache } = this.#options;
    let left = cache.dnsRecords();
    for (const record of left) {
      await provider.remove(record, signal);
      left = left.filter((other) => other !== record);
      await cache.keepDnsRecords(left);
    }
  }

  /** The authority asks the name servers of the zone, so after a while it is worth its own look. */
  async #visible({ name, value }: TxtRecord, signal: AbortSignal): Promise<void> {
    const { resolveTxt, pollMs = VISIBLE_POLL_MS } = this.#options;
    for (let polls = 0; polls < VISIBLE_POLLS_MAX && !signal.aborted; polls += 1) {
      await pause(pollMs, signal);
      if ((await valuesWithin(LOOK_MS_MAX, signal, resolveTxt(name))).includes(value)) return;
    }
  }
}

/** A resolver may take longer than a stop of the server. */
async function valuesWithin(
  ms: number,
  signal: AbortSignal,
  looking: Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found = new AbortController();
  const late = pause(ms, AbortSignal.any([signal, found.signal])).then(() => []);
  const values = await Promise.race([looking.catch(() => []), late]);
  found.abort();
  return values;
}
