// Goal: workspaces are created atomically, keep their immutable fields, and leave nothing behind when deleted.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { eventually } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

test("creates a workspace for its owner, not shared, with an orchestrator", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");

  const response = await anna.raw("POST", "/workspaces", {
    body: { name: "lab", description: " As given\n", orchestrator_model_id: at.bossId },
  });

  expect(response.status).toBe(201);
  const made = await response.json();
  expect(made).toEqual({
    id: 1,
    name: "lab",
    display_name: "lab",
    description: " As given\n",
    branch: "workspaces/lab-1",
    shared_branch: "workspaces/lab-1/shared",
    owner_id: anna.id,
    team_ids: [],
    budget: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    archived_at: null,
  });
  expect(await anna.get("/workspaces/1")).toEqual(made);
  expect((await at.in(1).blueprint(anna)).agents).toEqual([
    {
      id: 1,
      workspace_id: 1,
      name: "orchestrator",
      role: expect.stringContaining("You are the orchestrator"),
      model_id: at.bossId,
      orchestrator: true,
      position: { x: 0, y: 0 },
      budget: null,
      created_at: expect.any(String),
    },
  ]);
});

test("returns 404 for an unknown model and creates nothing", async () => {
  await using at = await world({ model: "silent" });

  for (const id of [99, 0, -1, 9_007_199_254_740_991]) {
    await refusal(
      at.admin.post("/workspaces", { name: "lab", orchestrator_model_id: id }),
      "not_found",
      `model ${id}: not found`,
    );
  }
  expect(await at.admin.get<unknown>("/workspaces")).toEqual([]);
  expect((await at.workspace("lab")).id).toBe(1);
});

test("treats a deleted model as unknown", async () => {
  await using at = await world({ model: "silent" });
  await at.admin.delete(`/models/${at.bossId}`);

  await refusal(
    at.admin.post("/workspaces", { name: "lab", orchestrator_model_id: at.bossId }),
    "not_found",
    `model ${at.bossId}: not found`,
  );
});

test("keeps names unique per owner", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  await at.workspace("lab");

  expect((await at.workspace("lab", anna)).owner_id).toBe(anna.id);
  await refusal(
    at.admin.post("/workspaces", { name: "LAB", orchestrator_model_id: at.bossId }),
    "conflict",
    'name: you already have a workspace named "LAB"',
  );
});

test("changes only the budget and the display name of a workspace", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  for (const field of ["name", "description"]) {
    await refusal(
      at.admin.patch(`/workspaces/${lab.id}`, { [field]: "new" }),
      "invalid",
      `${field}: cannot be changed; this request can change: budget, display_name`,
    );
  }
  for (const field of [
    "orchestrator_model_id",
    "branch",
    "shared_branch",
    "owner_id",
    "team_ids",
    "created_at",
  ]) {
    await refusal(
      at.admin.patch(`/workspaces/${lab.id}`, { budget: null, [field]: 1 }),
      "invalid",
      `${field}: unknown field`,
    );
  }
  expect(await at.admin.get(`/workspaces/${lab.id}`)).toEqual(lab);

  const budget = { tokens_per_turn: 10, tokens_per_day: null, cost_per_day: 0.5 };
  expect(await at.admin.patch(`/workspaces/${lab.id}`, { budget })).toEqual({ ...lab, budget });
  expect(await at.admin.patch(`/workspaces/${lab.id}`, { budget: {} })).toEqual({
    ...lab,
    budget: {},
  });
  expect(await at.admin.patch(`/workspaces/${lab.id}`, { budget: null })).toEqual(lab);
});

test("lets the owner and admins delete a workspace, and notifies its viewers", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const [hers, theirs] = [await at.workspace("hers", anna), await at.workspace("theirs", anna)];
  const stream = await anna.events(`/workspaces/${hers.id}/events`);

  const response = await anna.raw("DELETE", `/workspaces/${hers.id}`);
  expect(response.status).toBe(204);
  await at.admin.delete(`/workspaces/${theirs.id}`);

  expect((await stream.all()).map((event) => [event.type, event.id, event.data.data])).toEqual([
    ["workspace.removed", undefined, { workspace_id: hers.id }],
  ]);
  for (const client of [anna, at.admin]) {
    await refusal(client.delete(`/workspaces/${hers.id}`), "not_found", `workspace ${hers.id}: not found`);
    expect(await client.get<unknown>("/workspaces")).toEqual([]);
  }
});

/** A workspace's rows in each table, and rows with a dangling foreign key. */
function rowsOf(path: string, workspaceId: number): { rows: Record<string, number>; orphans: unknown[] } {
  using db = new Database(path);
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%workspace_id%'",
    )
    .all();
  const count = (table: string) =>
    db
      .query<{ n: number }, [number]>(`SELECT count(*) AS n FROM ${table} WHERE workspace_id = ?`)
      .get(workspaceId)!.n;
  return {
    rows: Object.fromEntries(tables.map(({ name }) => [name, count(name)])),
    orphans: db.query("PRAGMA foreign_key_check").all(),
  };
}

test("deletes every row of a workspace, even during a turn, and none of another", async () => {
  await using folder = await temporaryFolder();
  const lab = await world({ model: true, data: folder.path });
  await lab.addWorker("helper");
  lab.model
    .script("boss", [call("delegate", { agent: "helper", task: "Look." }), say("Done.")])
    .script("helper", [say("Looked.")]);
  await lab.chat("Go.");
  const other = await lab.admin.post("/workspaces", { name: "other", orchestrator_model_id: 1 });
  await lab.admin.put(`${lab.own}/teams/${(await lab.admin.post("/teams", { name: "team" })).id}`);
  const hanging = gate();
  lab.model.script("boss", [[say("I am "), hanging, say("late.")]]);
  await lab.admin.post(`${lab.own}/chat`, { text: "Again." });
  await hanging.reached;

  await lab.admin.delete(lab.own);

  hanging.open();
  const left = () => rowsOf(`${folder.path}/service.db`, lab.workspaceId);
  const tables = Object.keys(left().rows);
  expect(tables.length).toBeGreaterThan(8);
  const nothing = { rows: Object.fromEntries(tables.map((table) => [table, 0])), orphans: [] };
  // The rows go in the background.
  await eventually(left, nothing);
  await lab[Symbol.asyncDispose]();
  expect(left()).toEqual(nothing);
  expect(rowsOf(`${folder.path}/service.db`, other.id).rows).toMatchObject({ agents: 1, events: 1 });
});

test("lists a thousand workspaces completely and sorted", async () => {
  await using at = await world({ model: "silent" });
  const numbers = Array.from({ length: 1000 }, (_, index) => (index * 617) % 1000);
  await Promise.all(numbers.map((number) => at.workspace(`lab ${String(number).padStart(3, "0")}`)));

  const listed = await at.admin.get("/workspaces");

  expect(listed.map((workspace) => workspace.name)).toEqual(
    Array.from({ length: 1000 }, (_, index) => `lab ${String(index).padStart(3, "0")}`),
  );
});
