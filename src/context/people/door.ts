// Admits or refuses a request: authentication, rate limit, then the caller kind of the route. Audits refusals.

import { AppError } from "../../kit/error.ts";
import type { Asked, Door } from "../../kit/http/admission.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import { exchangeOf, type Exchange } from "../../kit/http/exchange.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallerKind } from "../identity/admission.ts";
import { requireAdmin, stranger, type Caller } from "../identity/caller.ts";
import type { RateLimits } from "../rate/rate-limits.ts";
import type { Authentication } from "./authentication.ts";

/** The checks on spaces that the door needs. */
interface SpacesAtDoor {
  /** Raises `not_found`, which it audits. */
  requireVisible(caller: Caller, space: string): void;
  /** Raises `not_found`, `forbidden`. */
  requireLead(caller: Caller, space: string): void;
}

interface DoorDeps {
  readonly spaces: SpacesAtDoor;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  readonly audit: Audit;
  readonly addresses: ClientAddresses;
}

/** Counts and audits each request once, however often it is checked. */
export class ContextDoor implements Door<CallerKind, Caller> {
  readonly #deps: DoorDeps;
  readonly #admitted = new WeakMap<Request, Caller>();

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  admit(kind: CallerKind, asked: Asked): Caller | undefined {
    const caller = this.#known(kind, asked);
    // The rules of files audit a refused change with its path.
    const isForDoor = kind === "lead" || asked.request.method === "GET";
    if (caller && isForDoor) this.#requireSpace(kind, caller, asked);
    return caller;
  }

  /** As `admit`, but before the body is read: a caller who cannot see the space must not use memory. */
  admitBody(kind: CallerKind, asked: Asked): void {
    const caller = this.#known(kind, asked);
    if (caller) this.#requireSpace(kind, caller, asked);
  }

  #known(kind: CallerKind, { request, route }: Asked): Caller | undefined {
    const exchange = exchangeOf(request);
    exchange.route = route;
    if (kind === "open") return undefined;
    let caller = this.#admitted.get(request);
    if (!caller) {
      caller = this.#find(kind, exchange, route);
      this.#admitted.set(request, caller);
      exchange.caller = caller.name;
    }
    return caller;
  }

  #requireSpace(kind: CallerKind, caller: Caller, { request, route, params }: Asked): void {
    const space = params?.["space"];
    if (space === undefined) return;
    const { spaces, audit } = this.#deps;
    if (kind === "space") spaces.requireVisible(caller, space);
    if (kind !== "lead") return;
    try {
      spaces.requireLead(caller, space);
    } catch (error) {
      audit.record(caller, { action: "request.refused", target: `${request.method} ${route}`, space }, error);
      throw error;
    }
  }

  #find(kind: CallerKind, exchange: Exchange, route: string): Caller {
    const { authentication, limits, audit } = this.#deps;
    const deed = { action: "request.refused", target: `${exchange.method} ${route}` };
    let caller: Caller | undefined;
    try {
      caller = limits.counted(
        exchange,
        () => authentication.caller(exchange),
        (error, who) => audit.record(who ?? this.#stranger(exchange), deed, error),
      );
      if (kind === "admin") requireAdmin(caller);
      return caller;
    } catch (error) {
      const told = error instanceof AppError && error.code === "rate_limited";
      if (!told) audit.record(caller ?? this.#stranger(exchange), deed, error);
      throw error;
    }
  }

  #stranger(exchange: Exchange): Caller {
    const address = this.#deps.addresses.of(exchange);
    return stranger("", { address: () => address, requestId: exchange.id });
  }
}
