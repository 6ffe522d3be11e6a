// Goal: admins manage teams; a team-lead only adds and removes members of their own teams.

import { expect, test } from "bun:test";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const ADMIN_ONLY = ["forbidden", "only an admin may do this"] as const;
const LEAD_ONLY = [
  "forbidden",
  "only an admin, or a team-lead who belongs to the team, may do this",
] as const;

test("lists teams with their members by name, for anyone signed in", async () => {
  await using at = await world({ model: "silent" });
  const [zoe, anna] = [await at.user("zoe"), await at.user("Anna", "team-lead")];

  const response = await at.admin.raw("POST", "/teams", { body: { name: " Red " } });
  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ id: 1, name: "Red", members: [] });
  await at.admin.put(`/teams/1/members/${zoe.id}`);
  const full = await at.admin.put(`/teams/1/members/${anna.id}`);
  await at.admin.post("/teams", { name: "blue" });

  expect(full.members).toEqual([
    { id: anna.id, name: "Anna", role: "team-lead" },
    { id: zoe.id, name: "zoe", role: "member" },
  ]);
  expect(await at.admin.put(`/teams/1/members/${anna.id}`)).toEqual(full);
  expect(await zoe.get("/teams")).toEqual([{ id: 2, name: "blue", members: [] }, full]);
  expect(await zoe.get("/whoami")).toMatchObject({ team_ids: [1] });
});

test("lets admins rename and delete a team", async () => {
  await using at = await world({ model: "silent" });
  const red = await at.team("red");
  await at.team("blue");

  expect(await at.admin.patch(`/teams/${red}`, { name: "RED" })).toEqual({
    id: red,
    name: "RED",
    members: [],
  });
  await refusal(
    at.admin.patch(`/teams/${red}`, { name: "Blue " }),
    "conflict",
    'name: a team named "Blue" already exists',
  );
  await at.admin.delete(`/teams/${red}`);
  for (const method of ["PATCH", "DELETE"]) {
    const body = method === "PATCH" ? { name: "x" } : undefined;
    await refusal(
      at.admin.raw(method, `/teams/${red}`, { body: body }),
      "not_found",
      `team ${red}: not found`,
    );
  }
});

test("lets a team-lead add and remove members of their own teams only", async () => {
  await using at = await world({ model: "silent" });
  const lead = await at.user("lead", "team-lead");
  const member = await at.user("member");
  const guest = await at.user("guest");
  const own = await at.team("own", lead, member);
  const foreign = await at.team("foreign", member);
  const calls = (team: number): [string, string][] => [
    ["PUT", `/teams/${team}/members/${guest.id}`],
    ["DELETE", `/teams/${team}/members/${member.id}`],
  ];

  for (const [method, path] of calls(foreign)) await refusal(lead.raw(method, path), ...LEAD_ONLY);
  for (const [method, path] of [...calls(own), ...calls(foreign)])
    await refusal(member.raw(method, path), ...LEAD_ONLY);
  await refusal(lead.post("/teams", { name: "mine" }), ...ADMIN_ONLY);
  await refusal(lead.patch(`/teams/${own}`, { name: "mine" }), ...ADMIN_ONLY);
  await refusal(lead.delete(`/teams/${own}`), ...ADMIN_ONLY);

  const added = await lead.put(`/teams/${own}/members/${guest.id}`);
  expect(added.members.map((each) => each.name)).toEqual(["guest", "lead", "member"]);
  await lead.delete(`/teams/${own}/members/${member.id}`);
  await lead.delete(`/teams/${own}/members/${lead.id}`);
  await refusal(lead.put(`/teams/${own}/members/${lead.id}`), ...LEAD_ONLY);
});

test("returns 404 with the right noun for missing teams and members", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const team = await at.team("team");
  const refused = (method: string, path: string) => refusalOf(at.admin.raw(method, path));
  const missing = (message: string) => ({ status: 404, code: "not_found", message });

  expect(await refused("PUT", `/teams/99/members/${anna.id}`)).toEqual(missing("team 99: not found"));
  expect(await refused("PUT", `/teams/${team}/members/99`)).toEqual(missing("user 99: not found"));
  expect(await refused("DELETE", `/teams/${team}/members/${anna.id}`)).toEqual(
    missing(`member ${anna.id}: not found`),
  );
  expect(await refused("DELETE", `/teams/99/members/${anna.id}`)).toEqual(missing("team 99: not found"));
});
