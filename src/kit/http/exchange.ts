// The facts about one request that the guard established: its id, its peer, whether it has the loopback privilege.
// Kept in a symbol property of the request: the framework passes requests through, and a map would need clean-up.

import { AppError } from "../error.ts";
import type { Bodies, BodyClaim } from "./bodies.ts";
import type { SocketHandlers } from "./socket.ts";

const EXCHANGE = Symbol("exchange");

export interface Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Of the address, without its question mark; empty when there is none. */
  readonly query: string;
  peer(): string | undefined;
  loopbackPrivilege(): boolean;
  /** Sent by a program on this machine, with no proxy in between. */
  isDirectLocal(): boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The route that the request went to, as declared: what a log may say of an address. */
  route?: string;
  /** The caller's remaining requests of this minute, once the request is counted. */
  allowance?: Allowance;
  /** Whose share of `bodies` this request's body counts in, once the caller is known; else the peer's. */
  caller?: string;
  readonly bodies: Bodies;
  /** The share of `bodies` that this request holds until it is answered. */
  readonly claims: BodyClaim[];
  /** `Set-Cookie` of an answer that is an error. */
  errorCookie?: string;
  /** Turns off the idle time-out of this connection: for event streams. */
  keepOpen(): void;
  /** Closes this connection once nothing has moved on it for so long: for a stream that was ended and is not read. */
  closeAfter(seconds: number): void;
  /** Takes the connection over as a WebSocket; what the route answers is not sent then. Raises `invalid` for any other request. */
  upgrade(handlers: SocketHandlers): void;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is there again. */
  readonly resetSeconds: number;
}

type Carrier = Request & { [EXCHANGE]?: Exchange };

export function attachExchange(request: Request, exchange: Exchange): void {
  (request as Carrier)[EXCHANGE] = exchange;
}

export function exchangeOf(request: Request): Exchange {
  const exchange = (request as Carrier)[EXCHANGE];
  if (!exchange) throw new Error("request did not pass the guard");
  return exchange;
}

/** Path and query of an absolute URL. Cheaper than a URL object, which is made only by those who need more. */
export function placeOf(url: string): Pick<Exchange, "path" | "query"> {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", query: "" };
  const query = url.indexOf("?", start);
  return query < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, query), query: url.slice(query + 1) };
}

/** Of a request inside this process: without a connection, a peer and the privilege of one. */
export function innerExchange(id: string, request: Request, bodies: Bodies): Exchange {
  return {
    id,
    method: request.method,
    ...placeOf(request.url),
    peer: () => undefined,
    headers: request.headers.toJSON() as Record<string, string>,
    bodies,
    claims: [],
    loopbackPrivilege: () => false,
    isDirectLocal: () => true,
    keepOpen: () => {},
    closeAfter: () => {},
    upgrade: () => {
      throw new AppError("invalid", "not over this connection");
    },
  };
}

export function claimBody(request: Request, keptIn: "memory" | "disk"): BodyClaim {
  const exchange = exchangeOf(request);
  const claim = exchange.bodies[keptIn].claim(exchange.caller ?? `address ${exchange.peer() ?? ""}`);
  exchange.claims.push(claim);
  return claim;
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** A caller's `X-Request-Id` when it is harmless, else a new one. */
export function requestId(given: string | undefined, next: () => string): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : next();
}
