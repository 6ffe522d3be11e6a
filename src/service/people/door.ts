// Admits or refuses a request: authentication first, then the kind of caller that the route declares.

import type { Asked, Door } from "../../kit/http/admission.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import type { CallerKind } from "../identity/admission.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Authentication } from "./authentication.ts";

export class ServiceDoor implements Door<CallerKind, Caller> {
  readonly #authentication: Authentication;
  readonly #callers = new WeakMap<Request, Caller>();

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
  }

  /** Returns the authenticated caller of a request, even one that the route refused. */
  callerOf(request: Request): Caller | undefined {
    return this.#callers.get(request);
  }

  admit(kind: CallerKind, { request, route }: Asked): Caller | undefined {
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
