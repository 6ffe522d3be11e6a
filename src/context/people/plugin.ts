// How a route of the context server declares who may call it: `{ actor: "any" | "admin" | … }`. Deny by default: a test fails on a route
// without it. Who calls is known before parameters and body are looked at, and what is refused here is on the audit record.

import { Elysia } from "elysia";
import { exchangeOf, type Exchange } from "../../kit/http/exchange.ts";
import { numbersOfPath } from "../../kit/http/text-params.ts";
import { Rights } from "../access/rights.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import type { RateLimits } from "../rate/rate-limits.ts";
import { requireAdmin, type Actor } from "./actor.ts";
import type { Authentication } from "./authentication.ts";
import { AppError } from "../../kit/error.ts";

/** `space`, `lead`: of the space in the address. The rules decide once more, when they act. */
export const actorKinds = ["open", "any", "space", "lead", "admin"] as const;
export type ActorKind = (typeof actorKinds)[number];

/** What the door has to know of spaces. */
export interface SpacesAtDoor {
  /** Raises `not_found`, on the record. */
  requireVisible(actor: Actor, space: string): void;
  /** Raises `not_found`, `forbidden`. */
  requireLead(actor: Actor, space: string): void;
}

export interface DoorDeps {
  readonly spaces: SpacesAtDoor;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  readonly audit: Audit;
  readonly addresses: ClientAddresses;
}

/** Lets a request in or not: once for each, however often it is asked. */
export class Door {
  readonly #deps: DoorDeps;
  readonly #admitted = new WeakMap<Request, Actor>();

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  /** Undefined for a route that is open. Raises `unauthenticated`, `rate_limited`, `forbidden`. */
  admit(kind: ActorKind, request: Request, route: string): Actor | undefined {
    const exchange = exchangeOf(request);
    exchange.route = route;
    if (kind === "open") return undefined;
    const known = this.#admitted.get(request);
    if (known) return known;
    const actor = this.#find(kind, exchange, route);
    this.#admitted.set(request, actor);
    exchange.caller = actor.name;
    return actor;
  }

  /**
   * As `admit`, and may this person do that in the space at all? Before parameters and body are looked at: a stranger's body must not take
   * memory, and a refusal for rights comes first.
   */
  admitTo(kind: ActorKind, request: Request, route: string, space: string | undefined): Actor | undefined {
    const actor = this.admit(kind, request, route);
    if (actor && space !== undefined) this.#requireSpace(kind, actor, `${request.method} ${route}`, space);
    return actor;
  }

  #requireSpace(kind: ActorKind, actor: Actor, target: string, space: string): void {
    const { spaces, audit } = this.#deps;
    if (kind === "space") spaces.requireVisible(actor, space);
    if (kind !== "lead") return;
    try {
      spaces.requireLead(actor, space);
    } catch (error) {
      audit.record(actor, { action: "request.refused", target, space }, error);
      throw error;
    }
  }

  #find(kind: ActorKind, exchange: Exchange, route: string): Actor {
    const { authentication, limits, audit } = this.#deps;
    const deed = { action: "request.refused", target: `${exchange.method} ${route}` };
    let actor: Actor | undefined;
    try {
      actor = limits.counted(
        exchange,
        () => authentication.actor(exchange),
        (error, who) => audit.record(who ?? this.#stranger(exchange), deed, error),
      );
      if (kind === "admin") requireAdmin(actor);
      return actor;
    } catch (error) {
      const told = error instanceof AppError && error.code === "rate_limited";
      if (!told) audit.record(actor ?? this.#stranger(exchange), deed, error);
      throw error;
    }
  }

  #stranger(exchange: Exchange): Actor {
    const address = this.#deps.addresses.of(exchange);
    return {
      name: "",
      auth: "none",
      role: NONE.role,
      rights: NONE,
      tokenId: null,
      address: () => address,
      requestId: exchange.id,
    };
  }
}

const NONE = new Rights("viewer", [], []);

export function actorPlugin(door: Door) {
  return new Elysia({ name: "actor", normalize: false }).macro({
    actor: (kind: ActorKind) => ({
      detail: { "x-actor": kind } as object,
      transform: (context: object) => {
        const asked = context as {
          request: Request;
          route: string;
          params?: Readonly<Record<string, string>>;
          actor: Actor;
        };
        // A change of a file is refused, and recorded with its path, by the rules of files.
        const isForDoor = kind === "lead" || asked.request.method === "GET";
        const space = isForDoor ? asked.params?.["space"] : undefined;
        const actor = door.admitTo(kind, asked.request, asked.route, space);
        if (actor) asked.actor = actor;
      },
      resolve: (context: object): { actor: Actor } => {
        const { params, actor } = context as { params?: Record<string, unknown>; actor: Actor };
        numbersOfPath(params);
        return { actor };
      },
    }),
  });
}

export type ActorPlugin = ReturnType<typeof actorPlugin>;
