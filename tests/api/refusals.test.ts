// Goal: logins, failed logins, refusals and people's saves are recorded without secrets and at a bounded rate.

import { expect, test } from "bun:test";
import type { AuditRecord } from "../../src/service/audit/schema.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { call, say } from "../kit/model/index.ts";
import { type World, world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const PASSWORD = "canary-password-72";

const actionsOf = async (at: Pick<World, "admin">, action: string) =>
  (await at.admin.get(`/audit?action=${action}`)).map(({ actor, auth, address, target, detail }): object => ({
    actor,
    auth,
    address,
    target,
    detail,
  }));

test("records logins and failed logins, without the typed text", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  await at.admin.put(`/users/${anna.id}/password`, { password: PASSWORD });
  const login = (user: string, password: string) =>
    at.admin.raw("POST", "/login", { body: { user, password } });
  const typed = "typed-into-the-wrong-field-4";
  expect((await login("anna", PASSWORD)).status).toBe(200);
  expect((await login("anna", typed)).status).toBe(401);
  expect((await login(typed, "x")).status).toBe(401);
  const stranger = { actor: "", auth: "none", address: "127.0.0.1" };
  const target = `user:${anna.id}`;
  expect(await actionsOf(at, "login.success")).toEqual([
    { actor: "anna", auth: "session", address: "127.0.0.1", target, detail: {} },
  ]);
  // A repeat of the same address is counted until the interval ends.
  expect(await actionsOf(at, "login.failed")).toEqual([
    { ...stranger, target, detail: { code: "unauthenticated" } },
  ]);
  for (let attempt = 4; attempt <= 10; attempt++) await login("anna", "wrong");
  expect((await login("anna", PASSWORD)).status).toBe(429);
  expect((await actionsOf(at, "login.failed")).map((record) => (record as AuditRecord).detail)).toEqual([
    { code: "rate_limited" },
    { code: "unauthenticated" },
  ]);
  const all = JSON.stringify(await at.admin.get<unknown>("/audit?limit=500"));
  for (const secret of [typed, PASSWORD, "wrong"]) expect(all).not.toContain(secret);
});

test("records a refusal once and its repeats as a count", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ model: "silent", data: folder.path });
  const [anna, bob] = [await at.user("anna"), await at.user("bob")];
  const lab = await at.workspace("lab", anna);
  for (let time = 0; time < 5; time++) {
    await refusal(bob.get(`/workspaces/${lab.id}`), "not_found");
    await refusal(bob.get("/audit"), "forbidden");
    await refusal(at.as("cairn_unknown").get("/users"), "unauthenticated");
    // A record that does not exist at all is not a refusal.
    await refusal(anna.get("/workspaces/999"), "not_found");
  }
  const by = { actor: "bob", auth: "token", address: "127.0.0.1" };
  const stranger = { actor: "", auth: "none", address: "127.0.0.1" };
  const once = [
    { ...stranger, target: "GET /api/v1/users", detail: { code: "unauthenticated" } },
    { ...by, target: "GET /api/v1/audit", detail: { code: "forbidden" } },
    { ...by, target: "GET /api/v1/workspaces/:id", detail: { code: "not_found" } },
  ];
  expect(await actionsOf(at, "request.refused")).toEqual(once);
  await at[Symbol.asyncDispose]();
  await using again = await world({ data: folder.path });
  expect(await actionsOf(again, "request.refused")).toEqual([
    ...once.map(({ detail, ...rest }) => ({ ...rest, detail: { ...detail, repeats: 4 } })),
    ...once,
  ]);
  expect(await again.admin.get("/audit/verify")).toMatchObject({ ok: true });
});

test("names all targets in a record of repeats, not only the first", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ model: "silent", data: folder.path });
  const bob = await at.user("bob");
  for (const path of ["/audit", "/audit", "/users", "/audit/verify"]) await refusalOf(bob.get(path));
  await at[Symbol.asyncDispose]();
  await using again = await world({ data: folder.path });
  const [repeats, first] = await actionsOf(again, "request.refused");
  expect(first).toMatchObject({ target: "GET /api/v1/audit", detail: { code: "forbidden" } });
  const targets = "GET /api/v1/audit, GET /api/v1/users, GET /api/v1/audit/verify";
  expect(repeats).toMatchObject({ target: "several", detail: { code: "forbidden", repeats: 3, targets } });
});

test("records a person's save of a file with its path and version, but not an agent's", async () => {
  await using lab = await world({ model: true });
  const body = "secret text of the file";
  const saved = await fetch(`${lab.url}/api/v1/workspaces/${lab.workspaceId}/file?path=notes/a.md`, {
    method: "PUT",
    body,
  });
  const { version } = (await saved.json()) as { version: string };
  lab.model.script("boss", [call("file_write", { path: "b.md", content: "x" }), say("done")]);
  await lab.chat("write");
  const records = await lab.admin.get("/audit?action=file.save");
  expect(records.map(({ actor, target, detail }) => ({ actor, target, detail }))).toEqual([
    {
      actor: "admin",
      target: `workspace:${lab.workspaceId}`,
      detail: { path: "notes/a.md", version, created: true },
    },
  ]);
  expect(JSON.stringify(records)).not.toContain(body);
});

test("logs each response by its route, without the requested URL", async () => {
  await using at = await world({ flags: { logLevel: "info" } });
  await at.admin.get("/users");
  await refusalOf(at.admin.get("/workspaces/77"));
  await at.admin.raw("GET", "/health");
  await fetch(`${at.url}/some/page`);
  await fetch(`${at.url}/api/v1/nowhere`, { headers: { Host: "evil.example" } });
  await at.program.service.stop("read the log");
  const lines = at.program.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const answered = lines.filter(({ message }) => message === "answered");
  expect(answered.map(({ level, method, route, status }) => [level, method, route, status])).toEqual([
    ["info", "GET", "/api/v1/users", 200],
    ["info", "GET", "/api/v1/workspaces/:id", 404],
    ["info", "GET", "none", 421],
  ]);
  expect(answered[0]).toMatchObject({ request_id: expect.any(String), ms: expect.any(Number) });
  expect(at.program.log.join("")).not.toContain("some/page");
});
