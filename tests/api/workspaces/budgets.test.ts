// Goal: only the owner, who pays, or an admin sets and clears budgets, and every change is recorded.

import { expect, test } from "bun:test";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

const FORBIDDEN = ["forbidden", "only the owner or an admin may change its budgets"] as const;

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
  // They may change everything else of an agent, even in a request that repeats the current budget.
  expect(await member.patch(paths[1]!, { name: "renamed", budget: large })).toMatchObject({ budget: large });
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
