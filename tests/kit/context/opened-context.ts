// A context server without a listener, in this process: what is sent in one turn of the event loop waits for one commit. `await using` closes
// it and removes its directory.

import { join } from "node:path";
import { initServer } from "../../../src/context/init-server.ts";
import { openServer, type OpenOptions, type OpenServer } from "../../../src/context/main.ts";
import { AppError, statusOf } from "../../../src/kit/error.ts";
import { Bodies } from "../../../src/kit/http/bodies.ts";
import { attachExchange, innerExchange } from "../../../src/kit/http/exchange.ts";
import { temporaryFolder } from "../folder.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  /** A string is sent raw, everything else as JSON. */
  readonly body?: unknown;
}

export interface OpenedContext extends AsyncDisposable, Pick<OpenServer, "parts" | "log"> {
  /** Of the first admin. */
  readonly root: string;
  /** Sends it with this token; none when it is empty. */
  send(token: string, sent: Sent): Promise<Response>;
  /** As the first admin. Raises unless it succeeds. */
  ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

export async function openedContext(options: Pick<OpenOptions, "clock"> = {}): Promise<OpenedContext> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const log = { format: "json" as const, write: () => {} };
  const made = await initServer({ directory, space: "team", admin: "root", template: "blank" }, log);
  await folder.write("server/server.yaml", "rate_limit: { enabled: false }\n");
  const server = openServer({ directory, log, ...options });
  const bodies = new Bodies();
  const send = async (token: string, { method, path, body }: Sent): Promise<Response> => {
    const url = new URL(`http://localhost/api/v1${path}`);
    const raw = typeof body === "string";
    const text = body === undefined ? undefined : raw ? (body as string) : JSON.stringify(body);
    const request = new Request(url.href, {
      method,
      headers: {
        // As a client sends it: a body without is read to its end in more turns.
        ...(text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) }),
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || raw ? {} : { "content-type": "application/json" }),
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const exchange = innerExchange("test", request, bodies);
    attachExchange(request, exchange);
    try {
      return await server.handle(request, exchange);
    } catch (error) {
      return Response.json({}, { status: error instanceof AppError ? statusOf[error.code] : 500 });
    } finally {
      for (const claim of exchange.claims) claim.release();
    }
  };
  const ask = async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await send(made.token, { method, path, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  return {
    root: made.token,
    parts: server.parts,
    log: server.log,
    send,
    ask,
    async [Symbol.asyncDispose]() {
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Lets everything run that waits for nothing from outside: the writes that follow are then waiting for the next commit. */
export async function untilItWaits(): Promise<void> {
  for (let turn = 0; turn < 500; turn++) await Promise.resolve();
}
