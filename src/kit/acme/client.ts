// The client side of ACME (RFC 8555): an account, an order, its authorizations, the certificate. Requests go through the outbound guard. It knows
// neither files nor how a challenge is met.
//
// Our own, because the package for it adds 1.3 MB (an HTTP client and two X.509 libraries) and sends its requests past the guard.

import { SECOND_MS } from "../clock.ts";
import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { pause } from "../concurrency/deadline.ts";
import { messageOf } from "../error.ts";
import { jsonOf, sendOutbound, type Network, type OutboundAnswer } from "../network/outbound.ts";
import { version } from "../version.ts";
import type { AccountKey } from "./account-key.ts";

const REQUEST_DEADLINE_MS = 30_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const DETAIL_CHARACTERS_MAX = 500;
const NONCE_TRIES_MAX = 10;
/** Between two looks at a resource, unless the authority asks for more. */
const POLL_MS = { first: 100, most: 5_000 };
const POLLS_MAX = 60;
const ASKED_MS_MAX = 60_000;
const BAD_REQUEST = 400;
const BAD_NONCE = "urn:ietf:params:acme:error:badNonce";

const Directory = Type.Object({
  newNonce: Type.String(),
  newAccount: Type.String(),
  newOrder: Type.String(),
});
const Problem = Type.Object({ type: Type.Optional(Type.String()), detail: Type.Optional(Type.String()) });
const Order = Type.Object({
  status: Type.String(),
  authorizations: Type.Array(Type.String()),
  finalize: Type.String(),
  certificate: Type.Optional(Type.String()),
  error: Type.Optional(Problem),
});
const Challenge = Type.Object({
  type: Type.String(),
  url: Type.String(),
  token: Type.Optional(Type.String()),
  error: Type.Optional(Problem),
});
const Authorization = Type.Object({
  status: Type.String(),
  identifier: Type.Object({ value: Type.String() }),
  challenges: Type.Array(Challenge),
});

type Order = Static<typeof Order>;
export type Authorization = Static<typeof Authorization>;

/** The authority refused, or answered something else than the protocol says. The message is for people, and quotes the authority. */
export class AcmeFailure extends Error {
  override readonly name = "AcmeFailure";
  /** The wait that the authority asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

interface AcmeClientOptions {
  readonly directory: URL;
  readonly key: AccountKey;
  readonly network: (url: URL) => Network;
  /** Ends every request and wait. */
  readonly signal: AbortSignal;
}

/** Raises AcmeFailure. */
export class AcmeClient {
  readonly #options: AcmeClientOptions;
  #directory: Static<typeof Directory> | undefined;
  #account: string | undefined;
  #nonce: string | undefined;

  constructor(options: AcmeClientOptions) {
    this.#options = options;
  }

  /** Finds the account of the key, or creates it. Agrees to the terms of the authority. */
  async register(email: string): Promise<void> {
    const { newAccount } = await this.#urls();
    const payload = { termsOfServiceAgreed: true, contact: [`mailto:${email}`] };
    const { headers } = await this.#post(newAccount, payload);
    this.#account = headerOf(headers, "location");
    if (this.#account === undefined) throw new AcmeFailure("the authority named no account");
  }

  async order(domains: readonly string[]): Promise<{ readonly url: string; readonly order: Order }> {
    const { newOrder } = await this.#urls();
    const identifiers = domains.map((value) => ({ type: "dns", value }));
    const answer = await this.#post(newOrder, { identifiers });
    const url = headerOf(answer.headers, "location");
    if (url === undefined) throw new AcmeFailure("the authority named no order");
    return { url, order: parsed(Order, answer) };
  }

  async authorization(url: string): Promise<Authorization> {
    return parsed(Authorization, await this.#post(url));
  }

  /** Tells the authority to check a challenge. */
  async ready(challenge: string): Promise<void> {
    await this.#post(challenge, {});
  }

  /** Waits until the authority has checked an authorization. */
  async authorized(url: string): Promise<void> {
    const found = await this.#settled(url, Authorization, ({ status }) => status !== "pending");
    if (found.status === "valid") return;
    const why = found.challenges.find(({ error }) => error !== undefined)?.error;
    throw new AcmeFailure(`${found.identifier.value}: the authority could not verify it: ${said(why)}`);
  }

  /** Returns the certificate with its chain, in PEM. */
  async certificate(order: string, finalize: string, request: Buffer): Promise<string> {
    // The order follows its authorizations, at some authorities a moment later.
    await this.#settled(order, Order, ({ status }) => status !== "pending");
    await this.#post(finalize, { csr: request.toString("base64url") });
    const isDone = ({ status }: Order) => status === "valid" || status === "invalid";
    const { certificate, error } = await this.#settled(order, Order, isDone);
    if (certificate === undefined)
      throw new AcmeFailure(`the authority did not issue the certificate: ${said(error)}`);
    return Buffer.from((await this.#post(certificate)).body).toString("utf8");
  }

  async #settled<S extends TSchema>(
    url: string,
    schema: S,
    isDone: (value: Static<S>) => boolean,
  ): Promise<Static<S>> {
    let wait = POLL_MS.first;
    for (let polls = 0; polls < POLLS_MAX; polls += 1) {
      const answer = await this.#post(url);
      const value = parsed(schema, answer);
      if (isDone(value)) return value;
      const asked = Math.min(askedWaitMs(answer) ?? 0, ASKED_MS_MAX);
      await pause(Math.max(wait, asked), this.#options.signal);
      wait = Math.min(wait * 2, POLL_MS.most);
    }
    throw new AcmeFailure("the authority took too long");
  }

  async #urls(): Promise<Static<typeof Directory>> {
    return (this.#directory ??= parsed(Directory, checked(await this.#send(this.#options.directory.href))));
  }

  async #post(url: string, payload?: object): Promise<OutboundAnswer> {
    const { key } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const nonce = await this.#takeNonce();
      const by = this.#account === undefined ? { jwk: key.jwk } : { kid: this.#account };
      const answer = await this.#send(url, key.signed({ ...by, nonce, url }, payload));
      this.#nonce = headerOf(answer.headers, "replay-nonce");
      if (answer.status === BAD_REQUEST && tries < NONCE_TRIES_MAX && problemOf(answer).type === BAD_NONCE)
        continue;
      return checked(answer);
    }
  }

  async #takeNonce(): Promise<string> {
    const kept = this.#nonce;
    this.#nonce = undefined;
    if (kept !== undefined) return kept;
    const nonce = headerOf(checked(await this.#send((await this.#urls()).newNonce)).headers, "replay-nonce");
    if (nonce === undefined) throw new AcmeFailure("the authority sent no nonce");
    return nonce;
  }

  async #send(address: string, body?: string): Promise<OutboundAnswer> {
    const url = URL.parse(address);
    if (url === null) throw new AcmeFailure("the authority named an address that is not a URL");
    const { network, signal } = this.#options;
    const sent = sendOutbound(network(url), {
      url,
      method: body === undefined ? "GET" : "POST",
      headers: {
        "User-Agent": `cairn/${version.version}`,
        ...(body !== undefined && { "Content-Type": "application/jose+json" }),
      },
      ...(body !== undefined && { body }),
      deadlineMs: REQUEST_DEADLINE_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    return sent.catch((error: unknown) => {
      throw new AcmeFailure(`cannot reach the authority at ${url.host}: ${messageOf(error)}`);
    });
  }
}

function checked(answer: OutboundAnswer): OutboundAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new AcmeFailure(
    `the authority answered ${answer.status}: ${said(problemOf(answer))}`,
    askedWaitMs(answer),
  );
}

function parsed<S extends TSchema>(schema: S, { body }: OutboundAnswer): Static<S> {
  const value = jsonOf(body);
  if (Value.Check(schema, value)) return value;
  throw new AcmeFailure("the authority's answer is not one of ACME; check tls.acme.directory");
}

function problemOf({ body }: OutboundAnswer): Static<typeof Problem> {
  const value = jsonOf(body);
  return Value.Check(Problem, value) ? value : {};
}

/** Quotes the authority. */
function said(problem: Static<typeof Problem> | undefined): string {
  const text = problem?.detail ?? problem?.type ?? "it gave no reason";
  return text.slice(0, DETAIL_CHARACTERS_MAX);
}

function headerOf(headers: OutboundAnswer["headers"], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The form in seconds; a date is not used by authorities. */
function askedWaitMs({ headers }: OutboundAnswer): number | undefined {
  const text = headerOf(headers, "retry-after");
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  return Number(text) * SECOND_MS;
}
