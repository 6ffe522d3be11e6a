// How a route declares who may call it: `{ caller: "any" | "admin" | … }`. Deny by default: a test fails on a route without it.
//
// Who calls is known before parameters and body are looked at: 401 and the admin's 403 come before any 400. It is asked again afterwards.
// `open`: no credential is looked at. The others authenticate; `admin` is checked here as well as in the rules. What `ws`, `lead`,
// `owner`, `author` and `self` mean needs the record, so their rules modules decide, inside the transaction.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { numbersOfPath } from "../../kit/http/text-params.ts";
import type { Authentication } from "./authentication.ts";
import { requireAdmin, requireSignedIn, type Caller } from "./caller.ts";

export const callerKinds = ["open", "any", "ws", "lead", "owner", "author", "self", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

/** Lets a request in or not: before its body is read, and again after that, since the body may have been on its way for long. */
export class Door {
  readonly #authentication: Authentication;
  readonly #callers = new WeakMap<Request, Caller>();

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
  }

  /** Who was recognised, also where the route was refused to them. */
  callerOf(request: Request): Caller | undefined {
    return this.#callers.get(request);
  }

  /** `route`: as declared, for the log. Undefined for a route that is open. Raises `unauthenticated`, `forbidden`. */
  admit(kind: CallerKind, request: Request, route: string): Caller | undefined {
    const exchange = exchangeOf(request);
    exchange.route = route;
    if (kind === "open") return undefined;
    const caller = this.#authentication.caller(exchange);
    this.#callers.set(request, caller);
    exchange.caller = String(caller.userId);
    if (kind === "admin") requireAdmin(caller);
    return caller;
  }
}

export function callerPlugin(door: Door) {
  return new Elysia({ name: "caller", normalize: false }).macro({
    caller: (kind: CallerKind) => ({
      detail: { "x-caller": kind } as object,
      transform: (context: object) => {
        const asked = context as { request: Request; route: string; caller: Caller };
        const caller = door.admit(kind, asked.request, asked.route);
        if (caller) asked.caller = caller;
      },
      resolve: (context: object): { caller: Caller } => {
        const { params, caller } = context as { params?: Record<string, unknown>; caller: Caller };
        if (kind !== "open") requireSignedIn(caller);
        if (kind === "admin") requireAdmin(caller);
        numbersOfPath(params);
        // Only says that it is there: `transform` has no say in the types of handlers.
        return { caller };
      },
    }),
  });
}

export type CallerPlugin = ReturnType<typeof callerPlugin>;
