// HTTP for the terminal: its status, and two WebSocket endpoints. They pass the request guard, authentication and the rules like every other
// route before the connection is upgraded.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromPath } from "../../kit/http/text-params.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import { TerminalStatus } from "./schema.ts";
import type { Terminals } from "./terminals.ts";

export function terminalRoutes(plugin: Admission, terminals: Terminals) {
  return new Elysia({ name: "terminal", normalize: false, tags: ["terminal"] })
    .use(plugin)
    .get("/terminal/status", () => terminals.status(), { caller: "any", response: TerminalStatus })
    .get(
      "/terminal",
      async ({ caller, request }) => await terminals.connect(caller, null, exchangeOf(request)),
      {
        caller: "admin",
        response: Empty,
        detail: SOCKET,
      },
    )
    .get(
      "/workspaces/:id/terminal",
      async ({ caller, params, request }) => await terminals.connect(caller, params.id, exchangeOf(request)),
      {
        caller: "admin",
        params: fromPath(IdParams),
        response: Empty,
        detail: SOCKET,
      },
    );
}

const SOCKET = {
  description:
    'A WebSocket: binary frames carry bytes in both directions; the only text frame is {"type":"resize","cols","rows"}.',
};
