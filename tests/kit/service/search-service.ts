// A local HTTPS server that stands in for the search service, with the network that leads to it: the compiled-in name resolves to this
// machine, which only this network object allows. Everything else on the way is the real thing.

import type { Network } from "../../../src/kit/network/outbound.ts";
import { selfSigned } from "../../../src/kit/secrets/self-signed.ts";

const SEARCH_HOST = "api.search.brave.com";

export interface SearchService extends AsyncDisposable {
  readonly network: Network;
  /** Queries that arrived, in order. */
  readonly queries: string[];
  /** Path and headers of each. */
  readonly requests: { path: string; headers: Record<string, string> }[];
  /** Names that were resolved. */
  readonly resolved: string[];
  /** The answer to the next searches; by default one result that names the query. */
  answer(reply: (query: string) => Response | Promise<Response>): void;
}

export function searchService(): SearchService {
  const { cert, key } = selfSigned([SEARCH_HOST], { now: Date.now(), days: 1 });
  const queries: string[] = [];
  const requests: SearchService["requests"] = [];
  const resolved: string[] = [];
  let reply: (query: string) => Response | Promise<Response> = (query) =>
    found([{ title: `About ${query}`, url: "https://example.org/", description: "A description." }]);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert, key },
    fetch(request) {
      const { pathname, search, searchParams } = new URL(request.url);
      const query = searchParams.get("q") ?? "";
      requests.push({ path: pathname + search, headers: request.headers.toJSON() as Record<string, string> });
      queries.push(query);
      return reply(query);
    },
  });
  return {
    queries,
    requests,
    resolved,
    network: {
      resolve: (hostname) => {
        resolved.push(hostname);
        return Promise.resolve([{ address: "127.0.0.1", port: server.port! }]);
      },
      allow: ({ address, port }) => address === "127.0.0.1" && port === server.port,
      ca: cert,
    },
    answer: (next) => void (reply = next),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export function found(results: { title: string; url: string; description?: string }[]): Response {
  return Response.json({ type: "search", web: { type: "search", results } });
}
