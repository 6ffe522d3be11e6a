// Binds the socket and puts the one guard in front of everything: API, UI, health, event streams.
// It knows no routes: what passes the guard goes to `handle`.

import type { Server } from "bun";
import { messageOf, systemCode, AppError } from "../error.ts";
import type { Log } from "../log.ts";
import { requestIds } from "../random.ts";
import { answerError } from "./answer.ts";
import { Bodies } from "./bodies.ts";
import { attachExchange, placeOf, requestId, type Exchange } from "./exchange.ts";
import { admit, isLoopbackAddress, type ListenFacts } from "./guard.ts";
import { socketHandler, upgrade, type SocketHandlers } from "./socket.ts";

/** Connections without traffic are closed after this; event streams switch it off for themselves. */
const IDLE_SECONDS = 30;
/** Routes bound their bodies themselves, while reading, with an answer that says so; the server's own limit would answer without words. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly loopbackAdmin: boolean;
  readonly allowedHosts: readonly string[];
  readonly watch?: Watch;
  /** Only tests pass others. */
  readonly bodies?: Bodies;
}

/** Called when a request has come; what it returns is called with its answer, refusals of the guard included. */
export type Watch = (id: string, method: string) => (route: string | undefined, status: number) => void;

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, and closes connections that wait for nothing. Resolves when every open request is answered. */
  drain(): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

export type Handle = (request: Request, exchange: Exchange) => Response | Promise<Response>;

/** Raises `conflict` when the port is taken and `invalid` when the address can't be bound. */
export function listen(options: ListenOptions, handle: Handle, log: Log): Listener {
  const nextId = requestIds();
  const bodies = options.bodies ?? new Bodies();
  const server = bind(options, (request, bunServer) => {
    const headers = request.headers.toJSON() as Record<string, string>;
    const id = requestId(headers["x-request-id"], nextId);
    let address: string | undefined;
    const peer = () => (address ??= bunServer.requestIP(request)?.address);
    const answered = options.watch?.(id, request.method);
    let upgraded = false;
    let known: Exchange | undefined;
    try {
      const { path, query } = placeOf(request.url);
      const admission = admit(facts, { method: request.method, path, headers, peer });
      const exchange: Exchange = {
        id,
        method: request.method,
        path,
        query,
        peer,
        headers,
        bodies,
        claims: [],
        loopbackPrivilege: admission.loopbackPrivilege,
        isDirectLocal: admission.isDirectLocal,
        keepOpen: () => bunServer.timeout(request, 0),
        closeAfter: (seconds) => bunServer.timeout(request, seconds),
        upgrade: (handlers) => {
          upgrade(bunServer, request, handlers);
          upgraded = true;
        },
      };
      attachExchange(request, exchange);
      known = exchange;
      const answer = handle(request, exchange);
      if (answered || request.body !== null) void settled(answer, exchange, answered);
      return headers["upgrade"] === undefined ? answer : unlessUpgraded(answer, () => upgraded);
    } catch (error) {
      const response = answerError(id, error, log);
      answered?.(known?.route, response.status);
      return response;
    }
  });
  const facts = factsOf(options, server);
  return {
    url: `http://${urlHost(options.host)}:${server.port}`,
    port: server.port!,
    drain: () => server.stop(false),
    close: () => server.stop(true),
  };
}

/** What is due once an answer is there. A handler that fails in spite of everything is the server's own 500. */
async function settled(
  answer: Response | Promise<Response>,
  exchange: Exchange,
  tell: ReturnType<Watch> | undefined,
): Promise<void> {
  let status = 500;
  try {
    status = (await answer).status;
  } catch {}
  for (const claim of exchange.claims) claim.release();
  tell?.(exchange.route, status);
}

/** Once a connection is a WebSocket, there is nothing to answer. */
async function unlessUpgraded(
  answer: Response | Promise<Response>,
  upgraded: () => boolean,
): Promise<Response | undefined> {
  const response = await answer;
  return upgraded() ? undefined : response;
}

type Fetch = (request: Request, server: Server<SocketHandlers>) => Response | Promise<Response | undefined>;

function bind(options: ListenOptions, fetch: Fetch) {
  try {
    return Bun.serve<SocketHandlers>({
      hostname: options.host,
      port: options.port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
      development: false,
      // Bun's default outside development is true: a second service on the same port would start, and get half of the requests.
      reusePort: false,
      fetch,
      websocket: socketHandler,
    });
  } catch (error) {
    const address = `${options.host}:${options.port}`;
    if (systemCode(error) === "EADDRINUSE") {
      throw new AppError(
        "conflict",
        `listen ${address}: the address is already in use; stop the other program or choose another port`,
      );
    }
    const nowhere = ["EADDRNOTAVAIL", "EINVAL"].includes(systemCode(error) ?? "");
    throw new AppError(
      "invalid",
      `listen ${address}: ${nowhere ? "it is no address of this machine; set another one" : messageOf(error)}`,
    );
  }
}

function factsOf(options: ListenOptions, server: Server<SocketHandlers>): ListenFacts {
  const address = boundAddress(server);
  return {
    port: server.port!,
    address,
    // `localhost` is whatever this machine says it is, so the address that was bound is asked as well.
    loopback: isLoopbackAddress(options.host) && isLoopbackAddress(address),
    loopbackAdmin: options.loopbackAdmin,
    allowedHosts: new Set(options.allowedHosts.map((host) => host.toLowerCase())),
  };
}

/** Bun has it, its types do not. */
function boundAddress(server: object): string {
  return (server as { address?: { address: string } | null }).address?.address ?? "";
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
