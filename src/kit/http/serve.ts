// Binds the socket and puts the guard in front of everything: API, UI, health, event streams.
// Knows no routes: admitted requests go to `handle`.

import type { Server } from "bun";
import { isIP } from "node:net";
import { LATE, within } from "../concurrency/deadline.ts";
import { ownUser } from "../environment.ts";
import { messageOf, systemCode, AppError } from "../error.ts";
import type { Log } from "../log.ts";
import { EVERY_ADDRESS, EVERY_IPV4_ADDRESS, hostAndPort } from "../network/hosts.ts";
import { peerOwner, type PeerOwner } from "../network/peer-owner.ts";
import { requestIds } from "../random.ts";
import { answerError } from "./answer.ts";
import { Bodies, type BodyClaim } from "./bodies.ts";
import { attachExchange, placeOf, requestId, type Allowance, type Exchange } from "./exchange.ts";
import {
  admit,
  isLoopbackAddress,
  loopbackHosts,
  type Admission,
  type ListenFacts,
  type LostBy,
  type Scheme,
} from "./guard.ts";
import { socketHandler, upgrade, type SocketHandlers } from "./socket.ts";

/** Idle connections are closed after this; event streams disable it. */
const IDLE_SECONDS = 30;
const DRAIN_LOOK_MS = 100;
/** Routes limit their bodies while reading, with a proper error; Bun's own limit would answer without a message. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly loopbackAdmin: boolean;
  readonly allowedHosts: readonly string[];
  /** As in `ListenFacts`. */
  readonly formFolders?: readonly string[];
  /** As in `ListenFacts`. */
  readonly socketPaths?: RegExp;
  readonly watch?: Watch;
  /** In PEM. Absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Only tests override these. */
  readonly bodies?: Bodies;
}

/** Observes each request and its answer, including refusals of the guard. */
export interface Watch {
  /** Returns the time in ms, which is passed to `answered`. */
  began(): number;
  answered(
    start: number,
    { id, method, route }: Pick<Exchange, "id" | "method" | "route">,
    status: number,
  ): void;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Stops accepting and closes idle connections. Resolves when every open request is answered. */
  drain(): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

export type Handle = (request: Request, exchange: Exchange) => Response | Promise<Response>;

/** Raises `conflict` if the port is in use and `invalid` if the address cannot be bound. */
export function listen(options: ListenOptions, handle: Handle, log: Log): Listener {
  const nextId = requestIds();
  const bodies = options.bodies ?? new Bodies();
  const { watch } = options;
  const server = bind(options, (request, bunServer) => {
    const start = watch?.began() ?? 0;
    const exchange = new ConnectionExchange(request, bunServer, nextId, bodies);
    try {
      exchange.admission = admit(facts, exchange);
      attachExchange(request, exchange);
      const answer = handle(request, exchange);
      if (watch || request.body !== null) void settled(answer, exchange, watch, start);
      return exchange.headers["upgrade"] === undefined ? answer : unlessUpgraded(answer, exchange);
    } catch (error) {
      const response = answerError(exchange.id, error, log);
      watch?.answered(start, exchange, response.status);
      return response;
    }
  });
  const facts = factsOf(options, server);
  return {
    url: `${schemeOf(options)}://${hostAndPort(reachableHost(options.host), server.port!)}`,
    port: server.port!,
    drain: () => drained(server),
    close: () => server.stop(true),
  };
}

/** Answers the requests that have arrived. Bun alone would also wait for connections without a request, such as those that browsers open ahead. */
async function drained(server: Server<SocketHandlers>): Promise<void> {
  const stopped = server.stop(false);
  while ((await within(DRAIN_LOOK_MS, stopped)) === LATE)
    if (server.pendingRequests + server.pendingWebSockets === 0) return server.stop(true);
}

/** One request of a connection. A class, because closures would mean ten allocations per request. */
class ConnectionExchange implements Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: Bodies;
  readonly claims: BodyClaim[] = [];
  route?: string;
  allowance?: Allowance;
  caller?: string;
  errorCookie?: string;
  /** Until it is set, only the guard sees this object. */
  admission!: Admission;
  upgraded = false;
  readonly #request: Request;
  readonly #server: Server<SocketHandlers>;
  #peer: string | undefined;

  constructor(request: Request, server: Server<SocketHandlers>, nextId: () => string, bodies: Bodies) {
    const { path, query } = placeOf(request.url);
    this.headers = request.headers.toJSON() as Record<string, string>;
    this.id = requestId(this.headers["x-request-id"], nextId);
    this.method = request.method;
    this.path = path;
    this.query = query;
    this.bodies = bodies;
    this.#request = request;
    this.#server = server;
  }

  peer(): string | undefined {
    return (this.#peer ??= this.#server.requestIP(this.#request)?.address);
  }

  peerOwner(): PeerOwner {
    const end = this.#server.requestIP(this.#request);
    return end ? peerOwner({ address: end.address, peer: end.port, own: this.#server.port! }) : undefined;
  }

  loopbackPrivilege(): boolean {
    return this.admission.loopbackPrivilege();
  }

  privilegeLostBy(): LostBy | undefined {
    return this.admission.privilegeLostBy();
  }

  isDirectLocal(): boolean {
    return this.admission.isDirectLocal();
  }

  keepOpen(): void {
    this.#server.timeout(this.#request, 0);
  }

  closeAfter(seconds: number): void {
    this.#server.timeout(this.#request, seconds);
  }

  upgrade(handlers: SocketHandlers): void {
    upgrade(this.#server, this.#request, handlers);
    this.upgraded = true;
  }
}

/** Runs when an answer is ready. A handler that throws becomes Bun's own 500. */
async function settled(
  answer: Response | Promise<Response>,
  exchange: Exchange,
  watch: Watch | undefined,
  start: number,
): Promise<void> {
  let status = 500;
  try {
    status = (await answer).status;
  } catch {}
  for (const claim of exchange.claims) claim.release();
  watch?.answered(start, exchange, status);
}

/** A connection upgraded to a WebSocket has no answer. */
async function unlessUpgraded(
  answer: Response | Promise<Response>,
  exchange: ConnectionExchange,
): Promise<Response | undefined> {
  const response = await answer;
  return exchange.upgraded ? undefined : response;
}

type Fetch = (request: Request, server: Server<SocketHandlers>) => Response | Promise<Response | undefined>;

function bind(options: ListenOptions, fetch: Fetch): Server<SocketHandlers> {
  try {
    return Bun.serve<SocketHandlers>({
      hostname: options.host,
      port: options.port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
      development: false,
      // Bun's default outside development is true: a second service on the same port would start and receive half of the requests.
      reusePort: false,
      fetch,
      websocket: socketHandler,
      ...(options.tls && { tls: options.tls }),
    });
  } catch (error) {
    // A system without IPv6 has all its addresses in IPv4.
    if (options.host === EVERY_ADDRESS && systemCode(error) === "EAFNOSUPPORT")
      return bind({ ...options, host: EVERY_IPV4_ADDRESS }, fetch);
    if (options.tls && systemCode(error)?.startsWith("ERR_OSSL_"))
      throw new AppError(
        "invalid",
        `tls: cannot use the certificate with its key (${systemCode(error)}); both are PEM, and the key belongs to the first certificate`,
      );
    const address = hostAndPort(options.host, options.port);
    const code = leadsHere(options.host) ? (systemCode(error) ?? "") : "EADDRNOTAVAIL";
    if (code === "EADDRINUSE") {
      throw new AppError(
        "conflict",
        `listen ${address}: the address is already in use; stop the other program or choose another port`,
      );
    }
    throw new AppError("invalid", `listen ${address}: ${LISTEN_PROBLEMS[code] ?? messageOf(error)}`);
  }
}

const NOWHERE = "not an address of this machine; choose another";
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: NOWHERE,
  EINVAL: NOWHERE,
  EACCES: "this user may not listen there; choose a port above 1023, or grant the program the port",
};

/** For a name that leads nowhere, Bun reports the code of some earlier call. */
function leadsHere(host: string): boolean {
  if (isIP(host) !== 0) return true;
  try {
    Bun.listen({ hostname: host, port: 0, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

function factsOf(options: ListenOptions, server: Server<SocketHandlers>): ListenFacts {
  const address = boundAddress(server);
  return {
    port: server.port!,
    scheme: schemeOf(options),
    loopbackHosts: loopbackHosts(server.port!, schemeOf(options)),
    address,
    // `localhost` may resolve to any address, so the bound address is checked too.
    loopback: isLoopbackAddress(options.host) && isLoopbackAddress(address),
    loopbackAdmin: options.loopbackAdmin,
    user: ownUser(),
    allowedHosts: new Set(options.allowedHosts.map((host) => host.toLowerCase())),
    formFolders: options.formFolders ?? [],
    socketPaths: options.socketPaths,
  };
}

function schemeOf({ tls }: ListenOptions): Scheme {
  return tls === undefined ? "http" : "https";
}

/** Bun has it, but its types do not. */
function boundAddress(server: object): string {
  return (server as { address?: { address: string } | null }).address?.address ?? "";
}

/** Of a listener at this address, for programs on this machine. */
export function reachableHost(host: string): string {
  return host === EVERY_IPV4_ADDRESS || host === EVERY_ADDRESS ? "localhost" : host;
}
