// Goal: a request to a provider's name goes to an address that was checked, wherever the name leads by then.

import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { destinationOf, hasHttpProxy } from "../../../src/service/catalog/destination.ts";
import { openAnswer, TRANSPORT_TIMES } from "../../../src/service/llm/transport.ts";
import type { ModelEndpoint } from "../../../src/service/catalog/models.ts";
import { closedPort } from "../../kit/model/index.ts";
import { admin } from "../../kit/service/callers.ts";
import { openCatalog } from "./setup.ts";

const ownListener = () => ({ host: "127.0.0.1", port: 8688 });
const to =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses);

function destination(url: string, addresses: string[], hasProxy = false) {
  return destinationOf(url, { ownListener, resolve: to(...addresses), hasProxy });
}

/** Says which host a request was for. No resolver knows the names that tests give to it. */
function host(hostname: string) {
  return Bun.serve({
    port: 0,
    hostname,
    fetch: (request) =>
      Response.json({ error: { message: `asked as ${request.headers.get("host")}` } }, { status: 400 }),
  });
}

test("an address takes the place of a name without TLS; the host stays", async () => {
  expect(await destination("http://models.example/v1/models?limit=2", ["192.0.2.1"])).toEqual({
    url: "http://192.0.2.1/v1/models?limit=2",
    headers: { host: "models.example" },
  });
  expect(await destination("http://models.example:8688", ["2001:db8::7"])).toEqual({
    url: "http://[2001:db8::7]:8688",
    headers: { host: "models.example:8688" },
  });
});

test.each(["https://models.example/v1", "http://192.0.2.1:1/v1", "http://localhost:1/v1"])(
  "%s stays as it is: TLS proves the name, and an address leads nowhere else",
  async (url) => {
    expect(await destination(url, ["192.0.2.9"])).toEqual({ url, headers: {} });
  },
);

test("a name stays if a proxy resolves it, and a name without an address gets no request", async () => {
  const url = "http://models.example/v1";
  expect(await destination(url, ["192.0.2.9"], true)).toEqual({ url, headers: {} });
  expect(await destination(url, [])).toBeUndefined();
  expect([
    hasHttpProxy({}),
    hasHttpProxy({ HTTP_PROXY: "" }),
    hasHttpProxy({ http_proxy: "http://p:1" }),
  ]).toEqual([false, false, true]);
});

test("of several addresses, one that accepts connections is used", async () => {
  await using server = host("127.0.0.1");
  const url = `http://models.example:${server.port}/v1`;
  // Nothing listens at the first.
  expect(await destination(url, ["::1", "127.0.0.1"])).toEqual({
    url: `http://127.0.0.1:${server.port}/v1`,
    headers: { host: `models.example:${server.port}` },
  });
  const closed = new URL(await closedPort()).port;
  expect(await destination(`http://models.example:${closed}`, ["::1", "127.0.0.1"])).toMatchObject({
    url: `http://[::1]:${closed}`,
  });
});

test("the test of a provider and the calls of its models go to the checked address", async () => {
  await using server = host("127.0.0.1");
  const base_url = `http://models.example:${server.port}/v1`;
  await using catalog = await openCatalog({ resolve: to("127.0.0.1") });
  await catalog.providers.create(admin, { name: "x", type: "openai-compatible", base_url });
  const asked = `the provider answered 400: asked as models.example:${server.port}`;
  expect(await catalog.providers.test(admin, 1)).toMatchObject({ status: 400, message: asked });
  const deps = {
    clock: systemClock,
    times: TRANSPORT_TIMES,
    destination: (url: string) => catalog.providers.destination(url),
  };
  const answer = openAnswer(deps, {
    endpoint: { protocol: "openai-compatible", apiKey: "" } as ModelEndpoint,
    signal: new AbortController().signal,
    attempt: () => {},
    retryIn: () => {},
    url: `${base_url}/chat/completions`,
    body: new Blob(["{}"]),
  });
  expect(await answer.catch((error: Error) => error.message)).toBe(asked);
});

test("a provider whose name has no address is reported, and asked by nobody", async () => {
  await using catalog = await openCatalog();
  await catalog.providers.create(admin, {
    name: "x",
    type: "openai-compatible",
    base_url: "http://models.example:1",
  });
  expect(await catalog.providers.test(admin, 1)).toMatchObject({ ok: false, message: "host not found" });
});
