// Receives what a server sends to its webhooks, over real HTTP, by a name that resolves to this machine for the server under test.

import type { Network } from "../../../src/kit/network/outbound.ts";

export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Keeps what it gets; `answer` decides what the sender is told. */
export function hookReceiver(
  answer: (path: string, nth: number) => Response | Promise<Response> = () => new Response(),
) {
  const got: Received[] = [];
  const listener = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname;
      got.push({ path, headers: request.headers, body: await request.text() });
      return answer(path, got.filter((one) => one.path === path).length);
    },
  });
  const network: Network = {
    resolve: async () => [{ address: "127.0.0.1", port: listener.port! }],
    allow: ({ port }) => port === listener.port,
  };
  return {
    got,
    outbound: { network, waitsMs: [1, 1, 1] },
    url: (path = "/") => `http://hook.example:${listener.port}${path}`,
    async [Symbol.asyncDispose]() {
      await listener.stop(true);
    },
  };
}
