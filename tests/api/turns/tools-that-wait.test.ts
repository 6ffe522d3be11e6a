// Goal: a long-running tool shows its live output and its waiting, and taints its turn.

import { expect, test } from "bun:test";
import type { EventReader, StreamEvent } from "../../kit/http/client.ts";
import { approvedGear, isolatedSandbox } from "../../kit/service/gears.ts";
import { call, gate, hang, say } from "../../kit/model/index.ts";
import { searchable, searchLab, type SearchLab } from "../../kit/service/searching.ts";
import { world } from "../../kit/service/world.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { ORCHESTRATOR_TOOLS, WORKER_TOOLS } from "../../kit/service/agent-tools.ts";

const MIB = 1024 * 1024;
const EVENT_CHARACTERS_MAX = 32 * 1024;
const DURABLE = [
  "agent_create",
  "agent_remove",
  "agent_update",
  "file_write",
  "gear_forge",
  "gear_grant",
  "gear_revoke",
  "wire_create",
  "wire_remove",
];

const search = (query: string) => call("web_search", { query });
const delegate = (agent: string) => call("delegate", { agent, task: "look" });

test("stores live output up to 1 MiB in few pieces, before the result", async () => {
  const line = `${"x".repeat(999)}\n`;
  const lines = 2_000;
  const sandbox = isolatedSandbox(async ({ output }) => {
    const bytes = new TextEncoder().encode(line);
    output("stderr", new TextEncoder().encode("careful\n"));
    for (let n = 0; n < lines; n++) output("stdout", bytes);
    return { stdout: "done" };
  });
  await using lab = await world({ model: true, sandbox });
  const gear = await approvedGear(lab.admin);
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  lab.model.script("boss", [call("echo_args"), say("Done.")]);

  const { turn } = await lab.chat("go");

  expect(turn).toMatchObject({ status: "done", error: null });
  await using reader = await lab.admin.events(`/turns/${turn.id}/events`);
  const record = await reader.all();
  const asked = record.find((event) => event.type === "tool.call")!.data.data;
  const output = record.filter((event) => event.type === "tool.output").map((event) => event.data.data);
  const said = (stream: string) =>
    output
      .filter((each) => each.stream === stream)
      .map((each) => each.text)
      .join("");
  expect(said("stderr")).toBe("careful\n");
  expect(said("stdout") === line.repeat(lines).slice(0, MIB - "careful\n".length)).toBe(true);
  expect(output.filter((each) => each.text.length > EVENT_CHARACTERS_MAX)).toEqual([]);
  expect(output.length).toBeLessThanOrEqual(MIB / EVENT_CHARACTERS_MAX + 2);
  for (const { text: _, stream: __, ...about } of output) {
    expect(about).toEqual({
      run_id: asked.run_id,
      agent_id: lab.orchestratorId,
      call_id: asked.call_id,
      tool: "echo_args",
    });
  }
  const types = record.map((event) => event.type);
  expect(types.lastIndexOf("tool.output")).toBeLessThan(types.indexOf("tool.result"));
});

const statusOf = async (lab: SearchLab, turn: Turn) => (await lab.admin.get(`/turns/${turn.id}`)).status;
const waitStates = (events: readonly StreamEvent[], agentId: number) =>
  events
    .filter((event) => event.type === "status" && event.data.data.agent_id === agentId)
    .map((event) => event.data.data.state as string);
const resultFor = (reader: EventReader, agentId: number) =>
  reader.until((event) => event.type === "tool.result" && event.data.data.agent_id === agentId);

test.if(searchable)("shows a turn as waiting while one of its calls waits", async () => {
  await using lab = await searchLab({ sandbox: isolatedSandbox() });
  await lab.grant();
  const held = gate();
  lab.model.script("boss", [
    [search("first"), search("second")],
    [held, say("Done.")],
  ]);
  const turn = await lab.begin("go");
  await using reader = await lab.admin.events(`/turns/${turn.id}/events`);
  const [one, two] = await lab.pending(2);
  expect(await statusOf(lab, turn)).toBe("waiting");
  await lab.decide(one!, "refuse");
  await resultFor(reader, lab.orchestratorId);
  expect(await statusOf(lab, turn)).toBe("waiting");
  await lab.decide(two!, "refuse");
  await held.reached;
  expect(await statusOf(lab, turn)).toBe("running");
  held.open();
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
  expect(waitStates(await reader.all(), lab.orchestratorId)).toEqual([
    "thinking",
    "working",
    "waiting",
    "working",
    "thinking",
    "done",
  ]);
});

test.if(searchable)("shows each waiting agent as waiting, and the turn until the last", async () => {
  await using lab = await searchLab({ sandbox: isolatedSandbox() });
  const agents = { ann: await lab.addWorker("ann"), bob: await lab.addWorker("bob") };
  for (const [name, id] of Object.entries(agents)) {
    await lab.grant(id);
    lab.model.script(name, [search(`for ${name}`), say("Found.")]);
  }
  lab.model.script("boss", [[delegate("ann"), delegate("bob")], say("Done.")]);
  const turn = await lab.begin("go");
  await using reader = await lab.admin.events(`/turns/${turn.id}/events`);
  const asked = await lab.pending(2);
  await lab.decide(
    asked.find((each) => each.agent_id === agents.bob)!,
    "refuse",
  );
  await resultFor(reader, agents.bob);
  expect(await statusOf(lab, turn)).toBe("waiting");
  await lab.decide(
    asked.find((each) => each.agent_id === agents.ann)!,
    "refuse",
  );
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
  const events = await reader.all();
  for (const id of Object.values(agents)) {
    expect(waitStates(events, id)).toEqual(["thinking", "working", "waiting", "working", "thinking", "done"]);
  }
  expect(waitStates(events, lab.orchestratorId)).toEqual(["thinking", "working", "thinking", "done"]);
});

test.if(searchable)(
  "hides durable tools from a tainted agent and its delegates, even after a restart and in the next turn",
  async () => {
    await using lab = await searchLab({ sandbox: isolatedSandbox() });
    await lab.addWorker("ann");
    await lab.grant();
    lab.model.script("boss", [
      search("herons"),
      call("file_write", { path: "notes.md", content: "x" }),
      delegate("ann"),
      hang(),
      say("Done."),
      say("Again."),
    ]);
    lab.model.script("ann", [say("Looked.")]);
    const turn = await lab.begin("go");
    await lab.decide((await lab.pending())[0]!, "approve");
    await lab.model.waitFor(5);
    const { admin } = await lab.restart();
    await admin.post(`/turns/${turn.id}/resume`);
    expect(await lab.end(turn)).toMatchObject({ status: "done" });
    const next = await admin.post(`${lab.own}/chat`, { text: "more" });
    expect(await lab.end(next.turn)).toMatchObject({ status: "done" });

    const all = ["delegate", "web_search", ...ORCHESTRATOR_TOOLS].toSorted();
    const safe = all.filter((name) => !DURABLE.includes(name));
    const offered = (model: string) =>
      lab.model.requestsOf(model).map((request) => request.tools.map((tool) => tool.name).toSorted());
    expect(offered("boss")).toEqual([all, safe, safe, safe, safe, safe]);
    expect(offered("ann")).toEqual([WORKER_TOOLS.filter((name) => !DURABLE.includes(name)).toSorted()]);
    expect(lab.model.resultsOf("boss", 2)[0]).toStartWith(
      'There is no tool "file_write". You have read text from the web or an untrusted file, so you have no tools that write durably. You have: ',
    );
    expect(await admin.get(`${lab.own}/files`)).toEqual([]);
    expect(lab.model.problems).toEqual([]);
  },
);
