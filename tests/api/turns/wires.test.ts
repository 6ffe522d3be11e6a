// Goal: a wire that a turn has seen permits delegation, and every limit of delegation ends with an answer, never a hang.

import { describe, expect, test } from "bun:test";
import { ROLE_CHARACTERS_MAX } from "../../../src/service/blueprint/schema.ts";
import { call, gate, httpError, say, type ReplyFunction, type ModelRequest } from "../../kit/model/index.ts";
import { protocols, QUICK, type World, world } from "../../kit/service/world.ts";
import { WORKER_TOOLS } from "../../kit/service/agent-tools.ts";

const toolsOf = (request: ModelRequest) => request.tools.map((tool) => tool.name);
const delegate = (agent: string, task = "work") => call("delegate", { agent, task });
const resultsIn = (request: ModelRequest) => request.messages.at(-1)!.results.map((result) => result.text);

const NO_DELEGATE = `There is no tool "delegate". You have no wire to an agent that you could delegate to. You have: ${WORKER_TOOLS.join(", ")}.`;

async function wire(lab: World, from: number, to: number): Promise<number> {
  const made = await lab.admin.post(`${lab.own}/wires`, { from_agent_id: from, to_agent_id: to });
  return made.id;
}

test("honours a wire deleted during a turn until its end, but not in the next", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.addWorker("ann");
  const held = gate();
  lab.model.script("boss", [
    [held, call("agent_list")],
    delegate("ann"),
    say("done"),
    delegate("ann"),
    say("no ann"),
  ]);
  lab.model.script("ann", [say("worked")]);
  const turn = await lab.begin("go");
  await held.reached;
  const [made] = await lab.admin.get(`${lab.own}/wires`);
  expect(made!.to_agent_id).toBe(ann);
  await lab.admin.delete(`/wires/${made!.id}`);
  held.open();
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
  expect(lab.model.requestsOf("boss").map((request) => toolsOf(request).includes("delegate"))).toEqual([
    true,
    true,
    true,
  ]);
  expect(lab.model.resultsOf("boss", 2)).toEqual(["worked"]);
  await lab.chat("again");
  expect(
    lab.model
      .requestsOf("boss")
      .slice(3)
      .map((request) => toolsOf(request).includes("delegate")),
  ).toEqual([false, false]);
  expect(lab.model.resultsOf("boss", 4)[0]).toStartWith(
    'There is no tool "delegate". You have no wire to an agent',
  );
  expect(lab.model.problems).toEqual([]);
});

test.each(protocols)(
  "%s: keeps a worker's calls valid after a wire is created and removed in one turn",
  async (protocol) => {
    await using lab = await world({ protocol });
    const [ann, bob] = [await lab.addWorker("ann"), await lab.addWorker("bob")];
    const held = gate();
    lab.model.script("boss", [call("wire_create", { from: "ann", to: "bob" }), delegate("ann"), say("done")]);
    lab.model.script("ann", [delegate("bob"), [held, delegate("bob")], say("ann is done")]);
    lab.model.script("bob", [say("one"), say("two")]);
    const turn = await lab.begin("go");
    await held.reached;
    const wires = await lab.admin.get(`${lab.own}/wires`);
    await lab.admin.delete(
      `/wires/${wires.find((each) => each.from_agent_id === ann && each.to_agent_id === bob)!.id}`,
    );
    await lab.admin.delete(`/agents/${bob}`);
    held.open();
    expect(await lab.end(turn)).toMatchObject({ status: "done", error: null });
    const last = lab.model.requestsOf("ann")[2]!;
    expect([toolsOf(last), resultsIn(last)]).toEqual([WORKER_TOOLS, [NO_DELEGATE]]);
    expect(lab.model.problems).toEqual([]);
  },
);

test("lets an answer use the agents that it creates", async () => {
  await using lab = await world({ model: true });
  await lab.addModel("worker");
  const create = call("agent_create", { name: "eve", role: "You help.", model: "worker" });
  lab.model.script("boss", [[delegate("eve"), create, delegate("eve")], say("done")]);
  lab.model.script("worker", [say("worked")]);
  const { turn } = await lab.chat("go");
  expect(turn.status).toBe("done");
  expect(lab.model.resultsOf("boss", 1)).toEqual([
    expect.stringContaining('There is no tool "delegate"'),
    'Created agent "eve" and wired you to it. You can delegate to it now.',
    "worked",
  ]);
});

test("refuses a role that is longer than the routes accept", async () => {
  await using lab = await world({ model: true });
  const worker = (role: string) => call("agent_create", { name: "eve", role, model: "boss" });
  const role = "r".repeat(ROLE_CHARACTERS_MAX + 1);
  const update = call("agent_update", { agent: "eve", role });
  lab.model.script("boss", [[worker(role), worker("You help."), update], say("done")]);
  await lab.chat("go");
  const problem = "role: at most 100000 characters. Nothing was done.";
  const created = 'Created agent "eve" and wired you to it. You can delegate to it now.';
  expect(lab.model.resultsOf("boss", 1)).toEqual([problem, created, problem]);
});

test("refuses a model's name that fits several, and takes each by the label that it lists", async () => {
  await using lab = await world({ model: true });
  const elsewhere = { name: "Elsewhere", type: "anthropic", base_url: "http://127.0.0.1:9" } as const;
  const { id } = await lab.admin.post("/providers", elsewhere);
  const first = await lab.addModel("worker");
  const second = (await lab.admin.post("/models", { provider_id: id, model_name: "worker" })).id;
  const { provider_name: here } = (await lab.admin.get("/models")).find((model) => model.id === first)!;
  const create = (name: string, model: string) => call("agent_create", { name, role: "r", model });
  lab.model.script("boss", [
    [
      create("eve", "Worker"),
      create("eve", "worker (Elsewhere)"),
      create("fay", `worker (${here})`),
      call("model_list"),
      call("agent_list"),
    ],
    say("done"),
  ]);
  await lab.chat("go");
  const [refused, ...others] = lab.model.resultsOf("boss", 1);
  const [models, agents] = others.slice(2).map((text) => JSON.parse(text) as Record<string, string>[]);
  expect(refused).toBe(
    `model: 2 models are called "Worker"; choose one by its label or id: worker (${here}) (id ${first}); worker (Elsewhere) (id ${second}). Nothing was done.`,
  );
  expect(models!.map(({ label }) => label)).toContain("worker (Elsewhere)");
  expect(agents!.map(({ name, model }) => [name, model])).toEqual([
    ["orchestrator", "boss"],
    ["eve", "worker (Elsewhere)"],
    ["fay", `worker (${here})`],
  ]);
});

test("never delegates back up the chain of callers", async () => {
  await using lab = await world({ model: true });
  const [ann, bob] = [await lab.addWorker("ann"), await lab.addWorker("bob")];
  await wire(lab, ann, bob);
  await wire(lab, bob, ann);
  await wire(lab, ann, lab.orchestratorId);
  lab.model.script("boss", [delegate("ann"), say("done")]);
  lab.model.script("ann", [[delegate("bob"), delegate("orchestrator")], say("ann is done")]);
  lab.model.script("bob", [delegate("ann"), say("bob is done")]);
  const { turn } = await lab.chat("go");
  expect(turn.status).toBe("done");
  const offered = (name: string) =>
    lab.model.requestsOf(name)[0]!.tools.map((tool) => JSON.stringify(tool.schema));
  expect(offered("ann")[0]).toContain('"bob"');
  expect(offered("ann")[0]).not.toContain("orchestrator");
  expect(lab.model.resultsOf("ann", 1)).toEqual([
    "bob is done",
    "The arguments are not valid: agent: expected bob. Nothing was done; correct them and call again.",
  ]);
  expect(toolsOf(lab.model.requestsOf("ann")[0]!)).toEqual(["delegate", ...WORKER_TOOLS]);
  expect(toolsOf(lab.model.requestsOf("bob")[0]!)).toEqual(WORKER_TOOLS);
  expect(lab.model.resultsOf("bob", 1)).toEqual([NO_DELEGATE]);
});

test("delegates at most four agents deep", async () => {
  await using lab = await world({ model: true });
  const names = ["a1", "a2", "a3", "a4", "a5"];
  const ids: number[] = [];
  for (const name of names) ids.push(await lab.addWorker(name));
  for (let n = 0; n < 4; n++) await wire(lab, ids[n]!, ids[n + 1]!);
  const down: ReplyFunction = (request) => {
    const next = names[names.indexOf(request.model) + 1] ?? "a1";
    return request.messages.length === 1 ? delegate(next) : say(`${request.model}: ${resultsIn(request)[0]}`);
  };
  for (const name of ["boss", ...names]) lab.model.on(name, down);
  const { turn } = await lab.chat("go");
  expect(turn.status).toBe("done");
  const said = (await lab.entries())
    .filter((entry) => entry.kind === "agent" && entry.calls.length === 0)
    .map((entry) => entry.text);
  expect(said.at(-1)).toBe(`boss: a1: a2: a3: a4: ${NO_DELEGATE}`);
  expect(lab.model.requestsOf("a5")).toEqual([]);
  expect(lab.model.problems).toEqual([]);
});

describe.each(protocols)("%s", (protocol) => {
  test("stops an agent after 16 rounds of tool calls, and asks for a last answer", async () => {
    await using lab = await world({ protocol });
    lab.model.on("boss", (request) =>
      request.toolChoice === "none" ? say("I was stopped.") : call("agent_list"),
    );
    const { turn, events } = await lab.chat("go");
    expect(turn).toMatchObject({ status: "done", error: null });
    expect(lab.model.requests).toHaveLength(17);
    const last = lab.model.requests.at(-1)!;
    expect(last.messages.at(-1)!.text).toBe(
      "Stop here: the limit of 16 model rounds is reached. You can no longer call tools. Answer now with what you have, and say what is left undone.",
    );
    const limits = events
      .filter((event) => event.data.data?.limit !== undefined)
      .map((event) => event.data.data.limit);
    expect(limits).toEqual(["the limit of 16 model rounds is reached"]);
    expect(lab.model.problems).toEqual([]);
    lab.model.on("boss", say("fine again"));
    expect((await lab.chat("and now?")).turn.status).toBe("done");
    expect(lab.model.problems).toEqual([]);
  });

  test("drops tool calls of the last answer", async () => {
    await using lab = await world({ protocol });
    lab.model.on("boss", call("agent_list"));
    const { turn } = await lab.chat("go");
    expect(turn).toMatchObject({ status: "done", error: null });
    const last = (await lab.entries()).at(-1)!;
    expect([last.text, last.calls]).toEqual(["(Stopped: the limit of 16 model rounds is reached.)", []]);
    expect(lab.model.requests).toHaveLength(17);
    expect(lab.model.problems).toEqual([]);
  });

  test("runs eight delegations in parallel, and keeps the results in order", async () => {
    await using lab = await world({ protocol });
    await lab.addWorker("ann");
    const tasks = Array.from({ length: 12 }, (_, n) => `task ${n}`);
    lab.model.script("boss", [tasks.map((task) => delegate("ann", task)), say("done")]);
    const gates = new Map(tasks.map((task) => [task, gate()]));
    lab.model.on("ann", (request) => [
      gates.get(request.messages[0]!.text)!,
      say(`did ${request.messages[0]!.text}`),
    ]);
    const turn = await lab.begin("go");
    const asked = () => lab.model.requestsOf("ann").length;
    await lab.model.waitFor(() => asked() === 8);
    gates.get("task 7")!.open();
    await lab.model.waitFor(() => asked() === 9);
    for (const task of tasks.toReversed()) gates.get(task)!.open();
    expect(await lab.end(turn)).toMatchObject({ status: "done" });
    expect(lab.model.peak).toBe(8);
    expect(lab.model.resultsOf("boss", 1)).toEqual(tasks.map((task) => `did ${task}`));
    expect(lab.model.problems).toEqual([]);
  });

  test("answers calls beyond 64 per answer without executing them", async () => {
    await using lab = await world({ protocol });
    lab.model.script("boss", [Array.from({ length: 66 }, () => call("model_list")), say("done")]);
    const { turn } = await lab.chat("go");
    expect(turn.status).toBe("done");
    const refused = resultsIn(lab.model.requests[1]!)
      .slice(63)
      .map((text) => text.startsWith("Not done: an answer may contain at most 64"));
    expect(refused).toEqual([false, true, true]);
  });

  test("returns a worker's failure as its caller's tool result", async () => {
    await using lab = await world({ protocol, times: QUICK });
    await lab.addWorker("ann");
    lab.model.script("boss", [[delegate("ann"), call("model_list")], say("ann failed")]);
    lab.model.script("ann", [httpError(401, "bad key {key}")]);
    const { turn } = await lab.chat("go");
    expect(turn).toMatchObject({ status: "done", error: null });
    expect(lab.model.resultsOf("boss", 1)[0]).toBe(
      'Agent "ann" failed: the provider answered 401: bad key [api key]',
    );
    await lab.expectNextTurnWorks();
  });
});

test("finishes the run of an agent removed during a turn, and delegates no more to it", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.addWorker("ann");
  const held = gate();
  lab.model.script("boss", [delegate("ann"), delegate("ann"), say("done")]);
  lab.model.script("ann", [[held, say("still worked")]]);
  const turn = await lab.begin("go");
  await held.reached;
  await lab.admin.delete(`/agents/${ann}`);
  held.open();
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
  const results = lab.model
    .requestsOf("boss")
    .slice(1)
    .map((request) => resultsIn(request)[0]);
  expect(results[0]).toBe("still worked");
  expect(results[1]).toStartWith('There is no tool "delegate".');
  expect(lab.model.problems).toEqual([]);
});

test("lets a wired worker delegate in turn", async () => {
  await using lab = await world({ model: true });
  const [ann, bob] = [await lab.addWorker("ann"), await lab.addWorker("bob")];
  await wire(lab, ann, bob);
  lab.model.script("boss", [delegate("ann", "the whole"), say("done")]);
  lab.model.script("ann", [[say("I pass it on."), delegate("bob", "the half")], say("bob says yes")]);
  lab.model.script("bob", [say("yes")]);
  await lab.chat("go");
  const lines = (await lab.entries()).map((entry) => [entry.thread, entry.agent_id, entry.kind, entry.text]);
  expect(lines).toEqual([
    [0, lab.orchestratorId, "person", "go"],
    [0, lab.orchestratorId, "agent", ""],
    [2, ann, "task", "the whole"],
    [2, ann, "agent", "I pass it on."],
    [3, bob, "task", "the half"],
    [3, bob, "agent", "yes"],
    [2, ann, "tool", "yes"],
    [2, ann, "agent", "bob says yes"],
    [0, lab.orchestratorId, "tool", "bob says yes"],
    [0, lab.orchestratorId, "agent", "done"],
  ]);
});
