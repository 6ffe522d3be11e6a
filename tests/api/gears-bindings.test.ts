// Goal: people who see a workspace bind gears to it and its agents, and bindings are copied and removed correctly.

import { expect, test } from "bun:test";
import { approvedGear, makeGear } from "../kit/service/gears.ts";
import { world } from "../kit/service/world.ts";
import { refusal } from "../kit/http/refusal.ts";

test("binds a gear to all agents or to one, once each", async () => {
  await using lab = await world({ model: true });
  const worker = await lab.addWorker("worker");
  const gear = await makeGear(lab.admin);
  const path = `${lab.own}/gears` as const;
  const toAll = await lab.admin.post(path, { gear_id: gear.id });
  expect(toAll).toEqual({
    id: 1,
    workspace_id: lab.workspaceId,
    gear_id: gear.id,
    gear_name: "echo_args",
    gear_status: "pending",
    agent_id: null,
    created_at: expect.any(String),
  } as never);
  const toOne = await lab.admin.post(path, { gear_id: gear.id, agent_id: worker });
  expect(await lab.admin.get<unknown>(path)).toEqual([toAll, toOne]);
  for (const body of [
    { gear_id: gear.id, agent_id: null },
    { gear_id: gear.id, agent_id: worker },
  ]) {
    await refusal(lab.admin.post(path, body), "conflict", 'gear "echo_args" is already bound to it');
  }
  await lab.admin.delete(`/gear-bindings/${toAll.id}`);
  expect(await lab.admin.get<unknown>(path)).toEqual([toOne]);
});

test("refuses agents of other workspaces, missing gears, and people who do not see the workspace", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const gear = await makeGear(lab.admin);
  const path = `${lab.own}/gears` as const;
  const { id } = await lab.admin.post(path, { gear_id: gear.id });
  const other = await lab.admin.post("/workspaces", { name: "other", orchestrator_model_id: 1 });
  await refusal(
    lab.admin.post(`/workspaces/${other.id}/gears`, { gear_id: gear.id, agent_id: lab.orchestratorId }),
    "invalid",
    `agent_id: agent ${lab.orchestratorId} is not in this workspace`,
  );
  await refusal(lab.admin.post(path, { gear_id: 99 }), "not_found", "gear 99: not found");
  const unseen = ["not_found", `workspace ${lab.workspaceId}: not found`] as const;
  await refusal(ann.get(path), ...unseen);
  await refusal(ann.post(path, { gear_id: gear.id }), ...unseen);
  await refusal(ann.delete(`/gear-bindings/${id}`), "not_found", `gear binding ${id}: not found`);
  await refusal(ann.delete("/gear-bindings/99"), "not_found", "gear binding 99: not found");
});

test("copies bindings to a clone and its agents, and keeps the original's", async () => {
  await using lab = await world({ model: true });
  const worker = await lab.addWorker("worker");
  const gear = await makeGear(lab.admin);
  const path = `${lab.own}/gears` as const;
  await lab.admin.post(path, { gear_id: gear.id });
  await lab.admin.post(path, { gear_id: gear.id, agent_id: worker });
  const before = await lab.admin.get(path);
  const clone = await lab.admin.post(`${lab.own}/clone`);
  const copies = await lab.admin.get(`/workspaces/${clone.id}/agents`);
  const copied = await lab.admin.get(`/workspaces/${clone.id}/gears`);
  expect(copied.map((each) => each.agent_id)).toEqual([
    null,
    copies.find((agent) => agent.name === "worker")!.id,
  ]);
  expect(await lab.admin.get<unknown>(path)).toEqual(before);
});

test("keeps bindings with new content, shows them in the approval, and removes them with the gear or agent", async () => {
  await using lab = await world({ model: true });
  const worker = await lab.addWorker("worker");
  const gear = await approvedGear(lab.admin);
  const path = `${lab.own}/gears` as const;
  await lab.admin.post(path, { gear_id: gear.id, agent_id: worker });
  await lab.admin.put(`/gears/${gear.id}`, { code: "echo new" });
  expect(await lab.admin.get<unknown>(path)).toMatchObject([{ agent_id: worker, gear_status: "pending" }]);
  const [approval] = await lab.admin.get("/approvals");
  expect(approval!.facts.at(-1)).toBe("once approved it can be called by: worker in lab");
  await lab.admin.delete(`/agents/${worker}`);
  expect(await lab.admin.get<unknown>(path)).toEqual([]);
  await lab.admin.post(path, { gear_id: gear.id });
  await lab.admin.delete(`/gears/${gear.id}`);
  expect(await lab.admin.get<unknown>(path)).toEqual([]);
});
