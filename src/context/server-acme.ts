// Builds the certificate of a server from an authority: the cache, the way to prove the domains, and the renewal. Loaded only if ACME is enabled.

import { AccountKey } from "../kit/acme/account-key.ts";
import { AcmeClient } from "../kit/acme/client.ts";
import { systemTimers, type Timers } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { SYSTEM_NETWORK, type Network } from "../kit/network/outbound.ts";
import { selfSigned } from "../kit/secrets/self-signed.ts";
import { CertificateCache } from "./certificates/cache.ts";
import type { Challenger } from "./certificates/challenge.ts";
import { Cloudflare, CLOUDFLARE } from "./certificates/cloudflare.ts";
import { DnsChallenge, type ResolveTxt } from "./certificates/dns-challenge.ts";
import { isFor, isForAny, type HeldCertificate } from "./certificates/held-certificate.ts";
import { HttpChallenge } from "./certificates/http-challenge.ts";
import { issued } from "./certificates/issuing.ts";
import { Renewal } from "./certificates/renewal.ts";
import { DNS_PROVIDERS, type AcmeConfig } from "./config/schema.ts";
import type { Tls } from "./config/tls-files.ts";
import type { Parts } from "./parts.ts";

const PLACEHOLDER_DAYS = 365;

export interface AcmeOptions {
  /** Holds the tokens of DNS providers. */
  readonly environment: Environment;
  /** Only tests pass the following. */
  readonly network?: Network;
  readonly timers?: Timers;
  readonly resolveTxt?: ResolveTxt;
  readonly dnsPollMs?: number;
  readonly cloudflare?: string;
}

export interface ServerAcme {
  /** The certificate at the start: from the cache, or a placeholder. */
  readonly tls: Tls;
  /** Listens for HTTP-01. `install` serves another certificate from now on. Raises what the bind raises. */
  start(httpsPort: () => number, install: (tls: Tls) => void): void;
  close(): Promise<void>;
}

/** Raises `invalid` without the token of the DNS provider, `conflict` if another server uses the cache. */
export function openAcme(parts: Parts, acme: AcmeConfig, options: AcmeOptions): ServerAcme {
  const { clock, log, background, served } = parts;
  const cache = new CertificateCache(acme);
  const token = tokenOf(acme, options.environment);
  const unlock = cache.lock();
  let http: HttpChallenge | undefined;
  let renewal: Renewal | undefined;
  const show = (certificate: HeldCertificate): Tls => {
    served.show(certificate.expiresAt, isFor(certificate, acme.domains) ? "nothing" : "authority");
    return { cert: certificate.pem, key: certificate.pem };
  };
  const placeholder = (): Tls => {
    const now = clock.now();
    served.show(0, "authority");
    return selfSigned(acme.domains, { now, days: PLACEHOLDER_DAYS });
  };
  const held = cache.certificate();
  // With a domain that is new, the others go on with the former certificate.
  const isUsable = held !== undefined && isForAny(held, acme.domains) && held.expiresAt > clock.now();
  return {
    tls: isUsable ? show(held) : placeholder(),
    start(httpsPort, install) {
      const challenger: Challenger =
        acme.challenge === "http-01"
          ? (http = new HttpChallenge(acme, httpsPort, log))
          : dnsChallenge(cache, token, options);
      if (http) log.info("answering HTTP-01 challenges", { port: http.port });
      renewal = new Renewal({
        domains: acme.domains,
        cache,
        order: (signal) => order(acme, { cache, challenger, now: clock.now(), signal, options }),
        install: (certificate) => {
          install({ cert: certificate.pem, key: certificate.pem });
          show(certificate);
        },
        clock,
        timers: options.timers ?? systemTimers,
        log,
        background,
      });
      renewal.start();
    },
    async close() {
      await renewal?.stop();
      await http?.close();
      unlock();
    },
  };
}

interface OrderNeeds {
  readonly cache: CertificateCache;
  readonly challenger: Challenger;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly options: AcmeOptions;
}

async function order(acme: AcmeConfig, needs: OrderNeeds): Promise<HeldCertificate> {
  const { cache, challenger, now, signal, options } = needs;
  const key = new AccountKey(await cache.accountKey(AccountKey.newPem));
  const directory = new URL(acme.authority);
  const client = new AcmeClient({ directory, key, network: networkTo(directory, options), signal });
  return issued({ client, key, challenger, acme, now, signal });
}

/** The operator names the authority, so it may be on a private network; another host that it names in its answers may not. */
function networkTo(directory: URL, { network }: AcmeOptions): (url: URL) => Network {
  const named: Network = network ?? { ...SYSTEM_NETWORK, allow: () => true, ownNames: true };
  return (url) => (url.hostname === directory.hostname ? named : SYSTEM_NETWORK);
}

function tokenOf({ dnsProvider }: AcmeConfig, environment: Environment): string {
  if (dnsProvider === undefined) return "";
  const variable = DNS_PROVIDERS[dnsProvider];
  const token = environment[variable]?.trim() ?? "";
  if (token !== "") return token;
  throw new AppError(
    "invalid",
    `tls.acme.dns.provider: ${dnsProvider} needs its API token in the environment variable ${variable}; set it where the server starts`,
  );
}

function dnsChallenge(cache: CertificateCache, token: string, options: AcmeOptions): DnsChallenge {
  const { network = SYSTEM_NETWORK, cloudflare = CLOUDFLARE } = options;
  return new DnsChallenge({
    provider: new Cloudflare({ token, network, api: cloudflare }),
    cache,
    resolveTxt: options.resolveTxt ?? systemTxt,
    pollMs: options.dnsPollMs,
  });
}

async function systemTxt(name: string): Promise<readonly string[]> {
  const { resolveTxt } = await import("node:dns/promises");
  return (await resolveTxt(name)).map((parts) => parts.join(""));
}
