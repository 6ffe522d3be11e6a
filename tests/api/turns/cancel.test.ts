// Goal: cancelling ends a turn at any point, keeps its results, and leaves a conversation that both protocols accept.

import { describe, expect, test } from "bun:test";
import { call, gate, hang, say, think, usage } from "../../kit/model/index.ts";
import { protocols, type World, world } from "../../kit/service/world.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { refusal } from "../../kit/http/refusal.ts";

const cancel = (lab: World, turn: Turn) => lab.admin.post(`/turns/${turn.id}/cancel`);

describe.each(protocols)("%s", (protocol) => {
  test("keeps and marks the text of an answer cancelled in mid-stream, but no incomplete call", async () => {
    await using lab = await world({ protocol });
    const held = gate();
    const reported = usage({ input: 250, output: 40 });
    lab.model.script("boss", [[think("hm"), say("Half an"), call("agent_list"), reported, held]]);
    const turn = await lab.begin("go");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until(
      (event) => ["delta", "partial"].includes(event.type) && event.data.data.text.includes("an"),
    );
    expect(await cancel(lab, turn)).toMatchObject({ id: turn.id, status: "cancelled", error: null });
    expect((await viewer.all()).at(-1)).toMatchObject({
      type: "turn.finished",
      data: { data: { status: "cancelled", turn: { status: "cancelled", error: null } } },
    });
    expect(await lab.conversation()).toEqual(["person: go", "agent (partial): Half an"]);
    expect((await lab.entries()).at(-1)!.calls).toEqual([]);
    // This protocol reports the input at the beginning of an answer, the other one all tokens at its end.
    const isReported = protocol === "anthropic";
    expect(await lab.calls(turn.id)).toMatchObject([
      { status: "cancelled", error: null, input_tokens: isReported ? 250 : null, output_tokens: null },
    ]);
    await lab.model.waitFor((request) => request.state === "aborted");
    const wanted = ["conflict", "the turn is cancelled; there is nothing to cancel"] as const;
    await refusal(lab.admin.post(`/turns/${turn.id}/cancel`), ...wanted);
    await lab.expectNextTurnWorks();
    expect(lab.model.requests[1]!.messages.map((message) => message.text)).toEqual([
      "go",
      "Half an",
      "and now?",
    ]);
  });

  test("keeps nothing if cancelled before the first text", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [hang()]);
    const turn = await lab.begin("go");
    await lab.model.waitFor(1);
    expect(await cancel(lab, turn)).toMatchObject({ status: "cancelled" });
    expect(await lab.conversation()).toEqual(["person: go"]);
    await lab.expectNextTurnWorks();
  });

  test("gives every parallel delegation a result on cancel, and keeps finished work", async () => {
    await using lab = await world({ protocol });
    for (const name of ["ann", "bob", "eve"]) await lab.addWorker(name);
    const delegate = (agent: string) => call("delegate", { agent, task: "work" });
    lab.model.script("boss", [[delegate("ann"), delegate("bob"), delegate("eve")]]);
    lab.model.script("ann", [say("finished")]);
    lab.model.script("bob", [[say("half"), hang()]]);
    lab.model.script("eve", [hang()]);
    const turn = await lab.begin("go");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until((event) => event.type === "tool.result");
    await lab.model.waitFor(() => lab.model.requests.length === 4);
    expect(await cancel(lab, turn)).toMatchObject({ status: "cancelled" });
    const results = (await lab.entries()).filter((entry) => entry.thread === 0 && entry.kind === "tool");
    expect(results.map((entry) => [entry.outcome, entry.text]).toSorted()).toEqual([
      ["cancelled", "Cancelled by a person before it was done."],
      ["cancelled", "Cancelled by a person before it was done."],
      ["ok", "finished"],
    ]);
    await lab.expectNextTurnWorks();
  });

  test("ends a turn once that waits in two places", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [hang()]);
    const turn = await lab.begin("go");
    await lab.model.waitFor(1);
    const path = `/turns/${turn.id}/cancel`;
    const answers = await Promise.all([1, 2, 3].map(() => lab.admin.raw("POST", path)));
    expect(answers.every((answer) => [200, 409].includes(answer.status))).toBe(true);
    expect(answers.some((answer) => answer.status === 200)).toBe(true);
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    expect((await viewer.all()).filter((event) => event.type === "turn.finished")).toHaveLength(1);
    await lab.expectNextTurnWorks();
  });
});

test("does not execute requested calls when cancelled between rounds", async () => {
  await using lab = await world({ model: true });
  await lab.addModel("worker");
  await lab.addWorker("ann");
  const held = gate();
  const create = call("agent_create", { name: "late", role: "r", model: "worker" });
  lab.model.script("boss", [
    [...Array.from({ length: 8 }, () => call("delegate", { agent: "ann", task: "x" })), create],
  ]);
  lab.model.on("ann", [held, say("ok")]);
  const turn = await lab.begin("go");
  await lab.model.waitFor(() => lab.model.requestsOf("ann").length === 8);
  expect(await cancel(lab, turn)).toMatchObject({ status: "cancelled" });
  const agents = await lab.admin.get(`${lab.own}/agents`);
  expect(agents.map((agent) => agent.name)).toEqual(["orchestrator", "ann"]);
  expect(
    (await lab.entries()).filter((entry) => entry.kind === "tool").map((entry) => entry.outcome),
  ).toEqual(Array(9).fill("cancelled"));
  await lab.expectNextTurnWorks();
});

test("reports the truth when a cancel races the end of a turn", async () => {
  await using lab = await world({ model: true });
  lab.model.on("boss", say("ok"));
  for (let n = 0; n < 20; n++) {
    const turn = await lab.begin(`go ${n}`);
    const answer = await lab.admin.raw("POST", `/turns/${turn.id}/cancel`);
    const after = await lab.end(turn);
    if (answer.status === 200) expect((await answer.json()).status).toBe(after.status);
    else expect([answer.status, after.status]).toEqual([409, "done"]);
    expect(["done", "cancelled"]).toContain(after.status);
  }
  expect(lab.model.problems).toEqual([]);
});

test("never leaves a turn running when a cancel races the start of a queued one", async () => {
  await using lab = await world({ model: true });
  lab.model.on("boss", say("ok"));
  for (let n = 0; n < 20; n++) {
    await lab.begin(`first ${n}`);
    const second = await lab.begin(`second ${n}`, { queue: true });
    const answer = await lab.admin.raw("POST", `/turns/${second.id}/cancel`);
    expect([200, 409]).toContain(answer.status);
    const after = await lab.end(second);
    if (answer.status === 200) expect((await answer.json()).status).toBe(after.status);
    const turns = await lab.admin.get(`${lab.own}/turns`);
    await lab.end(turns.at(-2)!);
  }
  await lab.expectNextTurnWorks();
});
