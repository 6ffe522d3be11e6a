// Goal: a clone is a separate workspace with the same blueprint, and the original is unaffected.

import { expect, test } from "bun:test";
import type { BlueprintRecord } from "../../../src/service/snapshot/schema.ts";
import { call, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

/** A blueprint without the fields that differ in a copy. */
function shape({ agents, wires }: BlueprintRecord): object {
  const nameOf = new Map(agents.map((agent) => [agent.id, agent.name]));
  return {
    agents: agents.map(({ name, role, model_id, orchestrator, position, budget }) => ({
      name,
      role,
      model_id,
      orchestrator,
      position,
      budget,
    })),
    wires: wires.map((wire) => [nameOf.get(wire.from_agent_id), nameOf.get(wire.to_agent_id)]),
  };
}

test("copies the blueprint with positions, roles, budgets and wires under new ids", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const boss = await at.in(lab.id).orchestrator();
  await at.admin.patch(`/workspaces/${lab.id}`, { budget: { tokens_per_day: 1000, cost_per_turn: null } });
  await at.admin.patch(`/agents/${boss.id}`, { role: "Lead.", position: { x: -10.5, y: 3 } });
  const one = await at.in(lab.id).agent("one", { role: "First.", position: { x: 7, y: 8 } });
  const two = await at.in(lab.id).agent("two");
  const gone = await at.in(lab.id).agent("gone");
  await at.admin.patch(`/agents/${two.id}`, { budget: { tokens_per_turn: 5 } });
  await at.in(lab.id).wire(boss.id, one.id);
  await at.in(lab.id).wire(one.id, two.id);
  await at.in(lab.id).wire(two.id, one.id);
  await at.admin.delete(`/agents/${gone.id}`);
  const before = await at.in(lab.id).blueprint();

  const copy = await at.admin.post(`/workspaces/${lab.id}/clone`, { name: "twin" });

  expect(copy).toEqual({
    id: copy.id,
    name: "twin",
    display_name: "twin",
    description: "",
    branch: `workspaces/twin-${copy.id}`,
    shared_branch: `workspaces/twin-${copy.id}/shared`,
    owner_id: 1,
    team_ids: [],
    budget: { tokens_per_day: 1000, cost_per_turn: null },
    created_at: expect.any(String),
    archived_at: null,
  });
  const copied = await at.in(copy.id).blueprint();
  expect(shape(copied)).toEqual(shape(before));
  expect(copied.agents.every((agent) => agent.workspace_id === copy.id)).toBe(true);
  const ids = new Set(before.agents.map((agent) => agent.id));
  expect(copied.agents.filter((agent) => ids.has(agent.id))).toEqual([]);
  expect(await at.in(lab.id).blueprint()).toEqual(before);
});

test("keeps changes of a clone and its original separate", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  await at.in(lab.id).agent("worker");
  const copy = await at.admin.post(`/workspaces/${lab.id}/clone`);
  const before = await at.in(lab.id).blueprint();

  const [, worker] = (await at.in(copy.id).blueprint()).agents;
  await at.admin.patch(`/agents/${worker!.id}`, { name: "changed", role: "changed" });
  expect(await at.in(lab.id).blueprint()).toEqual(before);
  const kept = await at.in(copy.id).blueprint();
  await at.admin.delete(`/workspaces/${lab.id}`);
  expect(await at.in(copy.id).blueprint()).toEqual(kept);
});

test("names clones copy, copy 2 and so on, within the length of a name", async () => {
  await using at = await world({ model: "silent" });
  const clone = async (id: number, body?: object) =>
    (await at.admin.post(`/workspaces/${id}/clone`, body)).name;
  const lab = await at.workspace("lab");
  const long = await at.workspace("🧪".repeat(100));

  expect([await clone(lab.id), await clone(lab.id, {}), await clone(lab.id)]).toEqual([
    "lab copy",
    "lab copy 2",
    "lab copy 3",
  ]);
  expect([await clone(long.id), await clone(long.id)]).toEqual([
    `${"🧪".repeat(95)} copy`,
    `${"🧪".repeat(93)} copy 2`,
  ]);
  await refusal(
    at.admin.post(`/workspaces/${lab.id}/clone`, { name: " LAB " }),
    "conflict",
    'name: you already have a workspace named "LAB"',
  );
});

test("lets a member clone a shared workspace into one of their own", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const lab = await at.workspace("lab");
  await at.in(lab.id).agent("worker");
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("both", anna, bert)}`);

  const copy = await anna.post(`/workspaces/${lab.id}/clone`);

  expect({ name: copy.name, owner_id: copy.owner_id, team_ids: copy.team_ids }).toEqual({
    name: "lab copy",
    owner_id: anna.id,
    team_ids: [],
  });
  await refusal(bert.get(`/workspaces/${copy.id}`), "not_found", `workspace ${copy.id}: not found`);
  expect(shape(await at.in(copy.id).blueprint(anna))).toEqual(shape(await at.in(lab.id).blueprint()));
  expect((await anna.post(`/workspaces/${lab.id}/clone`, { name: "lab" })).name).toBe("lab");
});

test("copies nothing of the conversation", async () => {
  await using lab = await world({ model: true });
  await lab.addWorker("helper");
  lab.model
    .script("boss", [call("delegate", { agent: "helper", task: "Look." }), say("Done.")])
    .script("helper", [say("Looked.")]);
  await lab.chat("Go.");
  const before = await lab.admin.get(`${lab.own}/entries`);

  const copy = await lab.admin.post(`${lab.own}/clone`);

  expect(await lab.admin.get<unknown>(`/workspaces/${copy.id}/entries`)).toEqual([]);
  expect(await lab.admin.get<unknown>(`/workspaces/${copy.id}/turns`)).toEqual([]);
  expect(await lab.admin.get(`/workspaces/${copy.id}/usage`)).toMatchObject({
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
  });
  expect(before.length).toBeGreaterThan(3);
  expect(await lab.admin.get(`${lab.own}/entries`)).toEqual(before);
});
