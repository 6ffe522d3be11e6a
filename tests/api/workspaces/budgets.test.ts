// Goal: only the owner, who pays, or an admin sets and clears budgets, also by deleting the agent, and every change is recorded.

import { expect, test } from "bun:test";
import type { Client } from "../../kit/http/client.ts";
import { call, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

const FORBIDDEN = ["forbidden", "only the owner or an admin may change its budgets"] as const;

function mayNotDelete(name: string): string {
  return `only the owner or an admin may delete "${name}", because it has a budget; ask one of them to delete it or to clear its budget`;
}

test("does not let a team member clear a budget of the workspace or an agent", async () => {
  await using at = await world({ model: "silent" });
  const [owner, member] = [await at.user("owner"), await at.user("member")];
  const lab = await at.workspace("lab", owner);
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("team", member)}`);
  const agent = await at.in(lab.id).agent("worker");
  const [small, large] = [{ tokens_per_day: 10 }, { tokens_per_day: 1000 }];
  const paths = [`/workspaces/${lab.id}`, `/agents/${agent.id}`];
  for (const path of paths) {
    await owner.patch(path, { budget: small });
    for (const budget of [null, {}, large]) await refusal(member.patch(path, { budget }), ...FORBIDDEN);
    await at.admin.patch(path, { budget: large });
  }
  // They may change everything else of an agent but its name, even in a request that repeats the current budget.
  expect(await member.patch(paths[1]!, { role: "You are new.", budget: large })).toMatchObject({
    budget: large,
  });
  expect(await owner.patch(paths[0]!, { budget: null })).toMatchObject({ budget: null });

  const records = (await at.admin.get("/audit?limit=500")).filter(({ action }) => action.endsWith(".budget"));
  expect(
    records.toReversed().map(({ actor, action, target, detail }) => [actor, action, target, detail["to"]]),
  ).toEqual([
    ["owner", "workspace.budget", `workspace:${lab.id}`, JSON.stringify(small)],
    ["admin", "workspace.budget", `workspace:${lab.id}`, JSON.stringify(large)],
    ["owner", "agent.budget", `agent:${agent.id}`, JSON.stringify(small)],
    ["admin", "agent.budget", `agent:${agent.id}`, JSON.stringify(large)],
    ["owner", "workspace.budget", `workspace:${lab.id}`, null],
  ]);
});

test("lets only the owner or an admin delete an agent that has a budget, and records it", async () => {
  await using at = await world({ model: "silent" });
  const [owner, member] = [await at.user("owner"), await at.user("member")];
  const lab = await at.workspace("lab", owner);
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("team", member)}`);
  const budget = { tokens_per_day: 1 };
  const agents = await Promise.all(["one", "two", "free"].map((name) => at.in(lab.id).agent(name)));
  const [one, two, free] = agents.map(({ id }) => id);
  for (const id of [one, two]) await owner.patch(`/agents/${id}`, { budget });
  await at.in(lab.id).wire((await at.in(lab.id).orchestrator()).id, one!);

  const before = await at.in(lab.id).blueprint();
  await refusal(member.delete(`/agents/${one}`), "forbidden", mayNotDelete("one"), { agent_id: one, budget });
  expect(await at.in(lab.id).blueprint()).toEqual(before);
  await member.delete(`/agents/${free}`);
  await owner.delete(`/agents/${one}`);
  await at.admin.delete(`/agents/${two}`);

  const records = await at.admin.get("/audit?action=agent.delete");
  const detail = { workspace: lab.id, budget: JSON.stringify(budget) };
  expect(records.toReversed()).toMatchObject([
    { actor: "member", target: `agent:${free}`, detail: { workspace: lab.id, name: "free" } },
    { actor: "owner", target: `agent:${one}`, detail: { ...detail, name: "one" } },
    { actor: "admin", target: `agent:${two}`, detail: { ...detail, name: "two" } },
  ]);
});

test("lets only the owner or an admin rename an agent that has a budget, and records it", async () => {
  await using at = await world({ model: "silent" });
  const [owner, member] = [await at.user("owner"), await at.user("member")];
  const lab = await at.workspace("lab", owner);
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("team", member)}`);
  const budget = { tokens_per_day: 1 };
  const [one, free] = await Promise.all(["one", "free"].map((name) => at.in(lab.id).agent(name)));
  await owner.patch(`/agents/${one!.id}`, { budget });

  const mayNot = mayNotDelete("one").replaceAll("delete", "rename");
  const rename = (as: Client, name: string) => as.patch(`/agents/${one!.id}`, { name, budget });
  await refusal(rename(member, "other"), "forbidden", mayNot, { agent_id: one!.id, budget });
  // The name stays taken.
  await rename(member, "One");
  await member.patch(`/agents/${free!.id}`, { name: "freed" });
  await rename(owner, "two");

  const records = await at.admin.get("/audit?action=agent.rename");
  const budgeted = { workspace: lab.id, budget: JSON.stringify(budget) };
  expect(records.map(({ actor, target, detail }) => [actor, target, detail])).toEqual([
    ["owner", `agent:${one!.id}`, { ...budgeted, from: "One", to: "two" }],
    ["member", `agent:${free!.id}`, { workspace: lab.id, from: "free", to: "freed" }],
    ["member", `agent:${one!.id}`, { ...budgeted, from: "one", to: "One" }],
  ]);
});

test("does not let a member's turn replace a worker that has a budget", async () => {
  await using at = await world({ workers: ["scout"] });
  const member = await at.user("member");
  await at.share(member);
  const scout = at.agents["scout"]!;
  await at.admin.patch(`/agents/${scout}`, { budget: { tokens_per_day: 1 } });
  const replace = [
    call("agent_remove", { agent: "scout" }),
    call("agent_create", { name: "scout", role: "r", model: "scout" }),
  ];
  const results = async (as: Client) => {
    at.model.script("boss", [replace, say("Done.")]);
    const { turn } = await as.post(`${at.own}/chat`, { text: "Go." });
    await at.end(turn);
    const entries = (await at.entries()).filter(({ turn_id: id }) => id === turn.id);
    return entries.filter(({ kind }) => kind === "tool").map(({ text }) => text);
  };

  expect(await results(member)).toEqual([
    `${mayNotDelete("scout")}. Nothing was done.`,
    'name: an agent named "scout" already exists. Nothing was done.',
  ]);
  expect(await at.admin.get("/audit?action=agent.delete")).toEqual([]);
  expect((await at.blueprint()).agents.find(({ id }) => id === scout)).toMatchObject({
    budget: { tokens_per_day: 1 },
  });
  expect(await results(at.admin)).toEqual([
    'Removed agent "scout".',
    'Created agent "scout" and wired you to it. You can delegate to it now.',
  ]);
  expect(await at.admin.get("/audit?action=agent.delete")).toMatchObject([
    { actor: "admin", target: `agent:${scout}` },
  ]);
});
