// A scripted certificate authority that speaks ACME (RFC 8555) over https, with its own root. It checks nonces, signatures and the proofs: it fetches
// HTTP-01 tokens at the port it is told, and looks up DNS-01 records in the zone it is given. `await using` stops it.

import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { get } from "node:http";
import { selfSigned } from "../../../src/kit/secrets/self-signed.ts";
import {
  altNames,
  bits,
  ECDSA_WITH_SHA256,
  integer,
  octets,
  oid,
  pem,
  sequence,
  set,
  tagged,
  time,
} from "../../../src/kit/secrets/der.ts";
import type { Network } from "../../../src/kit/network/outbound.ts";
import { within } from "../within.ts";

const HOST = "authority.example";
const LOCAL = "127.0.0.1";
const PROBLEM = "urn:ietf:params:acme:error:";
const DAY_MS = 86_400_000;

interface AuthorityOptions {
  /** Of the listener that proves a domain by HTTP. */
  readonly httpPort?: () => number | Promise<number>;
  /** The TXT records of a name. */
  readonly txt?: (name: string) => readonly string[];
  readonly now?: () => number;
  readonly days?: number;
  /** The name by which it is asked; `local` needs no resolver. */
  readonly at?: "name" | "local";
}

interface Signed {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

interface Order {
  readonly domains: readonly string[];
  status: string;
  certificate?: string;
}

interface Authorization {
  readonly domain: string;
  readonly wildcard: boolean;
  readonly token: string;
  status: string;
  error?: object;
}

/** The next request to a place, such as `order`, is answered with this instead. */
interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly detail: string;
  readonly headers?: Record<string, string>;
}

export async function acmeAuthority(options: AuthorityOptions = {}) {
  const now = options.now ?? Date.now;
  let count = 0;
  const own = selfSigned([HOST, LOCAL], { now: Date.now(), days: 30 });
  const root = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const rootName = nameOf("Scripted root");
  const rootCertificate = signedCertificate({
    subject: rootName,
    publicKey: root.publicKey.export({ type: "spki", format: "der" }),
    extension: sequence(oid("2.5.29.19"), octets(sequence(Buffer.from([0x01, 0x01, 0xff])))),
    from: now() - DAY_MS,
    until: now() + 3_650 * DAY_MS,
  });
  const requests: string[] = [];
  const nonces = new Set<string>();
  const accounts: KeyObject[] = [];
  const orders: Order[] = [];
  const authorizations: Authorization[] = [];
  const refusals = new Map<string, Refusal>();
  let paused: { place: string; reached: () => void; go: Promise<void> } | undefined;

  function signedCertificate(one: {
    subject: Buffer;
    publicKey: Buffer;
    extension: Buffer;
    from: number;
    until: number;
  }): string {
    const algorithm = sequence(ECDSA_WITH_SHA256);
    const body = sequence(
      tagged(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.from([1, (count >> 8) & 0xff, count++ & 0xff])),
      algorithm,
      rootName,
      sequence(time(one.from), time(one.until)),
      one.subject,
      one.publicKey,
      tagged(0xa3, sequence(one.extension)),
    );
    return pem("CERTIFICATE", sequence(body, algorithm, bits(sign("sha256", body, root.privateKey))));
  }

  function url(path: string): string {
    return `https://${options.at === "local" ? LOCAL : HOST}:${listener.port}${path}`;
  }

  function answer(status: number, value: unknown, headers: Record<string, string> = {}): Response {
    const nonce = `n${++count}`;
    nonces.add(nonce);
    return new Response(typeof value === "string" ? value : JSON.stringify(value), {
      status,
      headers: { "Replay-Nonce": nonce, "Content-Type": "application/json", ...headers },
    });
  }

  const problem = ({ status, type, detail, headers }: Refusal) =>
    answer(status, { type: PROBLEM + type, detail }, headers);

  /** Raises the answer for a request that is not signed as it must be. */
  function checkedPayload(jws: Signed, path: string): { payload: Record<string, unknown>; account: number } {
    const head = JSON.parse(decoded(jws.protected)) as Record<string, unknown>;
    const bad = (type: string, detail: string) => problem({ status: 400, type, detail });
    if (!nonces.delete(String(head["nonce"]))) throw bad("badNonce", "the nonce is not known");
    if (head["alg"] !== "ES256" || head["url"] !== url(path)) throw bad("malformed", "the header is wrong");
    const isNew = path === "/account";
    if (isNew === (head["jwk"] === undefined)) throw bad("malformed", "expected a key or an account");
    const account = isNew ? -1 : Number(String(head["kid"]).split("/").at(-1));
    const key = isNew
      ? createPublicKey({ key: head["jwk"] as JsonWebKey, format: "jwk" })
      : accounts[account]!;
    const isSigned = verify(
      "sha256",
      Buffer.from(`${jws.protected}.${jws.payload}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(jws.signature, "base64url"),
    );
    if (!isSigned) throw bad("unauthorized", "the signature is wrong");
    const payload = JSON.parse(decoded(jws.payload) || "{}") as Record<string, unknown>;
    if (!isNew) return { payload, account };
    const known = accounts.findIndex((other) => other.equals(key));
    return { payload, account: known >= 0 ? known : accounts.push(key) - 1 };
  }

  async function prove(authorization: Authorization, account: number): Promise<boolean> {
    const { domain, token } = authorization;
    const { crv, kty, x, y } = accounts[account]!.export({ format: "jwk" });
    const thumbprint = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
    const expected = `${token}.${thumbprint}`;
    if (options.txt) {
      const value = createHash("sha256").update(expected).digest("base64url");
      return options.txt(`_acme-challenge.${domain}`).includes(value);
    }
    return (await tokenAt(domain, await options.httpPort!(), token)) === expected;
  }

  function authorizationBody(index: number): object {
    const { domain, wildcard, token, status, error } = authorizations[index]!;
    const challenge = (type: string) => ({ type, url: url(`/challenge/${index}`), token, status, error });
    const challenges = wildcard ? [challenge("dns-01")] : [challenge("http-01"), challenge("dns-01")];
    return { status, identifier: { type: "dns", value: domain }, wildcard, challenges };
  }

  function orderBody(index: number, order: Order, proofs: readonly number[]): object {
    const isReady = proofs.every((one) => authorizations[one]!.status === "valid");
    return {
      status: order.status === "pending" && isReady ? "ready" : order.status,
      authorizations: proofs.map((one) => url(`/authorization/${one}`)),
      finalize: url(`/finalize/${index}`),
      ...(order.certificate !== undefined && { certificate: url(`/certificate/${index}`) }),
    };
  }

  const proofsOf: number[][] = [];

  const places: Record<string, (index: number, payload: Record<string, unknown>, by: number) => unknown> = {
    account: (_, __, account) => answer(201, { status: "valid" }, { Location: url(`/account/${account}`) }),
    order(index, { identifiers }) {
      if (identifiers === undefined) return answer(200, orderBody(index, orders[index]!, proofsOf[index]!));
      const domains = (identifiers as { value: string }[]).map(({ value }) => value);
      const made = orders.push({ domains, status: "pending" }) - 1;
      proofsOf.push(
        domains.map((value) => {
          const domain = value.replace(/^\*\./, "");
          return (
            authorizations.push({
              domain,
              wildcard: value !== domain,
              token: `token-${authorizations.length}`,
              status: "pending",
            }) - 1
          );
        }),
      );
      return answer(201, orderBody(made, orders[made]!, proofsOf[made]!), {
        Location: url(`/order/${made}`),
      });
    },
    authorization: (index) => answer(200, authorizationBody(index)),
    async challenge(index, _, account) {
      const authorization = authorizations[index]!;
      const isProven = await prove(authorization, account).catch(() => false);
      authorization.status = isProven ? "valid" : "invalid";
      if (!isProven)
        authorization.error = {
          type: `${PROBLEM}unauthorized`,
          detail: `no proof at ${authorization.domain}`,
        };
      return answer(200, { type: "http-01", url: url(`/challenge/${index}`), status: "processing" });
    },
    finalize(index, { csr }) {
      const order = orders[index]!;
      const { publicKey, names } = readRequest(Buffer.from(String(csr), "base64url"), order.domains);
      if (!names) return problem({ status: 400, type: "badCSR", detail: "the names differ" });
      const from = now() - 3_600_000;
      const leaf = signedCertificate({
        subject: sequence(),
        publicKey,
        extension: altNames(order.domains),
        from,
        until: from + (options.days ?? 90) * DAY_MS,
      });
      order.status = "valid";
      order.certificate = leaf + rootCertificate;
      return answer(200, orderBody(index, order, proofsOf[index]!));
    },
    certificate: (index) => answer(200, orders[index]!.certificate),
  };

  const listener = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: own,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const [, place = "", index = ""] = pathname.split("/");
      requests.push(place);
      if (paused?.place === place) {
        paused.reached();
        await paused.go;
      }
      const refusal = refusals.get(place);
      if (refusal) {
        refusals.delete(place);
        return problem(refusal);
      }
      if (place === "directory")
        return Response.json({
          newNonce: url("/nonce"),
          newAccount: url("/account"),
          newOrder: url("/order"),
        });
      if (place === "nonce") return answer(200, "");
      try {
        const { payload, account } = checkedPayload((await request.json()) as Signed, pathname);
        return (await places[place]!(Number(index), payload, account)) as Response;
      } catch (error) {
        if (error instanceof Response) return error;
        throw error;
      }
    },
  });
  const network: Network = {
    resolve: async () => [{ address: "127.0.0.1", port: listener.port! }],
    allow: () => true,
    ca: own.cert,
  };
  return {
    directory: url("/directory"),
    network,
    /** The certificate of the authority's own listener. */
    ca: own.cert,
    root: rootCertificate,
    /** The places that were asked, in order. */
    requests,
    accounts,
    orders,
    /** Answers the next request to the place with this. */
    refuse: (place: string, refusal: Refusal) => void refusals.set(place, refusal),
    /** Holds requests to the place. Resolves once there is one, with what lets them go on. */
    async hold(place: string): Promise<() => void> {
      const reached = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      paused = { place, reached: reached.resolve, go: go.promise };
      await within(`a request to ${place} of the authority`, reached.promise);
      return () => {
        paused = undefined;
        go.resolve();
      };
    },
    [Symbol.asyncDispose]: () => listener.stop(true),
  };
}

/** As the authority would ask a domain. */
function tokenAt(domain: string, port: number, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const path = `/.well-known/acme-challenge/${token}`;
    get({ host: "127.0.0.1", port, path, headers: { Host: domain }, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

function decoded(text: string): string {
  return Buffer.from(text, "base64url").toString("utf8");
}

function nameOf(common: string): Buffer {
  return sequence(set(sequence(oid("2.5.4.3"), tagged(0x0c, Buffer.from(common)))));
}

/** Raises unless it is signed with its own key. `names`: whether it is for exactly these. */
function readRequest(der: Buffer, domains: readonly string[]): { publicKey: Buffer; names: boolean } {
  const [body, , signature] = childrenOf(der) as [Buffer, Buffer, Buffer];
  const publicKey = childrenOf(body)[2]!;
  const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
  const bytes = contentOf(signature).subarray(1);
  if (!verify("sha256", body, key, bytes)) throw new Error("the request is not signed with its key");
  return { publicKey, names: body.includes(altNames(domains)) };
}

/** The elements inside one, each with its head. */
function childrenOf(element: Buffer): Buffer[] {
  const inside = contentOf(element);
  const children: Buffer[] = [];
  for (let at = 0; at < inside.length;) {
    const { head, length } = sizeOf(inside.subarray(at));
    children.push(inside.subarray(at, at + head + length));
    at += head + length;
  }
  return children;
}

function contentOf(element: Buffer): Buffer {
  const { head, length } = sizeOf(element);
  return element.subarray(head, head + length);
}

function sizeOf(element: Buffer): { head: number; length: number } {
  const first = element[1]!;
  if (first < 0x80) return { head: 2, length: first };
  const count = first & 0x7f;
  return { head: 2 + count, length: element.readUIntBE(2, count) };
}
