// HTTP for the terminal: its status, and two WebSocket endpoints. They pass the request guard, authentication and the rules like every other
// route before the connection is upgraded.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromPath } from "../../kit/http/text-params.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { TerminalStatus, TicketQuery } from "./schema.ts";
import type { Terminals } from "./terminals.ts";

export function terminalRoutes(plugin: Admission, terminals: Terminals) {
  return new Elysia({ name: "terminal", normalize: false, tags: ["terminal"] })
    .use(plugin)
    .get("/terminal/status", ({ caller }) => terminals.status(caller), {
      caller: "any",
      response: TerminalStatus,
    })
    .get(
      "/terminal",
      async ({ caller, query, request }) =>
        await terminals.connect(caller, { workspaceId: null, ...query }, exchangeOf(request)),
      {
        caller: "admin",
        query: TicketQuery,
        response: Empty,
        detail: SOCKET,
      },
    )
    .get(
      "/workspaces/:id/terminal",
      async ({ caller, params, query, request }) =>
        await terminals.connect(caller, { workspaceId: params.id, ...query }, exchangeOf(request)),
      {
        caller: "admin",
        params: fromPath(IdParams),
        query: TicketQuery,
        response: Empty,
        detail: SOCKET,
      },
    );
}

const SOCKET = {
  description:
    'A WebSocket: binary frames carry bytes in both directions; the only text frame is {"type":"resize","cols","rows"}.',
};
