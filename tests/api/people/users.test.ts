// Goal: only admins create, change and delete users, there is always an admin, and no workspace is lost.

import { expect, test } from "bun:test";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

const ADMIN_ONLY = ["forbidden", "only an admin may do this"] as const;
const LAST_ADMIN = ["conflict", "this is the last admin; make another user an admin first"] as const;

test("creates a member with one token by default", async () => {
  await using at = await world();

  const response = await at.admin.raw("POST", "/users", { body: { name: " Zoë " } });

  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({
    user: {
      id: 2,
      name: "Zoë",
      role: "member",
      has_password: false,
      tokens: 1,
      last_used_at: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
    token: expect.stringMatching(/^cairn_/),
  });
  await at.user("adam", "team-lead");
  expect((await at.admin.get("/users")).map((user) => [user.name, user.role])).toEqual([
    ["adam", "team-lead"],
    ["admin", "admin"],
    ["Zoë", "member"],
  ]);
});

test("does not let members and team-leads read or change users", async () => {
  await using at = await world();
  const other = await at.user("other");
  for (const role of ["member", "team-lead"] as const) {
    const user = await at.user(role, role);
    const calls: [string, string, unknown?][] = [
      ["GET", "/users"],
      ["POST", "/users", { name: "mine", role: "admin" }],
      ["PATCH", `/users/${user.id}`, { role: "admin" }],
      ["PATCH", `/users/${other.id}`, { name: "x" }],
      ["DELETE", `/users/${other.id}`],
      ["DELETE", "/users/999"],
      ["POST", `/users/${user.id}/tokens`],
      ["DELETE", `/users/${other.id}/tokens`],
    ];
    for (const [method, path, body] of calls)
      await refusal(user.raw(method, path, { body: body }), ...ADMIN_ONLY);
  }
  expect(await at.admin.get("/users")).toHaveLength(4);
});

test("changes only the fields that a patch names", async () => {
  await using at = await world();
  const anna = await at.user("anna", "team-lead");

  expect(await at.admin.patch(`/users/${anna.id}`, { name: "Anne" })).toMatchObject({
    name: "Anne",
    role: "team-lead",
    tokens: 1,
  });
  expect(await at.admin.patch(`/users/${anna.id}`, { role: "member" })).toMatchObject({
    name: "Anne",
    role: "member",
  });
  expect(await at.admin.patch(`/users/${anna.id}`, {})).toMatchObject({ name: "Anne", role: "member" });
  expect(await at.admin.patch(`/users/${anna.id}`, { name: "ANNE" })).toMatchObject({ name: "ANNE" });
  expect(await anna.get("/whoami")).toMatchObject({ name: "ANNE" });
});

test("never demotes or deletes the last admin", async () => {
  await using at = await world();
  await refusal(at.admin.patch("/users/1", { role: "member" }), ...LAST_ADMIN);
  await refusal(at.admin.patch("/users/1", { name: "renamed", role: "member" }), ...LAST_ADMIN);
  await refusal(at.admin.delete("/users/1"), ...LAST_ADMIN);
  expect(await at.admin.get("/users")).toEqual([
    expect.objectContaining({ id: 1, name: "admin", role: "admin" }),
  ]);

  const second = await at.user("second", "admin");
  const both = await Promise.all([
    second.raw("PATCH", "/users/1", { body: { role: "member" } }),
    at.as(at.program.token).raw("PATCH", `/users/${second.id}`, { body: { role: "member" } }),
  ]);

  expect(both.filter((response) => response.status === 200)).toHaveLength(1);
  const roles = (await at.admin.get("/users").catch(() => second.get("/users"))).map((user) => user.role);
  expect(roles.toSorted()).toEqual(["admin", "member"]);
});

test("requires a new owner to delete a user who owns workspaces", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const lab = await at.workspace("lab", anna);
  await at.workspace("attic", anna);

  await refusal(
    at.admin.delete(`/users/${anna.id}`),
    "conflict",
    "the user owns 2 workspaces; delete them or name a new owner with ?transfer_to=<user id>",
    { workspaces: 2 },
  );
  await refusal(at.admin.delete(`/users/${anna.id}?transfer_to=999`), "not_found", "user 999: not found");
  await refusal(
    at.admin.delete(`/users/${anna.id}?transfer_to=${anna.id}`),
    "invalid",
    "query parameter transfer_to: must be another user",
    { in: "query", field: "transfer_to", problem: "must be another user" },
  );
  expect(await anna.get("/workspaces")).toHaveLength(2);

  await at.admin.delete(`/users/${anna.id}?transfer_to=${bert.id}`);

  expect((await bert.get("/workspaces")).map((workspace) => [workspace.name, workspace.owner_id])).toEqual([
    ["attic", bert.id],
    ["lab", bert.id],
  ]);
  expect(await bert.get(`/workspaces/${lab.id}`)).toEqual({ ...lab, owner_id: bert.id });
});

test("refuses a transfer that would give two workspaces one name", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  await at.workspace("alone", anna);
  await at.workspace("Lab", anna);
  await at.workspace("lab", bert);

  await refusal(
    at.admin.delete(`/users/${anna.id}?transfer_to=${bert.id}`),
    "conflict",
    'the new owner already has a workspace named "Lab"; choose another owner, or delete one of the two',
  );
  expect(await anna.get("/workspaces")).toHaveLength(2);
});

test("removes a deleted user from their teams", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const team = await at.team("team", anna);

  await at.admin.delete(`/users/${anna.id}`);

  expect(await at.admin.get("/teams")).toEqual([{ id: team, name: "team", members: [] }]);
});
