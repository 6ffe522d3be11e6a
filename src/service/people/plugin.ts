// How a route declares who may call it: `{ caller: "any" | "admin" | … }`. Deny by default: a test fails on a route without it.
//
// `open`: no credential is looked at. The others authenticate; `admin` is checked here as well as in the rules. What `ws`, `lead`,
// `owner`, `author` and `self` mean needs the record, so their rules modules decide, inside the transaction.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import type { Authentication } from "./authentication.ts";
import { requireAdmin, type Caller } from "./caller.ts";

export const callerKinds = ["open", "any", "ws", "lead", "owner", "author", "self", "admin"] as const;
export type CallerKind = (typeof callerKinds)[number];

export function callerPlugin(authentication: Authentication) {
  return new Elysia({ name: "caller", normalize: false }).macro({
    caller: (kind: CallerKind) => ({
      detail: { "x-caller": kind } as object,
      resolve: ({ request }: { request: Request }): { caller: Caller } => {
        if (kind === "open") return { caller: undefined as never };
        const caller = authentication.caller(exchangeOf(request));
        if (kind === "admin") requireAdmin(caller);
        return { caller };
      },
    }),
  });
}

export type CallerPlugin = ReturnType<typeof callerPlugin>;
