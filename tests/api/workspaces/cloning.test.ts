// Goal: a clone is a workspace of its own with the same blueprint; the original does not notice.

import { expect, test } from "bun:test";
import type { BlueprintRecord } from "../../../src/service/snapshot/schema.ts";
import { call, say } from "../../kit/model/index.ts";
import { office } from "../../kit/office.ts";
import { workplace } from "../../kit/workplace.ts";
import { refusal } from "../../kit/refusal.ts";

/** A blueprint without what a copy must have of its own. */
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

test("a clone has the blueprint with positions, roles, budgets and wires, under ids of its own", async () => {
  await using at = await office();
  const lab = await at.workspace("lab");
  const boss = await at.orchestrator(lab.id);
  await at.admin.patch(`/workspaces/${lab.id}`, { budget: { tokens_per_day: 1000, cost_per_turn: null } });
  await at.admin.patch(`/agents/${boss.id}`, { role: "Lead.", position: { x: -10.5, y: 3 } });
  const one = await at.agent(lab.id, "one", { role: "First.", position: { x: 7, y: 8 } });
  const two = await at.agent(lab.id, "two");
  const gone = await at.agent(lab.id, "gone");
  await at.admin.patch(`/agents/${two.id}`, { budget: { tokens_per_turn: 5 } });
  await at.wire(lab.id, boss.id, one.id);
  await at.wire(lab.id, one.id, two.id);
  await at.wire(lab.id, two.id, one.id);
  await at.admin.delete(`/agents/${gone.id}`);
  const before = await at.blueprint(lab.id);

  const copy = await at.admin.post(`/workspaces/${lab.id}/clone`, { name: "twin" });

  expect(copy).toEqual({
    id: copy.id,
    name: "twin",
    description: "",
    branch: `workspaces/twin-${copy.id}`,
    shared_branch: `workspaces/twin-${copy.id}/shared`,
    owner_id: 1,
    team_ids: [],
    budget: { tokens_per_day: 1000, cost_per_turn: null },
    created_at: expect.any(String),
  });
  const copied = await at.blueprint(copy.id);
  expect(shape(copied)).toEqual(shape(before));
  expect(copied.agents.every((agent) => agent.workspace_id === copy.id)).toBe(true);
  const ids = new Set(before.agents.map((agent) => agent.id));
  expect(copied.agents.filter((agent) => ids.has(agent.id))).toEqual([]);
  expect(await at.blueprint(lab.id)).toEqual(before);
});

test("changes to a clone don't reach the original, nor the other way round", async () => {
  await using at = await office();
  const lab = await at.workspace("lab");
  await at.agent(lab.id, "worker");
  const copy = await at.admin.post(`/workspaces/${lab.id}/clone`);
  const before = await at.blueprint(lab.id);

  const [, worker] = (await at.blueprint(copy.id)).agents;
  await at.admin.patch(`/agents/${worker!.id}`, { name: "changed", role: "changed" });
  expect(await at.blueprint(lab.id)).toEqual(before);
  const kept = await at.blueprint(copy.id);
  await at.admin.delete(`/workspaces/${lab.id}`);
  expect(await at.blueprint(copy.id)).toEqual(kept);
});

test("without a name it is called a copy, then copy 2, within a name's length", async () => {
  await using at = await office();
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
    'name: you have a workspace named "LAB" already',
  );
});

test("a member clones what is shared with them; the clone is theirs alone", async () => {
  await using at = await office();
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const lab = await at.workspace("lab");
  await at.agent(lab.id, "worker");
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("both", anna, bert)}`);

  const copy = await anna.post(`/workspaces/${lab.id}/clone`);

  expect({ name: copy.name, owner_id: copy.owner_id, team_ids: copy.team_ids }).toEqual({
    name: "lab copy",
    owner_id: anna.id,
    team_ids: [],
  });
  await refusal(bert.get(`/workspaces/${copy.id}`), "not_found", `workspace ${copy.id}: not found`);
  expect(shape(await at.blueprint(copy.id, anna))).toEqual(shape(await at.blueprint(lab.id)));
  expect((await anna.post(`/workspaces/${lab.id}/clone`, { name: "lab" })).name).toBe("lab");
});

test("nothing of the conversation is cloned", async () => {
  await using lab = await workplace();
  await lab.addWorker("helper");
  lab.model
    .script("boss", [call("delegate", { agent: "helper", task: "Look." }), say("Done.")])
    .script("helper", [say("Looked.")]);
  await lab.chat("Go.");
  const before = await lab.admin.get(`/workspaces/${lab.workspaceId}/entries`);

  const copy = await lab.admin.post(`/workspaces/${lab.workspaceId}/clone`);

  expect(await lab.admin.get<unknown>(`/workspaces/${copy.id}/entries`)).toEqual([]);
  expect(await lab.admin.get<unknown>(`/workspaces/${copy.id}/turns`)).toEqual([]);
  expect(await lab.admin.get(`/workspaces/${copy.id}/usage`)).toMatchObject({
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
  });
  expect(before.length).toBeGreaterThan(3);
  expect(await lab.admin.get(`/workspaces/${lab.workspaceId}/entries`)).toEqual(before);
});
