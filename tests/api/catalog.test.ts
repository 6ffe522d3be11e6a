// Goal: rights, address rules and secrecy of keys hold for providers and models over HTTP.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { temporaryFolder } from "../kit/folder.ts";
import { say, startModel } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const KEY = "canary-key-3Zq8";
const ADMIN_ONLY = ["forbidden", "only an admin may do this"] as const;
const invalid = (message: string) => ({ status: 400, code: "invalid", message });

test("applies each type's address rule, and keeps the type as given", async () => {
  await using at = await world();
  const create = (body: object) => at.admin.post("/providers", body);
  const anthropic = "https://api.anthropic.com";

  const response = await at.admin.raw("POST", "/providers", {
    body: { name: "a", type: "anthropic", api_key: KEY },
  });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({
    id: 1,
    name: "a",
    type: "anthropic",
    base_url: anthropic,
    has_key: true,
  });
  expect(await create({ name: "b", type: "vendor-a", base_url: "", api_key: "" })).toEqual({
    id: 2,
    name: "b",
    type: "vendor-a",
    base_url: anthropic,
    has_key: false,
  });
  for (const type of ["openai-compatible", "vendor-b-compatible"]) {
    for (const address of [{}, { base_url: "" }, { base_url: "  " }]) {
      expect(await refusalOf(at.admin.post("/providers", { name: "c", type, ...address }))).toEqual(
        invalid("base_url is required for openai-compatible providers"),
      );
    }
    expect(await create({ name: type, type, base_url: " HTTP://Example.com:80/v1// " })).toMatchObject({
      type,
      base_url: "http://example.com/v1",
    });
  }
  expect((await at.admin.get("/providers")).map((provider) => provider.name)).toEqual([
    "a",
    "b",
    "openai-compatible",
    "vendor-b-compatible",
  ]);
});

test("requires a usable address without credentials that is not our own", async () => {
  await using at = await world();
  const refused = (base_url: string) =>
    refusalOf(at.admin.post("/providers", { name: "x", type: "openai-compatible", base_url }));

  for (const address of [
    "example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "http://",
    "http:example.com",
    "http://exa mple.com",
    "//example.com",
  ]) {
    expect(await refused(address)).toEqual(invalid("base_url: must be an absolute http or https address"));
  }
  expect(await refused("http://user:pass@example.com")).toEqual(
    invalid("base_url: must not contain credentials; the key belongs in api_key"),
  );
  for (const address of ["http://example.com?x=1", "http://example.com/v1#x"]) {
    expect(await refused(address)).toEqual(invalid("base_url: must not have a query or fragment"));
  }
  const { port } = new URL(at.url);
  for (const host of [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0.0.0.0",
    "127.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "a.localhost",
  ]) {
    expect(await refused(`http://${host}:${port}/v1`)).toMatchObject({ status: 422, code: "refused" });
  }
  expect(await at.admin.get<unknown>("/providers")).toEqual([]);
});

test("lets anyone read the catalog and add models, and only admins do the rest", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna", "team-lead");
  const provider = `/providers/${at.providerId}`;

  expect(await anna.get("/providers")).toHaveLength(1);
  const model = await anna.post("/models", { provider_id: at.providerId, model_name: "hers", label: "" });
  expect(model).toEqual({
    id: 2,
    provider_id: at.providerId,
    provider_name: "nobody",
    provider_type: "anthropic",
    model_name: "hers",
    label: "hers",
    distinct_label: "hers",
    context_tokens: null,
    output_tokens: null,
    input_price: null,
    cached_input_price: null,
    output_price: null,
    images: null,
    pdfs: null,
    accepts: { images: true, pdfs: false },
  });
  expect(await anna.get("/models")).toContainEqual(model);
  const calls: [string, string, unknown?][] = [
    ["POST", "/providers", { name: "mine", type: "anthropic" }],
    ["PATCH", provider, { name: "mine" }],
    ["DELETE", provider],
    ["POST", `${provider}/test`],
    ["PATCH", `/models/${model.id}`, { label: "x" }],
    ["DELETE", `/models/${model.id}`],
  ];
  for (const [method, path, body] of calls)
    await refusal(anna.raw(method, path, { body: body }), ...ADMIN_ONLY);
});

test("requires the key again for a changed address, and never sends the old key there", async () => {
  await using at = await world();
  const { id } = await at.admin.post("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: "http://one.example/v1",
    api_key: KEY,
  });
  const patch = (body: object) => at.admin.patch(`/providers/${id}`, body);
  const needsKey = invalid(
    'base_url: the stored key must not be sent to another address; set api_key in the same request ("" clears it)',
  );

  expect(await refusalOf(at.admin.patch(`/providers/${id}`, { base_url: "http://two.example/v1" }))).toEqual(
    needsKey,
  );
  expect(
    await refusalOf(at.admin.patch(`/providers/${id}`, { base_url: "https://one.example/v1", name: "q" })),
  ).toEqual(needsKey);
  expect(await at.admin.get("/providers")).toEqual([
    { id, name: "p", type: "openai-compatible", base_url: "http://one.example/v1", has_key: true },
  ]);

  expect(await patch({ base_url: "http://one.example/v1/", name: "q" })).toMatchObject({
    name: "q",
    has_key: true,
  });
  expect(await patch({ base_url: "http://two.example/v1", api_key: "new" })).toMatchObject({
    base_url: "http://two.example/v1",
    has_key: true,
  });
  expect(await patch({ base_url: "http://three.example/v1", api_key: "" })).toMatchObject({
    base_url: "http://three.example/v1",
    has_key: false,
  });
  expect(await patch({ base_url: "http://four.example/v1" })).toMatchObject({
    base_url: "http://four.example/v1",
    has_key: false,
  });
  expect(await refusalOf(at.admin.patch(`/providers/${id}`, { base_url: "" }))).toEqual(
    invalid("base_url is required for openai-compatible providers"),
  );
  expect(await refusalOf(at.admin.patch(`/providers/${id}`, { type: "anthropic" }))).toEqual(
    invalid("type: unknown field"),
  );
});

test("accepts only keys that fit in a header, and returns none", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ data: folder.path });
  for (const api_key of [" ", `${KEY} `, `${KEY}\n`, "kéy", "x".repeat(4097), "a\u0000b"]) {
    const refused = await refusalOf(at.admin.post("/providers", { name: "p", type: "anthropic", api_key }));
    expect(refused).toEqual(
      invalid(
        api_key.length > 4096
          ? "api_key: at most 4096 characters"
          : "api_key: must be printable ASCII without spaces or line breaks",
      ),
    );
  }
  const { id } = await at.admin.post("/providers", {
    name: "p",
    type: "anthropic",
    base_url: "http://127.0.0.1:9",
    api_key: KEY,
  });
  // With a model, the provider cannot be deleted.
  const model = await at.admin.post("/models", { provider_id: id, model_name: "m" });
  const answers = await Promise.all([
    model,
    at.admin.get("/providers"),
    at.admin.patch(`/providers/${id}`, { name: "q" }),
    at.admin.post(`/providers/${id}/test`),
    at.admin.get("/models"),
    refusalOf(at.admin.delete(`/providers/${id}`)),
    at.admin.get("/audit"),
    at.admin.get("/openapi.json"),
  ]);
  await at[Symbol.asyncDispose]();
  expect(JSON.stringify([answers, at.program.log])).not.toContain(KEY);
  using db = new Database(`${folder.path}/service.db`);
  expect(db.query("SELECT api_key FROM providers").all()).toEqual([
    { api_key: expect.stringMatching(/^sealed:1:/) },
  ]);
});

test("lists a provider's models in a test, and returns failures as results", async () => {
  await using model = await startModel({ key: KEY });
  model.script("opus", [say("x")]).script("haiku", [say("x")]);
  await using at = await world();
  for (const [type, base_url] of [
    ["anthropic", model.anthropicUrl],
    ["openai-compatible", model.openaiUrl],
  ]) {
    const { id } = await at.admin.post("/providers", { name: type, type, base_url, api_key: KEY });
    const run = () => at.admin.post(`/providers/${id}/test`);
    expect(await run()).toEqual({ ok: true, models: ["haiku", "opus"], status: 200, message: "2 models" });
    await at.admin.patch(`/providers/${id}`, { api_key: "wrong-key-here" });
    const denied = await run();
    expect({ ...denied, message: "" }).toEqual({ ok: false, models: [], status: 401, message: "" });
    expect(denied.message).toStartWith("the provider answered 401: ");
    await at.admin.patch(`/providers/${id}`, { base_url: "http://127.0.0.1:9", api_key: "" });
    expect(await run()).toEqual({ ok: false, models: [], status: null, message: "connection refused" });
  }
  await refusal(at.admin.post("/providers/99/test"), "not_found", "provider 99: not found");
});

test("refuses to delete a provider or model in use, with the count", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const [provider, model] = [`/providers/${at.providerId}`, `/models/${at.bossId}`];

  await refusal(at.admin.delete(provider), "conflict", "the provider has 1 model; delete its models first", {
    models: 1,
  });
  const used = "1 agent uses the model: orchestrator in lab; choose another model there first";
  await refusal(at.admin.delete(model), "conflict", used, { agents: 1 });
  await at.admin.delete(`/workspaces/${lab.id}`);
  await at.admin.delete(model);
  await at.admin.delete(provider);
  expect([await at.admin.get<unknown>("/models"), await at.admin.get<unknown>("/providers")]).toEqual([
    [],
    [],
  ]);
  await refusal(
    at.admin.post("/models", { provider_id: at.providerId, model_name: "x" }),
    "not_found",
    `provider ${at.providerId}: not found`,
  );
});

test("sets, clears and keeps a model's figures, with zero as a price", async () => {
  await using at = await world({ model: "silent" });
  const patch = (body: object) => at.admin.patch(`/models/${at.bossId}`, body);
  const known = {
    context_tokens: 200_000,
    output_tokens: 32_000,
    input_price: 3,
    cached_input_price: 0,
    output_price: 15.25,
  };

  expect(await patch(known)).toMatchObject(known);
  expect(await patch({ label: "Silent one" })).toMatchObject({ ...known, label: "Silent one" });
  expect(await patch({ input_price: null })).toMatchObject({ ...known, input_price: null });
  expect(await patch({ model_name: "renamed", label: "" })).toMatchObject({
    model_name: "renamed",
    label: "renamed",
  });
  expect(await refusalOf(at.admin.patch(`/models/${at.bossId}`, { provider_id: 1 }))).toEqual(
    invalid("provider_id: unknown field"),
  );
});
