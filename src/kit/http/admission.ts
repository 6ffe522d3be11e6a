// Routes declare who may call them: `{ caller: "any" | "admin" | … }`. Deny by default: a test fails on a route without it.
//
// Admission runs once the body has arrived, which may take long, and before parameters and body are checked, so that 401 and 403 come before any
// 400. Nobody else has a turn between that and the handler. `createApi` also asks the door before it reads a body.

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
  return plugin;
}
