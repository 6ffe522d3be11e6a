// A transport into a data directory: opens the server in this process, without a listener, and passes it the same requests.

import type { LogOptions } from "../kit/log.ts";
import { newToken } from "../kit/crypto.ts";
import { AppError, statusOf } from "../kit/error.ts";
import { Bodies } from "../kit/http/bodies.ts";
import { attachExchange, innerExchange } from "../kit/http/exchange.ts";
import { requestIds } from "../kit/random.ts";
import { openServer } from "./main.ts";
import { systemUser } from "./people/local-door.ts";
import type { Transport } from "./client/client.ts";

/** Raises `conflict` while another process has the directory open. */
export function inProcessTransport(directory: string, log: Pick<LogOptions, "format" | "write">): Transport {
  const server = openServer({ directory, log });
  const token = newToken();
  server.parts.authentication.openLocalDoor(token, `${systemUser()} (this machine)`);
  const nextId = requestIds();
  const bodies = new Bodies();
  return {
    name: directory,
    async send(method, path, { headers, body }) {
      const url = new URL(path, "http://localhost");
      const sent = { ...headers, authorization: `Bearer ${token}` };
      const request = new Request(url.href, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body }),
      });
      const exchange = innerExchange(nextId(), request, bodies);
      attachExchange(request, exchange);
      try {
        return await server.handle(request, exchange);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return Response.json(
          { error: { message: error.message, code: error.code } },
          { status: statusOf[error.code] },
        );
      } finally {
        for (const claim of exchange.claims) claim.release();
      }
    },
    close: () => server.close(),
  };
}
