// Goal: the audit says what a person changed about agents and their conversation, even after that person, the agent and the team are gone.

import { expect, test } from "bun:test";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { call, say } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";

test("names the person who created, changed and deleted an agent, with a hash of its role", async () => {
  await using at = await world({ model: "silent" });
  const ann = await at.user("ann");
  const team = await at.team("red", ann);
  const lab = await at.workspace("lab");
  await at.admin.put(`/workspaces/${lab.id}/teams/${team}`);
  const model = (await at.in(lab.id).orchestrator()).model_id;
  const made = { name: "worker", role: "You work.", model_id: model };
  const { id } = await ann.post(`/workspaces/${lab.id}/agents`, made);
  await ann.patch(`/agents/${id}`, { position: { x: 5, y: 5 } });
  await ann.patch(`/agents/${id}`, { role: "You obey ann.", name: "helper" });
  await ann.delete(`/agents/${id}`);
  await at.admin.delete(`/users/${ann.id}`);

  const records = (await at.admin.get("/audit?actor=ann")).toReversed();
  const place = { workspace: lab.id };
  expect(
    records.map(({ action, auth, detail, content_hash }) => [action, auth, detail, content_hash]),
  ).toEqual([
    ["agent.create", "token", { ...place, name: "worker", model }, sha256Hex("You work.")],
    ["agent.rename", "token", { ...place, from: "worker", to: "helper" }, null],
    [
      "agent.update",
      "token",
      { ...place, name: "helper", role_changed: true, model_before: model, model },
      sha256Hex("You obey ann."),
    ],
    ["agent.delete", "token", { ...place, name: "helper" }, null],
  ]);
});

test("names the agent whose tool created another one", async () => {
  await using at = await world({ workers: [] });
  const args = { name: "scout", role: "You look.", model: "boss" };
  at.model.script("boss", [call("agent_create", args), say("Done.")]);
  await at.chat("Go.");

  expect(await at.admin.get("/audit?action=agent.create")).toMatchObject([
    {
      actor: "admin",
      detail: { name: "scout", agent: "orchestrator" },
      content_hash: sha256Hex("You look."),
    },
  ]);
});

test("names the person who forgot and restored an entry, once each", async () => {
  await using at = await world({ workers: [] });
  at.model.script("boss", [say("The answer.")]);
  await at.chat("A question.");
  const [question] = await at.entries();
  for (const _ of [1, 2]) await at.admin.delete(`/entries/${question!.id}`);
  for (const _ of [1, 2]) await at.admin.post(`/entries/${question!.id}/restore`);

  const records = (await at.admin.get("/audit")).filter(({ action }) => action.startsWith("entry."));
  const one = { target: `entry:${question!.id}`, content_hash: sha256Hex("A question."), auth: "loopback" };
  expect(records.toReversed()).toMatchObject([
    { ...one, action: "entry.forget" },
    { ...one, action: "entry.restore" },
  ]);
});

test("keeps the name of a person who was added to a team and removed", async () => {
  await using at = await world({ model: "silent" });
  const ann = await at.user("ann");
  const team = await at.team("red", ann);
  await at.admin.delete(`/teams/${team}/members/${ann.id}`);
  await at.admin.delete(`/users/${ann.id}`);

  const records = (await at.admin.get("/audit")).filter(({ action }) => action.startsWith("team.member."));
  expect(records.map(({ action, detail }) => [action, detail])).toEqual([
    ["team.member.remove", { user: ann.id, user_name: "ann" }],
    ["team.member.add", { user: ann.id, user_name: "ann" }],
  ]);
});
