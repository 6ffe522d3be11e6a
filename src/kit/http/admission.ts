// Routes declare who may call them: `{ caller: "any" | "admin" | … }`. Deny by default: a test fails on a route without it.
//
// Admission runs before parameters and body are read, so that 401 and 403 come before any 400, and again afterwards, because a body may
// arrive slowly.

import { Elysia, type AnyElysia } from "elysia";
import { numbersOfPath } from "./text-params.ts";

export interface Asked {
  readonly request: Request;
  /** The declared route, with parameter names. */
  readonly route: string;
  readonly params?: Readonly<Record<string, string>>;
}

/** Decides which callers are admitted. `Kind` is the set of declarations for a route; it includes `open`. */
export interface Door<Kind extends string, Caller> {
  /** Undefined for an open route. Raises `unauthenticated`, `forbidden`, `rate_limited`. */
  admit(kind: Kind, asked: Asked): Caller | undefined;
  /** Called after the body has arrived. Raises `unauthenticated`, `forbidden`. */
  confirm(kind: Kind, caller: Caller): void;
}

export function admission<Kind extends string, Caller>(door: Door<Kind, Caller>) {
  return new Elysia({ name: "admission", normalize: false }).macro({
    caller: (kind: Kind) => ({
      detail: { "x-caller": kind } as object,
      transform: (context: object) => {
        const asked = context as Asked & { caller: Caller };
        const caller = door.admit(kind, asked);
        if (caller !== undefined) asked.caller = caller;
      },
      resolve: (context: object): { caller: Caller } => {
        const { params, caller } = context as { params?: Record<string, unknown>; caller: Caller };
        if (kind !== "open") door.confirm(kind, caller);
        numbersOfPath(params);
        // Only for the types: handlers do not see what `transform` adds.
        return { caller };
      },
    }),
  });
}

export type Admission<Kind extends string, Caller> = ReturnType<typeof admission<Kind, Caller>>;

type SharedAdmission = Admission<"open" | "any", unknown>;

/** The same admission for routes of every program, limited to the kinds that every program declares. */
export function shared(plugin: AnyElysia): SharedAdmission {
  return plugin as unknown as SharedAdmission;
}
