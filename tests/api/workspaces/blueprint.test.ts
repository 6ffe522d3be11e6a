// Goal: agents and wires are created, changed and removed correctly, each change is an event, and a turn's blueprint is stored.

import { expect, test } from "bun:test";
import { gate, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

test("creates an agent at a free spot, and lists agents after the orchestrator, by name", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");

  const response = await at.admin.raw("POST", `/workspaces/${lab.id}/agents`, {
    body: { name: "zed", role: "Last.", model_id: at.bossId },
  });
  expect(response.status).toBe(201);
  const zed = await response.json();
  expect(zed).toEqual({
    id: 2,
    workspace_id: lab.id,
    name: "zed",
    role: "Last.",
    model_id: at.bossId,
    orchestrator: false,
    position: { x: expect.any(Number), y: expect.any(Number) },
    budget: null,
    created_at: expect.any(String),
  });
  const amy = await at.in(lab.id).agent("Amy", { position: { x: -1.5, y: 1e6 } });
  expect(amy.position).toEqual({ x: -1.5, y: 1e6 });
  expect((await at.admin.get(`/workspaces/${lab.id}/agents`)).map((agent) => agent.name)).toEqual([
    "orchestrator",
    "Amy",
    "zed",
  ]);

  const spots = await Promise.all(["a", "b", "c", "d", "e"].map((name) => at.in(lab.id).agent(name)));
  const places = [zed, ...spots].map(({ position }) => `${position.x},${position.y}`);
  expect(new Set(places).size).toBe(places.length);
  // The first two are left and right below the orchestrator.
  const { x, y } = spots[0]!.position;
  expect(zed.position).toEqual({ x: -x, y });
});

test("refuses roles that are too long together, in every way to give one", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const place = at.in(lab.id);
  const role = "x".repeat(100_000);
  const spoken = await place.agent("spoken", { role });
  for (let index = 0; index < 19; index += 1) await place.agent(`a${index}`, { role });
  const small = await place.agent("small", { role: "" });
  const problem =
    "the roles of all agents of a workspace have at most 2097152 bytes together; shorten one, or keep long text in instructions";
  const refused = (attempt: Promise<unknown>) =>
    refusal(attempt, "refused", problem, { limit_bytes: 2_097_152 });
  await refused(place.agent("last", { role }));
  await refused(at.admin.patch(`/agents/${small.id}`, { role }));
  // As many characters, of more bytes.
  await refused(at.admin.patch(`/agents/${spoken.id}`, { role: "é".repeat(100_000) }));
  expect(await at.admin.get(`/workspaces/${lab.id}/agents`)).toHaveLength(22);
  await at.admin.patch(`/agents/${spoken.id}`, { role: "short" });
  await at.admin.patch(`/agents/${small.id}`, { role, position: { x: 1, y: 1 } });
});

test("refuses an agent with an unknown model, or over the limit of 500", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  await refusal(
    at.admin.post(`/workspaces/${lab.id}/agents`, { name: "x", role: "", model_id: 99 }),
    "not_found",
    "model 99: not found",
  );
  await Promise.all(
    Array.from({ length: 499 }, (_, index) =>
      at.in(lab.id).agent(`agent ${index}`, { position: { x: 0, y: 0 } }),
    ),
  );

  await refusal(
    at.admin.post(`/workspaces/${lab.id}/agents`, { name: "x", role: "", model_id: at.bossId }),
    "refused",
    "a workspace has at most 500 agents",
  );
  const one = (await at.in(lab.id).blueprint()).agents.at(-1)!;
  await at.admin.delete(`/agents/${one.id}`);
  await at.in(lab.id).agent("in its place");
});

test("changes only the fields that a patch names, and keeps an absent budget", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const agent = await at.in(lab.id).agent("worker", { role: "Work." });
  const patch = (body: object) => at.admin.patch(`/agents/${agent.id}`, body);
  const budget = { tokens_per_turn: 100, cost_per_day: null };

  const moved = { ...agent, position: { x: 1, y: 2 } };
  expect(await patch({ position: { x: 1, y: 2 } })).toEqual(moved);
  expect(await patch({ budget })).toEqual({ ...moved, budget });
  expect(await patch({ role: "" })).toEqual({ ...moved, budget, role: "" });
  expect(await patch({})).toEqual({ ...moved, budget, role: "" });
  expect(await patch({ budget: null })).toEqual({ ...moved, role: "" });
  await refusal(at.admin.patch(`/agents/${agent.id}`, { model_id: 99 }), "not_found", "model 99: not found");
  await refusal(
    at.admin.patch(`/agents/${agent.id}`, { position: { x: 1 } }),
    "invalid",
    "position.y: missing",
  );
});

test("returns texts unchanged", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  for (const role of [
    "",
    " \n\t ",
    "\u0000 and after",
    "e\u0301 stays",
    "🧪 \u202e",
    "x".repeat(100_000),
    "\r\n",
  ]) {
    const agent = await at.in(lab.id).agent("worker", { role });
    expect(agent.role).toBe(role);
    expect((await at.in(lab.id).blueprint()).agents[1]!.role).toBe(role);
    await at.admin.delete(`/agents/${agent.id}`);
  }
});

test("lets people move and instruct the orchestrator, but neither rename nor delete it", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const boss = await at.in(lab.id).orchestrator();
  const refused = (message: string) => ({ status: 422, code: "refused", message });

  expect(
    await at.admin.patch(`/agents/${boss.id}`, {
      name: "orchestrator",
      role: "Lead.",
      position: { x: 5, y: 5 },
    }),
  ).toEqual({
    ...boss,
    role: "Lead.",
    position: { x: 5, y: 5 },
  });
  for (const name of ["boss", "Orchestrator"]) {
    expect(await refusalOf(at.admin.patch(`/agents/${boss.id}`, { name }))).toEqual(
      refused("the orchestrator cannot be renamed"),
    );
  }
  expect(await refusalOf(at.admin.delete(`/agents/${boss.id}`))).toEqual(
    refused("the orchestrator cannot be deleted"),
  );
});

test("wires two agents of one workspace once, and only deletes wires", async () => {
  await using at = await world({ model: "silent" });
  const [lab, other] = [await at.workspace("lab"), await at.workspace("other")];
  const [boss, foreign] = [await at.in(lab.id).orchestrator(), await at.in(other.id).orchestrator()];
  const worker = await at.in(lab.id).agent("worker");
  const removed = await at.in(lab.id).agent("removed");
  await at.admin.delete(`/agents/${removed.id}`);
  const wired = (from: number, to: number) =>
    at.admin.post(`/workspaces/${lab.id}/wires`, { from_agent_id: from, to_agent_id: to });
  const elsewhere = (id: number) => `agent ${id} is not in this workspace`;

  const wire = await at.in(lab.id).wire(boss.id, worker.id);
  expect(wire).toEqual({
    id: 1,
    workspace_id: lab.id,
    from_agent_id: boss.id,
    to_agent_id: worker.id,
    created_at: expect.any(String),
  });
  const back = await at.in(lab.id).wire(worker.id, boss.id);
  expect(await at.admin.get(`/workspaces/${lab.id}/wires`)).toEqual([wire, back]);

  await refusal(
    wired(boss.id, worker.id),
    "conflict",
    'a wire from "orchestrator" to "worker" already exists',
  );
  await refusal(wired(boss.id, boss.id), "invalid", "to_agent_id: an agent cannot be wired to itself");
  await refusal(wired(boss.id, foreign.id), "invalid", `to_agent_id: ${elsewhere(foreign.id)}`);
  await refusal(wired(foreign.id, boss.id), "invalid", `from_agent_id: ${elsewhere(foreign.id)}`);
  await refusal(wired(boss.id, removed.id), "invalid", `to_agent_id: ${elsewhere(removed.id)}`);
  await refusal(
    at.admin.patch(`/wires/${wire.id}`, {}),
    "wrong_method",
    `/api/v1/wires/${wire.id}: PATCH is not allowed; use DELETE`,
    { allow: "DELETE" },
  );

  await at.admin.delete(`/wires/${wire.id}`);
  await refusal(at.admin.delete(`/wires/${wire.id}`), "not_found", `wire ${wire.id}: not found`);
  await at.admin.delete(`/agents/${worker.id}`);
  expect(await at.admin.get<unknown>(`/workspaces/${lab.id}/wires`)).toEqual([]);
  await refusal(at.admin.patch(`/agents/${worker.id}`, {}), "not_found", `agent ${worker.id}: not found`);
});

test("creates exactly one of many concurrent wires", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const [boss, worker] = [await at.in(lab.id).orchestrator(), await at.in(lab.id).agent("worker")];
  const body = { from_agent_id: boss.id, to_agent_id: worker.id };

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => at.admin.raw("POST", `/workspaces/${lab.id}/wires`, { body })),
  );

  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  expect(await at.admin.get(`/workspaces/${lab.id}/wires`)).toHaveLength(1);
});

test("emits every change with its record, without gaps, and names the event to follow from", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const boss = await at.in(lab.id).orchestrator();
  const { event_id } = await at.in(lab.id).blueprint();
  await using live = await at.admin.events(`/workspaces/${lab.id}/events`);

  const worker = await at.in(lab.id).agent("worker");
  const wire = await at.in(lab.id).wire(boss.id, worker.id);
  const moved = await at.admin.patch(`/agents/${worker.id}`, { position: { x: 9, y: 9 } });
  await refusalOf(
    at.admin.post(`/workspaces/${lab.id}/agents`, { name: "worker", role: "", model_id: at.bossId }),
  );
  await at.admin.delete(`/agents/${worker.id}`);

  const expected = [
    ["agent.created", { agent: worker }],
    ["wire.created", { wire }],
    ["agent.updated", { agent: moved }],
    ["wire.removed", { wire_id: wire.id }],
    ["agent.removed", { agent_id: worker.id }],
  ];
  await using replayed = await at.admin.events(`/workspaces/${lab.id}/events?after=${event_id!}`);
  for (const stream of [live, replayed]) {
    await stream.until((event) => event.type === "agent.removed");
    expect(stream.seen.map((event) => [event.type, event.data.data])).toEqual(expected);
    expect(stream.seen.map((event) => event.id)).toEqual([1, 2, 3, 4, 5].map((step) => event_id! + step));
    expect(stream.seen.every((event) => event.data.turn_id === null)).toBe(true);
  }
});

test("keeps the blueprint that a turn began with, with positions, after agents and wires are removed", async () => {
  await using lab = await world({ model: true });
  const helper = await lab.addWorker("helper");
  await lab.admin.patch(`/agents/${helper}`, { position: { x: 11, y: 22 } });
  const path = `${lab.own}/blueprint` as const;
  const began = await lab.admin.get(path);
  const held = gate();
  lab.model.script("boss", [[held, say("One.")], say("Two.")]);
  const first = lab.chat("First.");
  await held.reached;
  await lab.admin.patch(`/agents/${helper}`, { position: { x: 0, y: 300 }, role: "Changed." });
  held.open();
  const { turn } = await first;
  await lab.admin.delete(`/agents/${helper}`);
  const second = (await lab.chat("Second.")).turn;

  expect(await lab.admin.get(`${path}?at=${turn.id}`)).toEqual({
    ...began,
    turn_id: turn.id,
    event_id: null,
  });
  const later = await lab.admin.get(`${path}?at=${second.id}`);
  expect({ agents: later.agents.map((agent) => agent.name), wires: later.wires }).toEqual({
    agents: ["orchestrator"],
    wires: [],
  });
  await refusal(lab.admin.get(`${path}?at=999`), "not_found", "turn 999: not found");
});
