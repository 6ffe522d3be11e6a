// The facts about one request that the guard established: its id, its peer, whether it has the loopback privilege.
// Stored in a symbol property of the request, because the framework passes requests through, and a map would need cleanup.

import { AppError } from "../error.ts";
import type { PeerOwner } from "../network/peer-owner.ts";
import type { Bodies, BodyClaim } from "./bodies.ts";
import type { LostBy } from "./guard.ts";
import type { SocketHandlers } from "./socket.ts";

const EXCHANGE = Symbol("exchange");

export interface Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The query without its question mark; empty if there is none. */
  readonly query: string;
  peer(): string | undefined;
  /** Whose program is at the other end of the connection. */
  peerOwner(): PeerOwner;
  loopbackPrivilege(): boolean;
  /** As `Admission.privilegeLostBy`. */
  privilegeLostBy(): LostBy | undefined;
  /** Sent by a program on this machine, with no proxy in between. */
  isDirectLocal(): boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The declared route of the request, which is safe to log. */
  route?: string;
  /** The caller's remaining requests in this minute, once the request is counted. */
  allowance?: Allowance;
  /** The owner of the share of `bodies` for this request: the caller once known, otherwise the peer. */
  caller?: string;
  readonly bodies: Bodies;
  /** The claim on `bodies` that this request holds until it is answered. */
  readonly claims: BodyClaim[];
  /** `Set-Cookie` of an error answer. */
  errorCookie?: string;
  /** Disables the idle timeout of this connection, for event streams. */
  keepOpen(): void;
  /** Closes this connection after it is idle for this long, for an ended stream that is not read. */
  closeAfter(seconds: number): void;
  /** Takes over the connection as a WebSocket; the route's answer is not sent. Raises `invalid` for any other request. */
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

/** Returns path and query of an absolute URL, cheaper than a URL object. */
export function placeOf(url: string): Pick<Exchange, "path" | "query"> {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", query: "" };
  const query = url.indexOf("?", start);
  return query < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, query), query: url.slice(query + 1) };
}

/** The exchange of a request inside this process, without a connection, a peer or a privilege. */
export function innerExchange(id: string, request: Request, bodies: Bodies): Exchange {
  return {
    id,
    method: request.method,
    ...placeOf(request.url),
    peer: () => undefined,
    peerOwner: () => undefined,
    headers: request.headers.toJSON() as Record<string, string>,
    bodies,
    claims: [],
    loopbackPrivilege: () => false,
    privilegeLostBy: () => undefined,
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

/** Returns the caller's `X-Request-Id` if it is harmless, otherwise a new one. */
export function requestId(given: string | undefined, next: () => string): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : next();
}

/** Reports whether a person did something: a page that is merely open refreshes its counters by a script. */
export function isActivity({ method, headers }: Exchange): boolean {
  return method !== "GET" || headers["sec-fetch-mode"] !== "cors";
}
