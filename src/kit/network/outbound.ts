// All requests to the internet go through here. The name is resolved, every returned address is checked, and the connection uses a checked
// address, so that DNS rebinding has no effect. No redirects, no proxy, one deadline for the whole request, bounded answers. Callers get a fixed
// problem code; details go to the log, never to a model.

import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import {
  addressProblem,
  isMetadataAddress,
  isThisMachine,
  literalAddress,
  nameProblem,
} from "./addresses.ts";
import { systemTimers, type Timers } from "../clock.ts";
import { messageOf, systemCode } from "../error.ts";
import { parsedJson } from "../text/parsed-json.ts";
import { portOf } from "./url-port.ts";

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The network that outgoing requests use. Only tests replace SYSTEM_NETWORK; there is no setting for it. */
export interface Network {
  /** Returns all addresses of a name. Rejects or returns `[]` if there are none. */
  readonly resolve: (hostname: string, port: number) => Promise<Endpoint[]>;
  /** Allows an address that is otherwise refused; metadata addresses stay refused. */
  readonly allow: (endpoint: Endpoint) => boolean;
  /** The ports of our own listeners. Requests to them are refused even if `allow` accepts them. */
  readonly ownPorts?: () => readonly number[];
  /** Resolves names such as `localhost` like any other; their addresses are still checked. */
  readonly ownNames?: boolean;
  /** Certificate authorities in PEM, instead of the system's. */
  readonly ca?: string;
}

/** All addresses of a hostname. Rejects when there are none. */
export async function systemResolve(hostname: string): Promise<string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

export const SYSTEM_NETWORK: Network = {
  resolve: async (hostname, port) => (await systemResolve(hostname)).map((address) => ({ address, port })),
  allow: () => false,
};

export interface OutboundRequest {
  readonly url: URL;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `https` only, unless plain http is allowed. */
  readonly schemes?: readonly ("http" | "https")[];
  /** Covers resolving, connecting, sending and reading together. */
  readonly deadlineMs: number;
  /** Of the deadline. */
  readonly timers?: Timers;
  /** A larger answer is a failure, not truncated. */
  readonly answerBytesMax: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** `refused`: by our own rules, nothing was sent. `stopped`: the signal was aborted. */
export type OutboundProblem = "refused" | "unresolved" | "unreachable" | "deadline" | "too_large" | "stopped";

export class OutboundFailure extends Error {
  override readonly name = "OutboundFailure";
  readonly problem: OutboundProblem;
  /** Refused because of its address, which `Network.allow` or `ownNames` could allow. */
  readonly couldBeAllowed: boolean;

  constructor(problem: OutboundProblem, message: string, { couldBeAllowed = false } = {}) {
    super(message);
    this.problem = problem;
    this.couldBeAllowed = couldBeAllowed;
  }
}

/** Raises OutboundFailure. Returns any status, redirects included; it follows none. */
export async function sendOutbound(network: Network, request: OutboundRequest): Promise<OutboundAnswer> {
  const stop = stopSignal(request);
  try {
    const endpoints = await Promise.race([checkedEndpoints(network, request), stop.raised]);
    const connect = await clientFor(request.url);
    if (request.signal?.aborted) return await stop.raised;
    return await exchange({ connect, network, endpoints }, request, stop);
  } finally {
    stop.clear();
  }
}

/** Returns the checked addresses to connect to. Raises OutboundFailure `refused` or `unresolved`. */
export async function checkedEndpoints(
  network: Network,
  request: Pick<OutboundRequest, "url" | "schemes">,
): Promise<Endpoint[]> {
  const { url, schemes = ["https"] } = request;
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    throw new OutboundFailure("refused", `${url.protocol} is not allowed; use ${schemes.join(" or ")}`);
  }
  const port = portOf(url);
  const literal = literalAddress(url.hostname);
  const endpoints =
    literal === undefined ? await resolved(network, url.hostname, port) : [{ address: literal, port }];
  for (const endpoint of endpoints) {
    const what =
      literal === undefined ? `${url.hostname} resolves to ${endpoint.address}, which` : url.hostname;
    if (network.ownPorts?.().includes(endpoint.port) === true && isThisMachine(endpoint.address))
      throw new OutboundFailure("refused", `${what} is this server itself at port ${endpoint.port}`);
    const problem = addressProblem(endpoint.address);
    const couldBeAllowed = !isMetadataAddress(endpoint.address);
    if (problem === undefined || (couldBeAllowed && network.allow(endpoint))) continue;
    const message = `${what} is not a public address (${problem})`;
    throw new OutboundFailure("refused", message, { couldBeAllowed });
  }
  return endpoints;
}

async function resolved(network: Network, hostname: string, port: number): Promise<Endpoint[]> {
  const problem = network.ownNames === true ? undefined : nameProblem(hostname);
  if (problem !== undefined)
    throw new OutboundFailure("refused", `${hostname} is ${problem}`, { couldBeAllowed: true });
  try {
    const endpoints = await network.resolve(hostname, port);
    if (endpoints.length > 0) return endpoints;
  } catch (error) {
    throw new OutboundFailure(
      "unresolved",
      `${hostname}: host not found (${systemCode(error) ?? messageOf(error)})`,
    );
  }
  throw new OutboundFailure("unresolved", `${hostname}: host not found (no addresses)`);
}

interface Stop {
  /** Never resolves; rejects at the deadline or when the signal is aborted. */
  readonly raised: Promise<never>;
  /** Called with the failure, immediately if it already happened. */
  readonly onRaised: (act: (failure: OutboundFailure) => void) => void;
  readonly clear: () => void;
}

function stopSignal({ deadlineMs, timers = systemTimers, signal }: OutboundRequest): Stop {
  const stop = Promise.withResolvers<never>();
  // A caller that does not await it must not cause an unhandled rejection.
  stop.promise.catch(() => {});
  const cancel = timers.after(deadlineMs, () =>
    stop.reject(new OutboundFailure("deadline", `no answer within ${deadlineMs} ms`)),
  );
  const abort = () => stop.reject(new OutboundFailure("stopped", "stopped"));
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    raised: stop.promise,
    onRaised: (act) => void stop.promise.catch(act),
    clear: () => {
      cancel();
      signal?.removeEventListener("abort", abort);
    },
  };
}

type Client = (options: RequestOptions) => ClientRequest;

/** Loaded lazily: these modules take a tenth of the start time, and memory. */
async function clientFor({ protocol }: URL): Promise<Client> {
  const { request } = protocol === "http:" ? await import("node:http") : await import("node:https");
  return request;
}

function exchange(
  { connect, network, endpoints }: { connect: Client; network: Network; endpoints: readonly Endpoint[] },
  request: OutboundRequest,
  stop: Stop,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const sent = open(connect, network, request, endpoints);
    const fail = (failure: OutboundFailure) => {
      reject(failure);
      sent.destroy();
    };
    const broken = (error: unknown) =>
      fail(new OutboundFailure("unreachable", systemCode(error) ?? messageOf(error)));
    stop.onRaised(fail);
    sent.on("error", broken);
    sent.on("response", (answer: IncomingMessage) => {
      answer.on("error", broken);
      collect(answer, request.answerBytesMax, fail, (body) =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    sent.end(request.body);
  });
}

/** Connects only to the checked addresses, because the client resolves names only through `lookup`. */
function open(
  connect: Client,
  network: Network,
  { url, method, headers }: OutboundRequest,
  endpoints: readonly Endpoint[],
): ClientRequest {
  const port = endpoints[0]!.port;
  const addresses = endpoints
    .filter((endpoint) => endpoint.port === port)
    .map(({ address }) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const hostname = literalAddress(url.hostname) ?? url.hostname;
  const lookUp: LookupFunction = (_name, wanted, answer) =>
    wanted.all ? answer(null, addresses) : answer(null, addresses[0]!.address, addresses[0]!.family);
  const options = {
    method,
    host: hostname,
    port,
    path: url.pathname + url.search,
    headers: { ...headers, Host: url.host, "Accept-Encoding": "identity", Connection: "close" },
    agent: false as const,
    lookup: lookUp,
  };
  if (url.protocol === "http:") return connect(options);
  const tls = {
    servername: literalAddress(url.hostname) === undefined ? hostname : "",
    ...(network.ca === undefined ? {} : { ca: network.ca }),
  };
  return connect({ ...options, ...tls });
}

function collect(
  answer: IncomingMessage,
  bytesMax: number,
  fail: (failure: OutboundFailure) => void,
  done: (body: Uint8Array) => void,
): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  answer.on("data", (chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > bytesMax)
      fail(new OutboundFailure("too_large", `the answer is larger than ${bytesMax} bytes`));
    else chunks.push(chunk);
  });
  answer.on("end", () => done(Buffer.concat(chunks)));
  answer.on("aborted", () => fail(new OutboundFailure("unreachable", "the answer was interrupted")));
}

/** Returns the body of an answer as JSON; undefined if it is none. */
export function jsonOf(body: Uint8Array): unknown {
  return parsedJson(Buffer.from(body).toString("utf8"));
}
