// Goal: only the approved query is sent, and every failure is a fixed sentence that reveals nothing of the network.

import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { createLog } from "../../../src/kit/log.ts";
import { BraveSearch, RESULTS_MAX, SearchFailure } from "../../../src/service/egress/search-client.ts";
import { found, searchService, type SearchService } from "../../kit/service/search-service.ts";
import type { LogLine } from "../../kit/log-reader.ts";

function clientOf(service: SearchService, lines: string[] = []) {
  const log = createLog({
    level: "debug",
    format: "json",
    clock: systemClock,
    write: (line) => void lines.push(line),
  });
  return new BraveSearch(service.network, "canary-key", log);
}

async function failureOf(act: Promise<unknown>): Promise<string> {
  const error: unknown = await act.then(
    () => undefined,
    (raised: unknown) => raised,
  );
  if (error instanceof SearchFailure) return error.message;
  throw new Error(`not a search failure: ${String(error)}`);
}

const search = (service: SearchService, lines?: string[]) =>
  clientOf(service, lines).search("tea & cake #1", new AbortController().signal);

test("sends one request to the compiled-in destination", async () => {
  await using service = searchService();
  expect(await search(service)).toEqual([
    { title: "About tea & cake #1", url: "https://example.org/", description: "A description." },
  ]);
  expect(service.resolved).toEqual(["api.search.brave.com"]);
  expect(service.requests).toEqual([
    {
      path: "/res/v1/web/search?q=tea+%26+cake+%231&count=10",
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        connection: "close",
        host: "api.search.brave.com",
        "x-subscription-token": "canary-key",
      },
    },
  ]);
});

test("bounds results, ignores unknown fields, and accepts an empty list", async () => {
  await using service = searchService();
  service.answer(() =>
    found(Array.from({ length: 30 }, (_, index) => ({ title: `${index}`, url: "https://example.org/" }))),
  );
  expect(await search(service)).toHaveLength(RESULTS_MAX);
  service.answer(() => Response.json({ type: "search" }));
  expect(await search(service)).toEqual([]);
});

test.each([
  [401, "The search service did not accept this installation's credential."],
  [403, "The search service did not accept this installation's credential."],
  [429, "The search service accepts no more searches for now."],
  [500, "The search service answered with an error."],
  [302, "The search service answered with an error."],
])("status %d", async (status, sentence) => {
  await using service = searchService();
  service.answer(
    () =>
      new Response("internal host db-7 at 10.0.0.3", {
        status,
        headers: { Location: "https://example.org/" },
      }),
  );
  expect(await failureOf(search(service))).toBe(sentence);
  expect(service.queries).toHaveLength(1);
});

test.each([["not json"], ['{"web":{"results":[{"title":1}]}}'], ["[]"], ["x".repeat(1024 * 1024 + 1)]])(
  "reports an unusable answer (%#)",
  async (body) => {
    await using service = searchService();
    service.answer(() => new Response(body));
    expect(await failureOf(search(service))).toBe("The search service's answer could not be used.");
  },
);

test("does not contact a name that leads into the internal network, nor reveals where it leads", async () => {
  await using service = searchService();
  const lines: string[] = [];
  const network = { ...service.network, allow: () => false };
  expect(await failureOf(search({ ...service, network } as SearchService, lines))).toBe(
    "The search service's address is not one that this installation may contact.",
  );
  expect(service.queries).toEqual([]);
  expect(lines.map((line) => (JSON.parse(line) as LogLine)["detail"])).toEqual([
    "refused: api.search.brave.com resolves to 127.0.0.1, which is not a public address (loopback)",
  ]);
});

test("logs neither the key nor the query", async () => {
  await using service = searchService();
  const lines: string[] = [];
  service.answer(() => new Response("", { status: 500 }));
  await failureOf(search(service, lines));
  await service[Symbol.asyncDispose]();
  expect(await failureOf(search(service, lines))).toBe("The search service could not be reached.");
  expect(lines.join("")).not.toMatch(/canary-key|tea|cake/);
});

test("reports a stopped search", async () => {
  await using service = searchService();
  const abort = new AbortController();
  service.answer(() => (abort.abort(), new Promise<Response>(() => {})));
  expect(await failureOf(clientOf(service).search("tea", abort.signal))).toBe("The search was stopped.");
});
