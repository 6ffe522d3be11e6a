// Goal: rights, the refusal of the own address, and the secrecy of keys hold for providers and models over HTTP.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { temporaryFolder } from "../kit/folder.ts";
import { say, startModel } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const KEY = "canary-key-3Zq8";
const ADMIN_ONLY = ["forbidden", "only an admin may do this"] as const;

test("refuses its own address, however it is written", async () => {
  await using at = await world();
  const { port } = new URL(at.url);
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "a.localhost"]) {
    const base_url = `http://${host}:${port}/v1`;
    await refusal(at.admin.post("/providers", { name: "x", type: "openai-compatible", base_url }), "refused");
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

test("accepts only keys that fit in a header, and returns none", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ data: folder.path });
  await refusal(
    at.admin.post("/providers", { name: "p", type: "anthropic", api_key: `${KEY}\n` }),
    "invalid",
    "api_key: must be printable ASCII without spaces or line breaks",
  );
  const provider = { name: "p", type: "anthropic", base_url: "http://127.0.0.1:9" } as const;
  const created = await at.admin.raw("POST", "/providers", { body: { ...provider, api_key: KEY } });
  expect(created.status).toBe(201);
  const { id, ...shown } = await created.json();
  expect(shown).toEqual({ ...provider, has_key: true });
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
