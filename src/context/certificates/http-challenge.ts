// The plain HTTP listener for HTTP-01: answers the tokens of a running order, and sends every other reader to https. Nothing else is served there.

import { AppError, messageOf } from "../../kit/error.ts";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { wrongMethod } from "../../kit/http/route-table.ts";
import { listen, type Listener } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import { EVERY_ADDRESS } from "../../kit/network/hosts.ts";
import type { AcmeConfig } from "../config/schema.ts";
import type { Challenger, Proof } from "./challenge.ts";

const CHALLENGES = "/.well-known/acme-challenge/";
const PERMANENT_REDIRECT = 308;
const HTTPS_PORT = 443;

export class HttpChallenge implements Challenger {
  readonly type = "http-01";
  readonly #domains: ReadonlySet<string>;
  readonly #httpsPort: () => number;
  readonly #listener: Listener;
  #proofs = new Map<string, Proof>();

  /** Raises what the bind raises, with the setting. */
  constructor({ domains, httpAddress }: AcmeConfig, httpsPort: () => number, log: Log) {
    this.#domains = new Set(domains);
    this.#httpsPort = httpsPort;
    this.#listener = bound(httpAddress, (host) =>
      listen(
        { host, port: httpAddress.port, loopbackAdmin: false, allowedHosts: domains },
        (_request, exchange) => this.#answer(exchange),
        log,
      ),
    );
  }

  get port(): number {
    return this.#listener.port;
  }

  async present(proofs: readonly Proof[]): Promise<void> {
    this.#proofs = new Map(proofs.map((proof) => [proof.token, proof]));
  }

  async withdraw(): Promise<void> {
    this.#proofs = new Map();
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  #answer(exchange: Exchange): Response {
    const { method, path, query } = exchange;
    const host = (exchange.headers["host"] ?? "").toLowerCase().replace(/:[0-9]+$/, "");
    if (method !== "GET" && method !== "HEAD") throw wrongMethod(method, path, ["GET"]);
    if (path.startsWith(CHALLENGES)) {
      const proof = this.#proofs.get(path.slice(CHALLENGES.length));
      if (proof === undefined) throw new AppError("not_found", `${path}: not found`);
      return new Response(proof.authorisation, {
        headers: { ...SECURITY_HEADERS, "Content-Type": "application/octet-stream" },
      });
    }
    // The guard admits the names of this machine too, which the certificate does not have.
    if (!this.#domains.has(host))
      throw new AppError("misdirected", "this listener answers only for the domains of tls.acme.domains");
    const port = this.#httpsPort();
    const target = `https://${host}${port === HTTPS_PORT ? "" : `:${port}`}${path}${query === "" ? "" : `?${query}`}`;
    return new Response(null, {
      status: PERMANENT_REDIRECT,
      headers: { ...SECURITY_HEADERS, Location: target },
    });
  }
}

function bound({ host }: AcmeConfig["httpAddress"], bind: (host: string) => Listener): Listener {
  try {
    return bind(host === "" ? EVERY_ADDRESS : host);
  } catch (error) {
    throw new AppError(
      error instanceof AppError ? error.code : "invalid",
      `tls.acme.http_addr: ${messageOf(error)}; the authority asks at port 80: allow the program to listen there, forward the port, or use dns-01`,
    );
  }
}
