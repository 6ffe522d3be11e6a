// Goal: people see their own workspaces and those shared with their teams, and changes of sharing apply at once.

import { expect, test } from "bun:test";
import type { Client } from "../../kit/http/client.ts";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

const names = async (client: Client) => (await client.get("/workspaces")).map((workspace) => workspace.name);

test("lists own and shared workspaces for a member and all for an admin, by name", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert", "team-lead")];
  const shared = await at.workspace("shared");
  await at.workspace("Beta");
  await at.workspace("alpha", anna);
  await at.workspace("gamma", bert);
  await at.admin.put(`/workspaces/${shared.id}/teams/${await at.team("both", anna, bert)}`);
  await at.admin.put(`/workspaces/${shared.id}/teams/${await at.team("again", anna)}`);

  expect(await names(anna)).toEqual(["alpha", "shared"]);
  expect(await names(bert)).toEqual(["gamma", "shared"]);
  expect(await names(at.admin)).toEqual(["alpha", "Beta", "gamma", "shared"]);
});

test("shows sharing in the record, shares once, and gives members the whole blueprint", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const lab = await at.workspace("lab");
  const [red, blue] = [await at.team("red", anna), await at.team("blue")];
  expect(lab.team_ids).toEqual([]);

  await at.admin.put(`/workspaces/${lab.id}/teams/${blue}`);
  const record = await at.admin.put(`/workspaces/${lab.id}/teams/${red}`);

  expect(record).toEqual({ ...lab, team_ids: [red, blue] });
  expect(await at.admin.put(`/workspaces/${lab.id}/teams/${red}`)).toEqual(record);
  expect(await anna.get(`/workspaces/${lab.id}`)).toEqual(record);
  const agent = await anna.post(`/workspaces/${lab.id}/agents`, {
    name: "hers",
    role: "",
    model_id: at.bossId,
  });
  await anna.delete(`/agents/${agent.id}`);
  await refusal(
    anna.delete(`/workspaces/${lab.id}`),
    "forbidden",
    "only the owner or an admin may delete a workspace",
  );
});

test("lets only an admin, or the owner who leads the team, share", async () => {
  await using at = await world({ model: "silent" });
  const [lead, member] = [await at.user("lead", "team-lead"), await at.user("member")];
  const [own, other] = [await at.team("own", lead, member), await at.team("other", member)];
  const lab = await at.workspace("lab", lead);
  const mine = await at.workspace("mine", member);
  const foreign = await at.workspace("foreign");
  await at.admin.put(`/workspaces/${foreign.id}/teams/${own}`);
  const forbidden = [
    "forbidden",
    "only an admin, or the owner who is a team-lead of that team, may change sharing",
  ] as const;

  expect((await lead.put(`/workspaces/${lab.id}/teams/${own}`)).team_ids).toEqual([own]);
  const tries: [Client, string][] = [
    [lead, `/workspaces/${lab.id}/teams/${other}`],
    [lead, `/workspaces/${foreign.id}/teams/${own}`],
    [member, `/workspaces/${mine.id}/teams/${own}`],
    [member, `/workspaces/${lab.id}/teams/${own}`],
  ];
  for (const [who, path] of tries) {
    await refusal(who.put(path), ...forbidden);
    await refusal(who.delete(path), ...forbidden);
  }
  await refusal(lead.put(`/workspaces/${lab.id}/teams/99`), "not_found", "team 99: not found");
  await lead.delete(`/workspaces/${lab.id}/teams/${own}`);
  expect(await names(member)).toEqual(["foreign", "mine"]);
});

test("hides the workspace at once when sharing ends, and disconnects people who lose access", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const unseen = (id: number) => ["not_found", `workspace ${id}: not found`] as const;
  const ends: ((workspace: number, team: number) => Promise<unknown>)[] = [
    (workspace, team) => at.admin.delete(`/workspaces/${workspace}/teams/${team}`),
    (_, team) => at.admin.delete(`/teams/${team}`),
    (_, team) => at.admin.delete(`/teams/${team}/members/${anna.id}`),
  ];
  for (const [index, end] of ends.entries()) {
    const workspace = await at.workspace(`lab ${index}`);
    const team = await at.team(`team ${index}`, anna);
    await at.admin.put(`/workspaces/${workspace.id}/teams/${team}`);
    const [hers, admins] = [
      await anna.events(`/workspaces/${workspace.id}/events`),
      await at.admin.events(`/workspaces/${workspace.id}/events`),
    ];

    await end(workspace.id, team);

    await hers.all();
    await refusal(anna.get(`/workspaces/${workspace.id}`), ...unseen(workspace.id));
    await refusal(anna.get(`/workspaces/${workspace.id}/events`), ...unseen(workspace.id));
    const agent = await at.in(workspace.id).agent("later");
    expect((await admins.until((event) => event.type === "agent.created")).data.data).toEqual({ agent });
    await admins[Symbol.asyncDispose]();
  }
  expect(await names(anna)).toEqual([]);
});
