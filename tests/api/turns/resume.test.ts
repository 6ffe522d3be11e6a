// Goal: a turn that did not come to its end goes on from its record: done work is not done again, half-said words are said anew, and only
// while nothing was said since.

import { describe, expect, test } from "bun:test";
import { call, gate, hang, httpError, say } from "../../kit/model/index.ts";
import { createClient } from "../../kit/client.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { testService } from "../../kit/service.ts";
import { begin, conversationOf, end, entriesOf, expectNextTurnWorks, QUICK } from "../../kit/turns.ts";
import { protocols, workplace, type TurnView, type Workplace } from "../../kit/workplace.ts";
import { refusal } from "../../kit/refusal.ts";

const resume = (lab: Workplace, turn: TurnView) => lab.admin.post(`/turns/${turn.id}/resume`);

/** Stops the service in mid-turn and starts it again on the same data. */
async function restarted(lab: Workplace, data: string): Promise<Workplace & AsyncDisposable> {
  await lab.at.service.stop("test");
  const at = await testService({ data, times: QUICK });
  return {
    ...lab,
    at,
    admin: createClient(at.url),
    chat: lab.chat,
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

describe.each(protocols)("%s", (protocol) => {
  test("after a restart in mid-stream", async () => {
    await using folder = await temporaryFolder();
    await using lab = await workplace(protocol, { data: folder.path });
    lab.model.script("boss", [[say("Half a"), hang()], say("Whole.")]);
    const turn = await begin(lab, "go");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until((event) => event.type === "delta" || event.type === "partial");
    await using again = await restarted(lab, folder.path);
    expect(await again.admin.get(`/turns/${turn.id}`)).toMatchObject({ status: "interrupted", error: null });
    expect((await conversationOf(again))[1]).toStartWith("agent (partial): Half");
    expect(await resume(again, turn)).toMatchObject({ id: turn.id, status: "running" });
    expect(await end(again.admin, turn.id)).toMatchObject({ status: "done" });
    const kept = (await entriesOf(again)).filter((entry) => !entry.forgotten).map((entry) => entry.text);
    expect(kept).toEqual(["go", "Whole."]);
    expect(lab.model.requests.map((request) => request.messages.map((message) => message.text))).toEqual([
      ["go"],
      ["go"],
    ]);
    expect(lab.model.problems).toEqual([]);
  });

  test("after a restart in parallel delegations: workers go on, finished ones are not asked again", async () => {
    await using folder = await temporaryFolder();
    await using lab = await workplace(protocol, { data: folder.path });
    for (const name of ["ann", "bob", "eve"]) await lab.addWorker(name);
    const bob = (await lab.admin.get(`/workspaces/${lab.workspaceId}/agents`)).find(
      (each) => each.name === "bob",
    )!;
    const delegate = (agent: string) => call("delegate", { agent, task: `task of ${agent}` });
    await lab.admin.post(`/workspaces/${lab.workspaceId}/wires`, {
      from_agent_id: bob.id,
      to_agent_id: lab.orchestratorId + 3,
    });
    lab.model.script("boss", [[delegate("ann"), delegate("bob")], say("done")]);
    lab.model.script("ann", [say("ann's")]);
    lab.model.script("bob", [delegate("eve"), say("bob's")]);
    lab.model.script("eve", [hang(), say("eve's")]);
    const turn = await begin(lab, "go");
    await lab.model.waitFor((request) => request.model === "eve");
    await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
    await viewer.until((event) => event.type === "tool.result");
    await using again = await restarted(lab, folder.path);
    await again.admin.delete(`/agents/${bob.id}`);
    await resume(again, turn);
    expect(await end(again.admin, turn.id)).toMatchObject({ status: "done", error: null });
    expect(lab.model.requests.map((request) => request.model).toSorted()).toEqual([
      "ann",
      "bob",
      "bob",
      "boss",
      "boss",
      "eve",
      "eve",
    ]);
    const results = lab.model
      .requestsOf("boss")[1]!
      .messages.at(-1)!
      .results.map((result) => result.text);
    expect(results).toEqual(["ann's", "bob's"]);
    const tasks = (await entriesOf(again))
      .filter((entry) => entry.kind === "task")
      .map((entry) => entry.text);
    expect(tasks.toSorted()).toEqual(["task of ann", "task of bob", "task of eve"]);
    expect(lab.model.problems).toEqual([]);
  });

  test("after a failed provider: goes on in the round that failed", async () => {
    await using lab = await workplace(protocol, { times: QUICK });
    lab.model.script("boss", [call("agent_list"), httpError(401, "bad key"), say("done")]);
    const { turn } = await lab.chat("go");
    expect(turn).toMatchObject({ status: "failed", error: "the provider answered 401: bad key" });
    await resume(lab, turn);
    expect(await end(lab.admin, turn.id)).toMatchObject({ status: "done", error: null });
    expect((await entriesOf(lab)).map((entry) => entry.kind)).toEqual(["person", "agent", "tool", "agent"]);
    await expectNextTurnWorks(lab);
  });

  test("after a cancel in a delegation: the model learns that it was cancelled", async () => {
    await using lab = await workplace(protocol);
    await lab.addWorker("ann");
    lab.model.script("boss", [
      [say("I ask."), call("delegate", { agent: "ann", task: "x" })],
      say("then not"),
    ]);
    lab.model.script("ann", [hang()]);
    const turn = await begin(lab, "go");
    await lab.model.waitFor((request) => request.model === "ann");
    await lab.admin.post(`/turns/${turn.id}/cancel`);
    await resume(lab, turn);
    expect(await end(lab.admin, turn.id)).toMatchObject({ status: "done" });
    expect(
      lab.model
        .requestsOf("boss")[1]!
        .messages.at(-1)!
        .results.map((result) => result.text),
    ).toEqual(["Cancelled by a person before it was done."]);
    expect(lab.model.problems).toEqual([]);
  });

  test("an interrupted turn that nobody resumes does not spoil the next", async () => {
    await using folder = await temporaryFolder();
    await using lab = await workplace(protocol, { data: folder.path });
    await lab.addWorker("ann");
    lab.model.script("boss", [
      [call("delegate", { agent: "ann", task: "x" }), call("delegate", { agent: "ann", task: "y" })],
      say("fine"),
    ]);
    lab.model.script("ann", [hang(), hang()]);
    await begin(lab, "go");
    await lab.model.waitFor(() => lab.model.requestsOf("ann").length === 2);
    await using again = await restarted(lab, folder.path);
    const next = await begin(again, "and now?");
    expect(await end(again.admin, next.id)).toMatchObject({ status: "done" });
    const results = lab.model
      .requestsOf("boss")[1]!
      .messages.at(-1)!
      .results.map((result) => result.text);
    expect(results).toEqual(Array(2).fill("Interrupted: whether this call took effect is not known."));
    const closed = (await entriesOf(again)).filter((entry) => entry.tool === "delegate");
    expect(closed.map((entry) => `${entry.outcome} ${entry.duration_ms}`)).toEqual(
      Array(2).fill("unknown null"),
    );
    const { tools } = await again.admin.get("/turns/1/steps");
    expect(tools.map((tool) => `${tool.state} ${typeof tool.started_at} ${tool.finished_at}`)).toEqual(
      Array(2).fill("done string null"),
    );
    expect(lab.model.problems).toEqual([]);
  });
});

test("queued turns outlive the service and begin by themselves", async () => {
  await using folder = await temporaryFolder();
  await using lab = await workplace("anthropic", { data: folder.path });
  lab.model.script("boss", [hang(), say("second")]);
  const first = await begin(lab, "1");
  const second = await begin(lab, "2", { queue: true });
  await using again = await restarted(lab, folder.path);
  expect(await end(again.admin, second.id)).toMatchObject({ status: "done" });
  expect(await again.admin.get(`/turns/${first.id}`)).toMatchObject({ status: "interrupted" });
  const refused = await again.admin.refused("POST", `/turns/${first.id}/resume`);
  expect(refused).toEqual({
    status: 409,
    code: "conflict",
    message: "the conversation went on after this turn: it can't be resumed any more",
  });
});

test("a resume is refused when there is nothing to resume, or something else runs", async () => {
  await using lab = await workplace();
  lab.model.script("boss", [say("ok"), hang(), hang(), say("x")]);
  const { turn } = await lab.chat("go");
  const done = ["conflict", "the turn is done: it can't be resumed"] as const;
  await refusal(lab.admin.post(`/turns/${turn.id}/resume`), ...done);
  const second = await begin(lab, "2");
  const running = ["turn_running", "a turn is running in this workspace"] as const;
  await refusal(lab.admin.post(`/turns/${second.id}/resume`), ...running);
  await lab.model.waitFor(2);
  await lab.admin.post(`/turns/${second.id}/cancel`);
  const answers = await Promise.all([
    lab.admin.raw("POST", `/turns/${second.id}/resume`),
    lab.admin.raw("POST", `/workspaces/${lab.workspaceId}/chat`, { body: { text: "3" } }),
    lab.admin.raw("POST", `/turns/${second.id}/resume`),
  ]);
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([202, 409, 409]);
  await lab.model.waitFor(3);
  expect(lab.model.requests).toHaveLength(3);
});

test("rounds are counted over resumes", async () => {
  await using lab = await workplace("anthropic", { times: QUICK });
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
  expect(await end(lab.admin, turn.id)).toMatchObject({ status: "done" });
  expect(lab.model.requests).toHaveLength(18);
});

test("a stop that meets the beginning of turns leaves none open but those in line, which begin", async () => {
  await using folder = await temporaryFolder();
  await using lab = await workplace("anthropic", { data: folder.path });
  lab.model.on("boss", say("ok"));
  const path = `/workspaces/${lab.workspaceId}/chat`;
  const chats = Array.from({ length: 6 }, (_, n) =>
    lab.admin.raw("POST", path, { body: { text: `chat ${n}`, queue: true } }).catch(() => undefined),
  );
  await chats[0];
  const [again] = await Promise.all([restarted(lab, folder.path), ...chats]);
  await using _ = again;
  const turns = await again.admin.get(`/workspaces/${lab.workspaceId}/turns`);
  expect(turns.length).toBeGreaterThan(0);
  for (const { id } of turns) expect(["done", "interrupted"]).toContain((await end(again.admin, id)).status);
  const next = await begin(again, "and now?");
  expect(await end(again.admin, next.id)).toMatchObject({ status: "done" });
  expect(lab.model.problems).toEqual([]);
});
