// Goal: providers are validated, only admins write them, and a key is never shown or sent to a changed address.

import { expect, test } from "bun:test";
import type { Provider, UpdateProvider } from "../../../src/service/catalog/schema.ts";
import { admin, member } from "../../kit/service/callers.ts";
import { openCatalog, type Catalog } from "./setup.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";

const KEY = "sk-secret-1234567890";

function addLocal(catalog: Catalog, name = "local"): Promise<Provider> {
  return catalog.providers.create(admin, {
    name,
    type: "openai-compatible",
    base_url: "http://10.0.0.1/v1",
    api_key: KEY,
  });
}

test("keeps every type as given, with its default address", async () => {
  // Goal: four types map to two protocols, and a record has exactly the five specified fields.
  await using catalog = await openCatalog();
  const made = [
    await catalog.providers.create(admin, { name: "  Beta ", type: "vendor-a" }),
    await catalog.providers.create(admin, { name: "alpha", type: "anthropic", base_url: "", api_key: KEY }),
    await catalog.providers.create(admin, {
      name: "gamma",
      type: "vendor-b-compatible",
      base_url: " HTTP://H:80/v1// ",
    }),
  ];
  const address = "https://api.anthropic.com";
  expect(made).toEqual([
    { id: 1, name: "Beta", type: "vendor-a", base_url: address, has_key: false },
    { id: 2, name: "alpha", type: "anthropic", base_url: address, has_key: true },
    { id: 3, name: "gamma", type: "vendor-b-compatible", base_url: "http://h/v1", has_key: false },
  ]);
  expect(catalog.providers.list()).toEqual([made[1]!, made[0]!, made[2]!]);
});

test("requires an address for a compatible provider", async () => {
  // Goal: the specified message for both names of the type, with an absent and an empty address.
  await using catalog = await openCatalog();
  const refusals = [];
  for (const type of ["openai-compatible", "vendor-b-compatible"] as const) {
    refusals.push(await refusalText(() => catalog.providers.create(admin, { name: "x", type })));
    refusals.push(
      await refusalText(() => catalog.providers.create(admin, { name: "x", type, base_url: " " })),
    );
  }
  expect(new Set(refusals)).toEqual(
    new Set(["invalid: base_url is required for openai-compatible providers"]),
  );
  expect(catalog.providers.list()).toEqual([]);
});

test.each([
  ["ftp://h/v1", "must be an absolute http or https address"],
  ["h:80/v1", "must be an absolute http or https address"],
  ["file:///etc/passwd", "must be an absolute http or https address"],
  ["example.com", "must be an absolute http or https address"],
  ["http:example.com", "must be an absolute http or https address"],
  ["//example.com", "must be an absolute http or https address"],
  ["/v1", "must be an absolute http or https address"],
  ["http:///v1", "must be an absolute http or https address"],
  ["http://a b/v1", "must be an absolute http or https address"],
  ["http://h/\nv1", "must be an absolute http or https address"],
  ["http://h:99999/", "must be an absolute http or https address"],
  ["http://user:pw@h/v1", "must not contain credentials; the key belongs in api_key"],
  ["http://user@h/v1", "must not contain credentials; the key belongs in api_key"],
  ["http://h/v1?", "must not have a query or fragment"],
  ["http://h/v1?a=b", "must not have a query or fragment"],
  ["http://h/v1#", "must not have a query or fragment"],
  [`http://h/${"a".repeat(2040)}`, "at most 2048 characters"],
  [`http://h/${"ä".repeat(500)}`, "at most 2048 characters"],
])("an address is refused (%#)", async (address, reason) => {
  // Goal: an address is absolute, plain and bounded, and the refusal names the problem.
  await using catalog = await openCatalog();
  const input = { name: "x", type: "anthropic", base_url: address } as const;
  await refusal(() => catalog.providers.create(admin, input), "invalid", `base_url: ${reason}`);
});

test.each([
  ["a b", "must be printable ASCII without spaces or line breaks"],
  [" ", "must be printable ASCII without spaces or line breaks"],
  ["sk-1\n", "must be printable ASCII without spaces or line breaks"],
  ["schlüssel", "must be printable ASCII without spaces or line breaks"],
  ["a\u0000b", "must be printable ASCII without spaces or line breaks"],
  ["k".repeat(4097), "at most 4096 characters"],
])("a key is refused (%#)", async (key, reason) => {
  // Goal: a key that cannot be sent in a header is refused, and white space does not clear a key.
  await using catalog = await openCatalog();
  await addLocal(catalog);
  const update = () => catalog.providers.update(admin, 1, { api_key: key });
  expect(await refusalText(update)).toBe(`invalid: api_key: ${reason}`);
  expect(catalog.providers.list()[0]!.has_key).toBe(true);
});

test("keeps names unique regardless of case, and frees them on deletion", async () => {
  // Goal: a capital letter does not bypass the check, and a deleted provider does not reserve its name.
  await using catalog = await openCatalog();
  await addLocal(catalog, "One");
  await addLocal(catalog, "Two");
  const taken = 'conflict: name: a provider named "ONE" already exists';
  expect(await refusalText(() => addLocal(catalog, "ONE"))).toBe(taken);
  expect(await refusalText(() => catalog.providers.update(admin, 2, { name: "ONE" }))).toBe(taken);
  expect(await catalog.providers.update(admin, 1, { name: "ONE" })).toMatchObject({ name: "ONE" });
  await catalog.providers.remove(admin, 1);
  expect(await catalog.providers.update(admin, 2, { name: "one" })).toMatchObject({ id: 2, name: "one" });
});

test("does not send a stored key to a changed address", async () => {
  // Goal: the change is refused without a key in the same request, and nothing is changed.
  await using catalog = await openCatalog();
  const before = await addLocal(catalog);
  const move: UpdateProvider = { name: "moved", base_url: "http://10.0.0.2/v1" };
  for (const base_url of [move.base_url!, "https://10.0.0.1/v1"])
    expect(await refusalText(() => catalog.providers.update(admin, 1, { ...move, base_url }))).toBe(
      'invalid: base_url: the stored key must not be sent to another address; set api_key in the same request ("" clears it)',
    );
  const refused = await catalog.providers.update(admin, 1, move).catch((error: unknown) => error);
  expect(refused).toMatchObject({ details: { field: "base_url" } });
  expect(catalog.providers.list()).toEqual([before]);
  expect(await catalog.providers.update(admin, 1, { ...move, api_key: KEY })).toEqual({
    ...before,
    name: "moved",
    base_url: "http://10.0.0.2/v1",
  });
});

test("accepts another spelling of the address, and any change without a stored key", async () => {
  // Goal: the rule protects the key, not the address.
  await using catalog = await openCatalog();
  const before = await addLocal(catalog);
  expect(await catalog.providers.update(admin, 1, { base_url: "HTTP://10.0.0.1:80/v1/" })).toEqual(before);
  const cleared = await catalog.providers.update(admin, 1, { base_url: "http://10.0.0.2", api_key: "" });
  expect(cleared).toEqual({ ...before, base_url: "http://10.0.0.2", has_key: false });
  expect(await catalog.providers.update(admin, 1, { base_url: "http://10.0.0.3" })).toMatchObject({
    base_url: "http://10.0.0.3",
  });
  expect(await refusalText(() => catalog.providers.update(admin, 1, { base_url: "" }))).toBe(
    "invalid: base_url is required for openai-compatible providers",
  );
});

test.each([
  ["openai-compatible", "http://10.0.0.1/v1/chat/completions", "http://10.0.0.1/v1"],
  ["openai-compatible", "http://10.0.0.1/v1/models/", "http://10.0.0.1/v1"],
  ["openai-compatible", "http://10.0.0.1/messages", "http://10.0.0.1/messages"],
  ["anthropic", "http://10.0.0.1/v1/messages", "http://10.0.0.1/v1"],
  ["anthropic", "http://10.0.0.1/anthropic", "http://10.0.0.1/anthropic"],
] as const)("%s: saves %s as %s", async (type, given, base_url) => {
  // Goal: an address that was copied from an example request works.
  await using catalog = await openCatalog();
  expect(await catalog.providers.create(admin, { name: "n", type, base_url: given })).toMatchObject({
    base_url,
  });
});

test("leaves fields unchanged that an update does not name", async () => {
  // Goal: absent is not empty: renaming changes neither key nor address, and an empty update does nothing.
  await using catalog = await openCatalog();
  const before = await addLocal(catalog);
  expect(await catalog.providers.update(admin, 1, {})).toEqual(before);
  expect(await catalog.providers.update(admin, 1, { name: "other" })).toEqual({ ...before, name: "other" });
});

test("refuses to delete a provider with models, and erases the key on deletion", async () => {
  // Goal: the refusal has the count; a deleted provider is invisible, though its row stays for old records.
  await using catalog = await openCatalog();
  await addLocal(catalog);
  for (const name of ["a", "b"]) await catalog.models.create(member, { provider_id: 1, model_name: name });
  const remove = () => catalog.providers.remove(admin, 1);
  await refusal(remove, "conflict", "the provider has 2 models; delete its models first", { models: 2 });
  await catalog.models.remove(admin, 1);
  await refusal(remove, "conflict", "the provider has 1 model; delete its models first", { models: 1 });
  await catalog.models.remove(admin, 2);
  await remove();
  expect(catalog.providers.list()).toEqual([]);
  for (const act of [
    remove,
    () => catalog.providers.update(admin, 1, {}),
    () => catalog.providers.test(admin, 1),
  ]) {
    await refusal(act, "not_found", "provider 1: not found");
  }
  expect(catalog.db.query("SELECT id, api_key FROM providers").all()).toEqual([{ id: 1, api_key: "" }]);
});

test("lets only an admin write and test providers", async () => {
  // Goal: the rules refuse it, whatever the route declares.
  await using catalog = await openCatalog();
  await addLocal(catalog);
  const acts = [
    () => catalog.providers.create(member, { name: "x", type: "anthropic" }),
    () => catalog.providers.update(member, 1, { name: "x" }),
    () => catalog.providers.remove(member, 1),
    () => catalog.providers.test(member, 1),
  ];
  for (const act of acts) await refusal(act, "forbidden", "only an admin may do this");
});

test("records every change in the audit, and never a key", async () => {
  // Goal: records old and new values; for the key only whether it was set, replaced or cleared.
  await using catalog = await openCatalog();
  await addLocal(catalog);
  await catalog.providers.update(admin, 1, {});
  await catalog.providers.update(admin, 1, { name: "new", base_url: "http://10.0.0.2", api_key: `${KEY}x` });
  await catalog.providers.update(admin, 1, { api_key: "" });
  await catalog.providers.update(admin, 1, { api_key: "" });
  await catalog.providers.remove(admin, 1);
  const target = "provider:1";
  const moved = {
    name: "new",
    name_before: "local",
    base_url: "http://10.0.0.2",
    base_url_before: "http://10.0.0.1/v1",
  };
  expect(await catalog.decisions()).toEqual([
    {
      action: "provider.create",
      target,
      detail: { name: "local", type: "openai-compatible", base_url: "http://10.0.0.1/v1" },
    },
    { action: "provider.key", target, detail: { change: "set" } },
    { action: "provider.update", target, detail: moved },
    { action: "provider.key", target, detail: { change: "replaced" } },
    { action: "provider.key", target, detail: { change: "cleared" } },
    { action: "provider.delete", target, detail: { name: "new" } },
  ]);
  expect(JSON.stringify(catalog.db.query("SELECT record FROM audit").all())).not.toContain(KEY);
});

test("refuses our own address on save and on use", async () => {
  // Goal: includes a name that resolves to this machine only after it was saved; nothing is sent there.
  let addresses = ["192.0.2.1"];
  const sent: string[] = [];
  await using catalog = await openCatalog({
    ownListener: () => ({ host: "127.0.0.1", port: 8688 }),
    resolve: () => Promise.resolve(addresses),
    fetch: (url) => (sent.push(url), Promise.resolve(new Response('{"data":[]}'))),
  });
  const input = {
    name: "x",
    type: "openai-compatible",
    base_url: "http://rebound.example:8688/v1",
    api_key: KEY,
  } as const;
  await catalog.providers.create(admin, input);
  expect(await catalog.providers.test(admin, 1)).toMatchObject({ ok: true });
  addresses = ["192.0.2.1", "127.0.0.1"];
  const text =
    "refused: http://rebound.example:8688 is this server itself; use the address of another server";
  const acts = [
    () => catalog.providers.test(admin, 1),
    () => catalog.providers.destination(input.base_url),
    () => catalog.providers.create(admin, { ...input, name: "y" }),
    () => catalog.providers.update(admin, 1, { base_url: `${input.base_url}/x`, api_key: KEY }),
  ];
  for (const act of acts) expect(await refusalText(act)).toBe(text);
  expect(sent).toEqual(["http://192.0.2.1:8688/v1/models"]);
  expect(catalog.providers.list()).toHaveLength(1);
});

test("sends no key for an admin who was demoted while the name was resolved", async () => {
  let role: "admin" | "member" = "admin";
  const sent: string[] = [];
  await using catalog = await openCatalog({
    ownListener: () => ({ host: "127.0.0.1", port: 8688 }),
    resolve: () => {
      role = "member";
      return Promise.resolve(["192.0.2.1"]);
    },
    fetch: (url) => (sent.push(url), Promise.resolve(new Response('{"data":[]}'))),
  });
  const base_url = "http://provider.example:8688/v1";
  await catalog.providers.create(admin, { name: "x", type: "openai-compatible", base_url, api_key: KEY });
  role = "admin";
  const demoted = Object.defineProperty({ ...admin }, "role", { get: () => role });
  await refusal(() => catalog.providers.test(demoted, 1), "forbidden", "only an admin may do this");
  expect(sent).toEqual([]);
});
