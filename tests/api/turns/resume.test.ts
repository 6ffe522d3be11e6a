// Goal: an unfinished turn resumes from its record: finished work is not repeated, partial answers are requested again, and only if the
// conversation has not continued.

import { describe, expect, test } from "bun:test";
import { call, gate, hang, httpError, say } from "../../kit/model/index.ts";
import { protocols, QUICK, type World, world } from "../../kit/service/world.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { refusal } from "../../kit/http/refusal.ts";

const resume = (lab: World, turn: Turn) => lab.admin.post(`/turns/${turn.id}/resume`);

describe.each(protocols)("%s", (protocol) => {
  test("resumes after a restart in mid-stream", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [[say("Half a"), hang()], say("Whole.")]);
    const turn = await lab.begin("go");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until((event) => event.type === "delta" || event.type === "partial");
    await lab.restart();
    expect(await lab.admin.get(`/turns/${turn.id}`)).toMatchObject({ status: "interrupted", error: null });
    expect((await lab.conversation())[1]).toStartWith("agent (partial): Half");
    expect(await resume(lab, turn)).toMatchObject({ id: turn.id, status: "running" });
    expect(await lab.end(turn)).toMatchObject({ status: "done" });
    const kept = (await lab.entries()).filter((entry) => !entry.forgotten).map((entry) => entry.text);
    expect(kept).toEqual(["go", "Whole."]);
    expect(lab.model.requests.map((request) => request.messages.map((message) => message.text))).toEqual([
      ["go"],
      ["go"],
    ]);
    expect(lab.model.problems).toEqual([]);
  });

  test("resumes workers after a restart in parallel delegations, without repeating finished ones", async () => {
    await using lab = await world({ protocol });
    for (const name of ["ann", "bob", "eve"]) await lab.addWorker(name);
    const bob = (await lab.admin.get(`${lab.own}/agents`)).find((each) => each.name === "bob")!;
    const delegate = (agent: string) => call("delegate", { agent, task: `task of ${agent}` });
    await lab.admin.post(`${lab.own}/wires`, { from_agent_id: bob.id, to_agent_id: lab.orchestratorId + 3 });
    lab.model.script("boss", [[delegate("ann"), delegate("bob")], say("done")]);
    lab.model.script("ann", [say("ann's")]);
    lab.model.script("bob", [delegate("eve"), say("bob's")]);
    lab.model.script("eve", [hang(), say("eve's")]);
    const turn = await lab.begin("go");
    await lab.model.waitFor((request) => request.model === "eve");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until((event) => event.type === "tool.result");
    await lab.restart();
    await lab.admin.delete(`/agents/${bob.id}`);
    await resume(lab, turn);
    expect(await lab.end(turn)).toMatchObject({ status: "done", error: null });
    expect(lab.model.requests.map((request) => request.model).toSorted()).toEqual([
      "ann",
      "bob",
      "bob",
      "boss",
      "boss",
      "eve",
      "eve",
    ]);
    expect(lab.model.resultsOf("boss", 1)).toEqual(["ann's", "bob's"]);
    const tasks = (await lab.entries()).filter((entry) => entry.kind === "task").map((entry) => entry.text);
    expect(tasks.toSorted()).toEqual(["task of ann", "task of bob", "task of eve"]);
    expect(lab.model.problems).toEqual([]);
  });

  test("resumes in the failed round after a provider failure", async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [call("agent_list"), httpError(401, "bad key"), say("done")]);
    const { turn } = await lab.chat("go");
    expect(turn).toMatchObject({ status: "failed", error: "the provider answered 401: bad key" });
    await resume(lab, turn);
    expect(await lab.end(turn)).toMatchObject({ status: "done", error: null });
    expect((await lab.entries()).map((entry) => entry.kind)).toEqual(["person", "agent", "tool", "agent"]);
    await lab.expectNextTurnWorks();
  });

  test("tells the model of the cancellation when resuming after a cancel in a delegation", async () => {
    await using lab = await world({ protocol });
    await lab.addWorker("ann");
    lab.model.script("boss", [
      [say("I ask."), call("delegate", { agent: "ann", task: "x" })],
      say("then not"),
    ]);
    lab.model.script("ann", [hang()]);
    const turn = await lab.begin("go");
    await lab.model.waitFor((request) => request.model === "ann");
    await lab.admin.post(`/turns/${turn.id}/cancel`);
    await resume(lab, turn);
    expect(await lab.end(turn)).toMatchObject({ status: "done" });
    expect(lab.model.resultsOf("boss", 1)).toEqual(["Cancelled by a person before it was done."]);
    expect(lab.model.problems).toEqual([]);
  });

  test("runs the next turn after an interrupted one that is not resumed", async () => {
    await using lab = await world({ protocol });
    await lab.addWorker("ann");
    lab.model.script("boss", [
      [call("delegate", { agent: "ann", task: "x" }), call("delegate", { agent: "ann", task: "y" })],
      say("fine"),
    ]);
    lab.model.script("ann", [hang(), hang()]);
    await lab.begin("go");
    await lab.model.waitFor(() => lab.model.requestsOf("ann").length === 2);
    await lab.restart();
    const next = await lab.begin("and now?");
    expect(await lab.end(next)).toMatchObject({ status: "done" });
    expect(lab.model.resultsOf("boss", 1)).toEqual(
      Array(2).fill("Interrupted: it is not known whether this call took effect."),
    );
    const closed = (await lab.entries()).filter((entry) => entry.tool === "delegate");
    expect(closed.map((entry) => `${entry.outcome} ${entry.duration_ms}`)).toEqual(
      Array(2).fill("unknown null"),
    );
    const { tools } = await lab.admin.get("/turns/1/steps");
    expect(tools.map((tool) => `${tool.state} ${typeof tool.started_at} ${tool.finished_at}`)).toEqual(
      Array(2).fill("done string null"),
    );
    expect(lab.model.problems).toEqual([]);
  });
});

test("keeps queued turns across a restart and starts them", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [hang(), say("second")]);
  const first = await lab.begin("1");
  const second = await lab.begin("2", { queue: true });
  await lab.restart();
  expect(await lab.end(second)).toMatchObject({ status: "done" });
  expect(await lab.admin.get(`/turns/${first.id}`)).toMatchObject({ status: "interrupted" });
  await refusal(
    lab.admin.post(`/turns/${first.id}/resume`),
    "conflict",
    "the conversation has continued since this turn, so it can no longer be resumed",
  );
});

test("refuses a resume if there is nothing to resume, or another turn runs", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("ok"), hang(), hang(), say("x")]);
  const { turn } = await lab.chat("go");
  const done = ["conflict", "a finished turn cannot be resumed"] as const;
  await refusal(lab.admin.post(`/turns/${turn.id}/resume`), ...done);
  const second = await lab.begin("2");
  const running = ["turn_running", "a turn is running in this workspace"] as const;
  await refusal(lab.admin.post(`/turns/${second.id}/resume`), ...running);
  await lab.model.waitFor(2);
  await lab.admin.post(`/turns/${second.id}/cancel`);
  const answers = await Promise.all([
    lab.admin.raw("POST", `/turns/${second.id}/resume`),
    lab.admin.raw("POST", `${lab.own}/chat`, { body: { text: "3" } }),
    lab.admin.raw("POST", `/turns/${second.id}/resume`),
  ]);
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([202, 409, 409]);
  await lab.model.waitFor(3);
  expect(lab.model.requests).toHaveLength(3);
});

test("counts rounds across resumes", async () => {
  await using lab = await world({ model: true, times: QUICK });
  const held = gate();
  let calls = 0;
  lab.model.on("boss", (request) => {
    if (request.toolChoice === "none") return say("stopped");
    calls += 1;
    return calls === 10 ? httpError(400, "hiccup") : call("agent_list");
  });
  const { turn } = await lab.chat("go");
  expect(turn.status).toBe("failed");
  held.open();
  await resume(lab, turn);
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
  expect(lab.model.requests).toHaveLength(18);
});

test("leaves only queued turns open when a stop races the start of turns, and starts those later", async () => {
  await using lab = await world({ model: true });
  lab.model.on("boss", say("ok"));
  const path = `${lab.own}/chat`;
  const chats = Array.from({ length: 6 }, (_, n) =>
    lab.admin.raw("POST", path, { body: { text: `chat ${n}`, queue: true } }).catch(() => undefined),
  );
  await chats[0];
  await Promise.all([lab.restart(), ...chats]);
  const turns = await lab.admin.get(`${lab.own}/turns`);
  expect(turns.length).toBeGreaterThan(0);
  for (const { id } of turns) expect(["done", "interrupted"]).toContain((await lab.end({ id })).status);
  const next = await lab.begin("and now?");
  expect(await lab.end(next)).toMatchObject({ status: "done" });
  expect(lab.model.problems).toEqual([]);
});
