// Goal: a workspace receives events of the gears that it uses, and of the approval of those that its agents forged, but learns nothing of
// workspaces that its people may not see.

import { expect, test } from "bun:test";
import type { StreamEvent } from "../kit/http/client.ts";
import { ANY_ARGS, isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { type World, world } from "../kit/service/world.ts";

const forge = (code: string) =>
  call("gear_forge", { name: "adder", description: "adds", runtime: "bash", code, args_schema: ANY_ARGS });

interface Told {
  turn_id: number | null;
  type: string;
  data: Record<string, unknown>;
}

/** All events of a workspace about gears and approvals; those of bindings only by type. */
async function toldIn(lab: World, workspaceId: number): Promise<Told[]> {
  const { event_id: last } = await lab.admin.get(`/workspaces/${workspaceId}/blueprint`);
  await using reader = await lab.admin.events(`/workspaces/${workspaceId}/events?after=0`);
  await reader.until((event) => event.id === last);
  return reader.seen.filter(({ type }) => /^(gear|approval)\./.test(type)).map(toTold);
}

function toTold({ type, data }: StreamEvent): Told {
  return { turn_id: data.turn_id, type, data: type === "gear.bound" ? {} : data.data };
}

/** Creates another workspace in which the gear is bound to all agents. */
async function boundElsewhere(lab: World, gearId: number): Promise<number> {
  const [model] = await lab.admin.get("/models");
  const { id } = await lab.admin.post("/workspaces", { name: "elsewhere", orchestrator_model_id: model!.id });
  await lab.admin.post(`/workspaces/${id}/gears`, { gear_id: gearId });
  return id;
}

test("announces the pending approval of a forged gear and its decision in its workspace, as listed", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  lab.model.script("boss", [forge("true\n"), say("wait")]);
  const { turn } = await lab.chat("make it");
  const [approval] = await lab.admin.get("/approvals");
  const [gear] = await lab.admin.get("/gears");
  expect(approval).toMatchObject({ agent: "orchestrator", workspace_id: lab.workspaceId });
  expect(approval!.facts.at(-1)).toBe("once approved it can be called by: orchestrator in lab");
  const updated = { gear_id: gear!.id, name: "adder", status: "pending", version: 1, user: "admin" };
  const asked = [
    { turn_id: turn.id, type: "gear.bound", data: {} },
    { turn_id: turn.id, type: "gear.updated", data: updated },
    { turn_id: turn.id, type: "approval.requested", data: { approval } },
  ];
  expect(await toldIn(lab, lab.workspaceId)).toEqual(asked as never);
  await lab.admin.patch(`/gears/${gear!.id}`, { status: "approved", content_hash: gear!.content_hash });
  const decided = {
    kind: "gear",
    id: gear!.id,
    decision: "approved",
    by: "admin",
    auth: "loopback",
    reason: null,
    content_hash: gear!.content_hash,
    subject: gear!.name,
    version: 1,
    agent: "orchestrator",
    requested_at: gear!.updated_at,
  };
  expect(await toldIn(lab, lab.workspaceId)).toEqual([
    ...asked,
    { turn_id: null, type: "gear.updated", data: { ...updated, status: "approved" } },
    { turn_id: null, type: "approval.decided", data: decided },
  ] as never);
});

test("announces another approval when forged again, and only counts bindings that are not visible", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  lab.model.script("boss", [forge("true\n"), say("wait"), forge("false\n"), forge("false\n"), say("wait")]);
  await lab.chat("make it");
  const [gear] = await lab.admin.get("/gears");
  await lab.admin.patch(`/gears/${gear!.id}`, { status: "approved" });
  const elsewhere = await boundElsewhere(lab, gear!.id);
  const before = await toldIn(lab, lab.workspaceId);
  const { turn } = await lab.chat("again");
  const [approval] = await lab.admin.get("/approvals");
  expect(approval!.facts.at(-1)).toBe(
    "once approved it can be called by: all agents in elsewhere, orchestrator in lab",
  );
  const counted = "once approved it can be called by: orchestrator in lab, 1 more in other workspaces";
  expect(approval!.callers).toEqual({
    named: [
      { workspace: "elsewhere", agent: null },
      { workspace: "lab", agent: "orchestrator" },
    ],
    elsewhere: 0,
  });
  const seenHere = {
    ...approval!,
    facts: [...approval!.facts.slice(0, -1), counted],
    callers: { named: [{ workspace: "lab", agent: "orchestrator" }], elsewhere: 1 },
  };
  const updated = { gear_id: gear!.id, name: "adder", status: "pending", version: 3, user: "admin" };
  const requested = { turn_id: turn.id, type: "approval.requested", data: { approval: seenHere } };
  const told = (await toldIn(lab, lab.workspaceId)).slice(before.length);
  // Saved twice, the second time with identical content, which is a new version too.
  expect(told.map(({ type, data }) => [type, data["version"]])).toEqual([
    ["gear.updated", 2],
    ["approval.requested", undefined],
    ["gear.updated", 3],
    ["approval.requested", undefined],
  ]);
  expect(told.slice(2)).toEqual([
    { turn_id: turn.id, type: "gear.updated", data: updated },
    requested,
  ] as never);
  expect(await toldIn(lab, elsewhere)).toEqual([
    { turn_id: null, type: "gear.bound", data: {} },
    { turn_id: null, type: "gear.updated", data: { ...updated, version: 2 } },
    { turn_id: null, type: "gear.updated", data: updated },
  ]);
});

test("announces disabling, withdrawing and deleting", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  lab.model.script("boss", [forge("true\n"), say("wait")]);
  await lab.chat("make it");
  const [gear] = await lab.admin.get("/gears");
  const elsewhere = await boundElsewhere(lab, gear!.id);
  const before = (await toldIn(lab, lab.workspaceId)).length;
  for (const status of ["disabled", "approved", "pending"])
    await lab.admin.patch(`/gears/${gear!.id}`, { status });
  await lab.admin.delete(`/gears/${gear!.id}`);
  const summary = ({ type, data }: Told) => [type, data["status"] ?? data["decision"] ?? data["name"] ?? ""];
  expect((await toldIn(lab, lab.workspaceId)).slice(before).map(summary)).toEqual([
    ["gear.updated", "disabled"],
    ["approval.decided", "disabled"],
    ["gear.updated", "approved"],
    ["approval.decided", "approved"],
    ["gear.updated", "pending"],
    ["approval.requested", ""],
    ["approval.decided", "withdrawn"],
    ["gear.unbound", ""],
    ["gear.removed", "adder"],
  ]);
  expect((await toldIn(lab, elsewhere)).slice(1)).toEqual([
    ...["disabled", "approved", "pending"].map((status) => ({
      turn_id: null,
      type: "gear.updated",
      data: { gear_id: gear!.id, name: "adder", status, version: 1, user: "admin" },
    })),
    { turn_id: null, type: "gear.unbound", data: { binding_id: 2 } },
    { turn_id: null, type: "gear.removed", data: { gear_id: gear!.id, name: "adder", user: "admin" } },
  ]);
});

test("announces the status and version of a person's gear only in workspaces where it is bound", async () => {
  await using lab = await world({ model: true });
  const gear = await makeGear(lab.admin);
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  await lab.admin.put(`/gears/${gear.id}`, { description: "says it back" });
  await lab.admin.put(`/gears/${gear.id}`, { code: "cat; echo\n" });
  await lab.admin.patch(`/gears/${gear.id}`, { timeout_seconds: 5 });
  await lab.admin.patch(`/gears/${gear.id}`, { status: "approved" });
  const told = (await toldIn(lab, lab.workspaceId)).map(({ type, data }) => [
    type,
    data["status"],
    data["version"],
  ]);
  expect(told).toEqual([
    ["gear.bound", undefined, undefined],
    ["gear.updated", "pending", 2],
    ["gear.updated", "pending", 3],
    ["gear.updated", "approved", 3],
  ]);
});
