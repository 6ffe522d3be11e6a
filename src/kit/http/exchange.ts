// What the guard learned about one request, carried beside it: its id, its peer, whether it has the loopback privilege.
// Kept in a symbol property of the request: the framework passes requests through, and a map would need clean-up.

import type { SocketHandlers } from "./socket.ts";

const EXCHANGE = Symbol("exchange");

export interface Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly peer: () => string | undefined;
  readonly loopbackPrivilege: () => boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The route that the request went to, as declared: what a log may say of an address. */
  route?: string;
  /** What is left of the caller's minute, once the request was counted. */
  allowance?: Allowance;
  /** `Set-Cookie` of an answer that is an error. */
  errorCookie?: string;
  /** Turns off the idle time-out of this connection: for event streams. */
  readonly keepOpen: () => void;
  /** Takes the connection over as a WebSocket; what the route answers is not sent then. Raises `invalid` for any other request. */
  readonly upgrade: (handlers: SocketHandlers) => void;
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

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** A caller's `X-Request-Id` when it is harmless, else a new one. */
export function requestId(given: string | undefined, next: () => string): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : next();
}
