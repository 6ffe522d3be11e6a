// Goal: a provider's models are listed over real HTTP in both protocols, and every failure of a provider is a clear result.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "bun:test";
import type { ProviderAccess } from "../../../src/service/catalog/endpoints.ts";
import { listProviderModels } from "../../../src/service/catalog/listing.ts";
import { closedPort, startModel } from "../../kit/model/index.ts";
import { admin } from "../../kit/service/callers.ts";
import { openCatalog, startStub, type Stub } from "./setup.ts";

const KEY = 'sk-"quoted"/&<key>\\1';

function openai(stub: Pick<Stub, "url">, apiKey = KEY): ProviderAccess {
  return { protocol: "openai-compatible", baseUrl: `${stub.url}/v1`, apiKey };
}

function failed(status: number | null, message: string) {
  return { ok: false, models: [], status, message };
}

/** A raw TCP server, for responses that HTTP servers do not send. */
async function startSocket(onConnection: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("lists the models of a provider in both protocols", async () => {
  // Goal: sends the path, key header and version of the vendors' endpoints, and sorts the names.
  await using model = await startModel({ key: "sk-1" });
  model.script("m-b", []).script("m-a", []);
  await using catalog = await openCatalog();
  await catalog.providers.create(admin, {
    name: "a",
    type: "anthropic",
    base_url: model.anthropicUrl,
    api_key: "sk-1",
  });
  await catalog.providers.create(admin, {
    name: "o",
    type: "openai-compatible",
    base_url: model.openaiUrl,
    api_key: "sk-1",
  });
  const listed = { ok: true, models: ["m-a", "m-b"], status: 200, message: "2 models" };
  expect(await catalog.providers.test(admin, 1)).toEqual(listed);
  expect(await catalog.providers.test(admin, 2)).toEqual(listed);
  expect(model.lookups.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1/models",
    "GET /v1/models",
  ]);
  expect(model.lookups[0]!.headers).toMatchObject({ "x-api-key": "sk-1", "anthropic-version": "2023-06-01" });
  expect(model.lookups[1]!.headers).toMatchObject({ authorization: "Bearer sk-1" });
});

test("asks the address of anthropic with and without the version", async () => {
  // Goal: a saved address that chats also lists its models.
  const paths: string[] = [];
  await using stub = startStub((request) => {
    paths.push(new URL(request.url).pathname);
    return Response.json({ data: [] });
  });
  for (const baseUrl of [stub.url, `${stub.url}/v1`])
    await listProviderModels({ protocol: "anthropic", baseUrl, apiKey: "" }, fetch);
  expect(paths).toEqual(["/v1/models", "/v1/models"]);
});

test("sends no key header without a key", async () => {
  // Goal: local servers without keys get no header, rather than an empty one.
  await using stub = startStub(() => Response.json({ data: [{ id: "m" }] }));
  const one = { ok: true, models: ["m"], status: 200, message: "1 model" };
  expect(await listProviderModels(openai(stub, ""), fetch)).toEqual(one);
  expect(await listProviderModels({ protocol: "anthropic", baseUrl: stub.url, apiKey: "" }, fetch)).toEqual(
    one,
  );
  const names = stub.requests.map((request) => [...request.headers.keys()]).flat();
  expect(names.filter((name) => name === "authorization" || name === "x-api-key")).toEqual([]);
});

test("reports a refusal with its status and message, without the key", async () => {
  // Goal: a provider that echoes the key in any form cannot make us show it.
  await using stub = startStub(() =>
    Response.json({ error: { message: `bad key ${KEY}\n(${encodeURIComponent(KEY)})` } }, { status: 401 }),
  );
  const result = await listProviderModels(openai(stub), fetch);
  expect(result).toEqual(failed(401, "the provider answered 401: bad key [api key] ([api key])"));
});

test("hides a model named like the key", async () => {
  // Goal: success is scrubbed too.
  await using stub = startStub(() => Response.json({ data: [{ id: `m-${KEY}` }] }));
  expect(await listProviderModels(openai(stub), fetch)).toMatchObject({ models: ["m-[api key]"] });
});

test("does not follow a redirect", async () => {
  // Goal: the key goes to no other address, not even on the same server.
  await using other = startStub(() => Response.json({ data: [{ id: "m" }] }));
  await using stub = startStub(() => Response.redirect(`${other.url}/v1/models`, 307));
  const message =
    "the provider answered 307, a redirect; the key is not forwarded, so set base_url to the final address";
  expect(await listProviderModels(openai(stub), fetch)).toEqual(failed(307, message));
  expect(other.requests).toEqual([]);
});

test.each([
  ["<html>hello</html>", "the answer is not a list of models; check base_url"],
  ["", "the answer is not a list of models; check base_url"],
  ["null", "the answer is not a list of models; check base_url"],
  ['{"data":{}}', "the answer is not a list of models; check base_url"],
  [
    JSON.stringify({ data: [{ id: "x".repeat(4 * 1024 * 1024) }] }),
    "the list of models is larger than 4194304 bytes",
  ],
])("an answer that is no list is a failure (%#)", async (body, message) => {
  // Goal: a wrong path often answers 200 with a page, and an endless body is not read to its end.
  await using stub = startStub(() => new Response(body));
  expect(await listProviderModels(openai(stub), fetch)).toEqual(failed(200, message));
});

test.each([
  ['[{"id":"m"},{"id":"n"}]', { models: ["m", "n"], message: "2 models" }],
  ['{"object":"list","data":null}', { models: [], message: "0 models" }],
])("accepts the list %p", async (body, listed) => {
  // Goal: a bare list is one, and a server without any model is no failure.
  await using stub = startStub(() => new Response(body));
  expect(await listProviderModels(openai(stub), fetch)).toEqual({ ok: true, status: 200, ...listed });
});

test("sends a key that a gateway of the Messages API refuses once more, as a bearer token", async () => {
  // Goal: the test succeeds exactly where a call does.
  await using stub = startStub(({ headers }) =>
    headers.has("authorization")
      ? Response.json({ data: [{ id: "m" }] })
      : Response.json({ error: { message: "send the key as Authorization" } }, { status: 401 }),
  );
  const access = { protocol: "anthropic" as const, baseUrl: stub.url, apiKey: KEY };
  expect(await listProviderModels(access, fetch)).toMatchObject({ ok: true, models: ["m"] });
  expect(stub.requests).toHaveLength(2);
});

test("omits invalid names, and says where it truncates a long list", async () => {
  // Goal: only names that can be saved as models are offered, and truncation is reported.
  const odd = [null, 1, {}, { id: 7 }, { id: "" }, { id: "a\u0007" }, { id: "x".repeat(201) }, { id: "m0" }];
  const many = Array.from({ length: 1005 }, (_, index) => ({ id: `m${index}` }));
  await using stub = startStub(() => Response.json({ data: [...odd, ...many] }));
  const result = await listProviderModels(openai(stub), fetch);
  expect(result).toMatchObject({ ok: true, status: 200, message: "1005 models; the first 1000 are listed" });
  expect(result.models).toEqual(
    many
      .map(({ id }) => id)
      .sort()
      .slice(0, 1000),
  );
});

test("reports a refused connection and nothing more", async () => {
  // Goal: shows no address, port or system text.
  const result = await listProviderModels(openai({ url: await closedPort() }), fetch);
  expect(result).toEqual(failed(null, "connection refused"));
});

test("reports an unknown host", async () => {
  // Goal: `.invalid` never resolves (RFC 6761).
  const result = await listProviderModels(openai({ url: "http://name.invalid" }), fetch);
  expect(result).toEqual(failed(null, "host not found"));
});

test("gives up on a provider that hangs before or during its answer", async () => {
  // Goal: one deadline covers everything; the result has the status if there was one.
  await using silent = await startSocket(() => {});
  await using slow = await startSocket((socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"),
  );
  expect(await listProviderModels(openai({ url: `http://${silent.url}` }), fetch, 50)).toEqual(
    failed(null, "no answer in time"),
  );
  expect(await listProviderModels(openai({ url: `http://${slow.url}` }), fetch, 300)).toEqual(
    failed(200, "no answer in time"),
  );
});

test("reports a dropped connection and a failed TLS handshake", async () => {
  // Goal: short fixed sentences.
  await using cut = await startSocket((socket) => socket.destroy());
  await using plain = await startSocket((socket) => socket.end("hello, this is not TLS\r\n\r\n"));
  expect(await listProviderModels(openai({ url: `http://${cut.url}` }), fetch)).toEqual(
    failed(null, "the connection was closed before an answer"),
  );
  expect(await listProviderModels(openai({ url: `https://${plain.url}` }), fetch)).toEqual(
    failed(null, "TLS failure: the certificate or the handshake was not accepted"),
  );
});
