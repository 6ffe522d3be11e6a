// Goal: models have complete records, updates change only the given fields, and deletion keeps agents and old records readable.

import { expect, test } from "bun:test";
import type { CreateModel, UpdateModel } from "../../../src/service/catalog/schema.ts";
import { admin, member } from "../../kit/service/callers.ts";
import { openCatalog, type Catalog } from "./setup.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";

async function catalogWithProvider(): Promise<Catalog> {
  const catalog = await openCatalog();
  await catalog.providers.create(admin, { name: "P", type: "vendor-a", api_key: "sk-1" });
  return catalog;
}

const UNKNOWN = {
  context_tokens: null,
  output_tokens: null,
  input_price: null,
  cached_input_price: null,
  output_price: null,
};
/** By its name and protocol. */
const READS = { images: null, pdfs: null, accepts: { images: true, pdfs: false } };
const FIGURES = {
  context_tokens: 200_000,
  output_tokens: 8_000,
  input_price: 3,
  cached_input_price: 0.3,
  output_price: 15,
};

test("returns a model with its provider, and null for unknown figures", async () => {
  // Goal: the label defaults to the name, and zero is a known price.
  await using catalog = await catalogWithProvider();
  const of = { provider_id: 1, provider_name: "P", provider_type: "vendor-a" as const };
  expect(await catalog.models.create(member, { provider_id: 1, model_name: " m-1 " })).toEqual({
    id: 1,
    ...of,
    model_name: "m-1",
    label: "m-1",
    distinct_label: "m-1",
    ...UNKNOWN,
    ...READS,
  });
  const free = { ...FIGURES, input_price: 0 };
  expect(
    await catalog.models.create(member, { provider_id: 1, model_name: "m-2", label: "  A", ...free }),
  ).toEqual({
    id: 2,
    ...of,
    model_name: "m-2",
    label: "A",
    distinct_label: "A",
    ...free,
    ...READS,
  });
  expect(
    await catalog.models.create(member, { provider_id: 1, model_name: "m-3", label: " " }),
  ).toMatchObject({ label: "m-3" });
});

test("lists models by label, then id", async () => {
  // Goal: the order ignores case, and there may be no models.
  await using catalog = await catalogWithProvider();
  expect(catalog.models.list()).toEqual([]);
  for (const label of ["b", "C", "a", "B"])
    await catalog.models.create(member, { provider_id: 1, model_name: `m-${label}`, label });
  expect(catalog.models.list().map(({ id, label }) => [id, label])).toEqual([
    [3, "a"],
    [1, "b"],
    [4, "B"],
    [2, "C"],
  ]);
});

test("tells models of one label apart by provider, then by name", async () => {
  await using catalog = await catalogWithProvider();
  await catalog.providers.create(admin, { name: "Q", type: "vendor-a" });
  const add = async (provider_id: number, model_name: string, label = "twin") =>
    (await catalog.models.create(member, { provider_id, model_name, label })).distinct_label;
  const labels = () => catalog.models.list().map((model) => model.distinct_label);
  expect([await add(1, "a"), await add(1, "other", "only")]).toEqual(["twin", "only"]);
  expect(await add(2, "a")).toBe("twin (Q)");
  expect(labels()).toEqual(["only", "twin (P)", "twin (Q)"]);
  expect(await add(1, "b")).toBe("twin (P, b)");
  expect(labels()).toEqual(["only", "twin (P, a)", "twin (Q)", "twin (P, b)"]);
  await catalog.models.remove(admin, 1);
  await catalog.models.remove(admin, 4);
  expect(labels()).toEqual(["only", "twin"]);
});

test("allows a model once per provider, whatever its label, and frees the name on deletion", async () => {
  await using catalog = await catalogWithProvider();
  await catalog.providers.create(admin, { name: "Q", type: "vendor-a" });
  const create = (provider_id: number, model_name: string) =>
    catalog.models.create(member, { provider_id, model_name, label: `${provider_id} ${model_name}` });
  await create(1, "m");
  await create(1, "M");
  await create(2, "m");
  const taken = 'conflict: model_name: the provider already has the model "m" in the catalog';
  expect(await refusalText(() => create(1, " m "))).toBe(taken);
  expect(await refusalText(() => catalog.models.update(admin, 2, { model_name: "m" }))).toBe(taken);
  expect(await catalog.models.update(admin, 1, { model_name: "m", label: "x" })).toMatchObject({
    label: "x",
  });
  await catalog.models.remove(admin, 1);
  expect((await create(1, "m")).id).toBe(4);
});

test.each<[Partial<CreateModel>, string]>([
  [{ provider_id: 7 }, "not_found: provider 7: not found"],
  [{ model_name: " " }, "invalid: model_name: must not be empty"],
  [{ model_name: "m".repeat(201) }, "invalid: model_name: at most 200 characters"],
  [{ model_name: "a\u0000b" }, "invalid: model_name: must not contain control characters"],
  [{ label: "a\nb" }, "invalid: label: must not contain control characters"],
  [{ label: "l".repeat(201) }, "invalid: label: at most 200 characters"],
  [{ input_price: -0.01 }, "invalid: input_price: must be from 0 to 1000000, or empty (null) if unknown"],
  [
    { cached_input_price: 1_000_001 },
    "invalid: cached_input_price: must be from 0 to 1000000, or empty (null) if unknown",
  ],
  [
    { output_price: Number.NaN },
    "invalid: output_price: must be from 0 to 1000000, or empty (null) if unknown",
  ],
  [{ context_tokens: 0 }, "invalid: context_tokens: must be from 1 to 100000000, or empty (null) if unknown"],
  [{ output_tokens: 0 }, "invalid: output_tokens: must be from 1 to 100000000, or empty (null) if unknown"],
  [
    { output_tokens: 100_000_001 },
    "invalid: output_tokens: must be from 1 to 100000000, or empty (null) if unknown",
  ],
])("a model is refused (%#)", async (input, text) => {
  // Goal: the refusal names the field, and nothing is created.
  await using catalog = await catalogWithProvider();
  const create = () => catalog.models.create(member, { provider_id: 1, model_name: "m", ...input });
  expect(await refusalText(create)).toBe(text);
  expect(catalog.models.list()).toEqual([]);
});

test.each<[UpdateModel, object]>([
  [{}, {}],
  [{ output_price: 16 }, { output_price: 16 }],
  [{ output_price: 0 }, { output_price: 0 }],
  [
    { input_price: null, context_tokens: null, output_tokens: null },
    { input_price: null, context_tokens: null, output_tokens: null },
  ],
  [{ model_name: "m-2" }, { model_name: "m-2" }],
  [{ label: "" }, { label: "m-1", distinct_label: "m-1" }],
  [
    { model_name: "m-2", label: " " },
    { model_name: "m-2", label: "m-2", distinct_label: "m-2" },
  ],
])("an update changes what it names and no more (%#)", async (update, changed) => {
  // Goal: an absent field is unchanged, and null makes it unknown.
  await using catalog = await catalogWithProvider();
  const before = await catalog.models.create(member, {
    provider_id: 1,
    model_name: "m-1",
    label: "L",
    ...FIGURES,
  });
  expect(await catalog.models.update(admin, 1, update)).toEqual({ ...before, ...changed });
});

test("refuses to delete a model while agents use it, naming the first ones and ignoring removed agents", async () => {
  // Goal: the refusal has the count; a removed agent still refers to the deleted model, which is invisible elsewhere.
  await using catalog = await catalogWithProvider();
  await catalog.models.create(member, { provider_id: 1, model_name: "m" });
  const agents = Array.from({ length: 7 }, () => catalog.addAgent(1));
  const remove = () => catalog.models.remove(admin, 1);
  const many =
    "7 agents use the model: a1 in w, a2 in w, a3 in w, a4 in w, a5 in w and 2 more; choose another model there first";
  await refusal(remove, "conflict", many, { agents: 7 });
  for (const agent of agents.splice(1)) catalog.removeAgent(agent);
  const one = "1 agent uses the model: a1 in w; choose another model there first";
  await refusal(remove, "conflict", one, { agents: 1 });
  catalog.removeAgent(agents[0]!);
  await remove();
  expect(catalog.models.list()).toEqual([]);
  const acts = [
    remove,
    () => catalog.models.update(admin, 1, {}),
    () => catalog.models.existing(1),
    () => catalog.models.endpoint(1),
  ];
  for (const act of acts) await refusal(act, "not_found", "model 1: not found");
  await catalog.providers.remove(admin, 1);
  expect(catalog.db.query("SELECT count(*) AS count FROM agents WHERE model_id = 1").all()).toEqual([
    { count: 7 },
  ]);
});

test("lets only an admin change and delete models", async () => {
  // Goal: anyone signed in may add a model; the rest is refused in the rules.
  await using catalog = await catalogWithProvider();
  await catalog.models.create(member, { provider_id: 1, model_name: "m" });
  const acts = [
    () => catalog.models.update(member, 1, { label: "x" }),
    () => catalog.models.remove(member, 1),
  ];
  for (const act of acts) await refusal(act, "forbidden", "only an admin may do this");
});

test("returns an endpoint with everything that a call needs", async () => {
  // Goal: only the endpoint contains the key; the public record of the same model does not.
  await using catalog = await catalogWithProvider();
  await catalog.models.create(member, { provider_id: 1, model_name: "m", label: "L", ...FIGURES });
  expect(catalog.models.endpoint(1)).toEqual({
    modelId: 1,
    modelName: "m",
    label: "L",
    protocol: "anthropic",
    providerId: 1,
    providerName: "P",
    isExample: false,
    baseUrl: "https://api.anthropic.com",
    apiKey: "sk-1",
    prices: { input: 3, cachedInput: 0.3, output: 15 },
    contextTokens: 200_000,
    outputTokens: 8_000,
    accepts: { images: true, pdfs: false },
  });
  expect(
    JSON.stringify([catalog.models.existing(1), catalog.models.list(), catalog.providers.list()]),
  ).not.toContain("sk-1");
});

test("records every change in the audit", async () => {
  // Goal: an update that changes nothing leaves no record.
  await using catalog = await catalogWithProvider();
  await catalog.models.create(member, { provider_id: 1, model_name: "m" });
  await catalog.models.update(admin, 1, { label: "m" });
  await catalog.models.update(admin, 1, { label: "L", input_price: 2 });
  await catalog.models.remove(admin, 1);
  const target = "model:1";
  expect((await catalog.decisions()).slice(2)).toEqual([
    {
      action: "model.create",
      target,
      detail: { provider_id: 1, model_name: "m", label: "m", ...UNKNOWN, images: null, pdfs: null },
    },
    {
      action: "model.update",
      target,
      detail: { label: "L", label_before: "m", input_price: 2, input_price_before: null },
    },
    { action: "model.delete", target, detail: { model_name: "m", label: "L" } },
  ]);
});
