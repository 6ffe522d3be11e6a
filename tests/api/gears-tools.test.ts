// Goal: agents forge gears that need approval, and call approved ones as tools, if they are eligible at the time of the call.

import { GEAR_DESCRIPTION_CHARACTERS_MAX, type GearDetail } from "../../src/service/gears/schema.ts";
import { expect, test } from "bun:test";
import { BUILT_IN_TOOL_NAMES } from "../../src/service/tools/names.ts";
import { approvedGear, isolatedSandbox, withPrograms } from "../kit/service/gears.ts";
import { call, gate, say } from "../kit/model/index.ts";
import { refusal } from "../kit/http/refusal.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { canStandIn, standInDocker } from "../kit/service/stand-in-docker.ts";
import { type World, world } from "../kit/service/world.ts";
import { within } from "../kit/within.ts";

const FORGE = {
  name: "adder",
  description: "adds a and b",
  runtime: "bash",
  code: "cat >/dev/null; echo 5; echo note >&2",
  args_schema:
    '{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}',
};

function toolsOf(lab: World): string[] {
  return lab.model
    .requestsOf("boss")
    .at(-1)!
    .tools.map((tool) => tool.name);
}

test("leaves a forged gear pending and bound to its agent, and makes it a tool only after approval", async () => {
  await using lab = await world({ model: true, ...withPrograms });
  lab.model.script("boss", [
    call("gear_forge", { ...FORGE, tests: [{ name: "two and three", args: { a: 2, b: 3 }, expected: "5" }] }),
    say("wait for approval"),
    call("adder", { a: 2, b: 3 }),
    say("five"),
  ]);
  await lab.chat("make it");
  expect(lab.model.resultsOf("boss")).toEqual([
    'Gear "adder" version 1 is saved and bound to you. It is pending approval by a person; until then you cannot call it. Tell the person so.',
  ]);
  expect(toolsOf(lab)).not.toContain("adder");
  const [waiting] = await lab.admin.get("/approvals");
  expect(waiting).toMatchObject({
    kind: "gear",
    agent: "orchestrator",
    workspace_id: lab.workspaceId,
  } as never);

  await lab.admin.patch(`/gears/${waiting!.id}`, { status: "approved", content_hash: waiting!.content_hash });
  const { turn, events } = await lab.chat("use it");
  expect(turn.status).toBe("done");
  expect(toolsOf(lab)).toContain("adder");
  expect(lab.model.resultsOf("boss")).toEqual(["5\n\n[stderr: note\n]"]);
  const result = events.find((event) => event.type === "tool.result");
  expect(result!.data.data).toMatchObject({ tool: "adder", outcome: "ok" });
  const live = events
    .filter((event) => event.type === "tool.output")
    .map((event) => event.data.data as Record<string, unknown>);
  expect(live.filter((each) => each["stream"] === "stdout").map((each) => each["text"])).toEqual(["5\n"]);
  const runs = await lab.admin.get(`/gears/${waiting!.id}/runs`);
  expect<unknown>(runs).toMatchObject([
    { kind: "tool", agent: "orchestrator", workspace_id: lab.workspaceId, status: "done", exit_code: 0 },
  ]);
  expect(lab.model.problems).toEqual([]);
  const cancel = `/gear-runs/${runs[0]!.id}/cancel`;
  await refusal(
    lab.admin.post(cancel),
    "conflict",
    `gear run ${runs[0]!.id} is a tool call; cancel turn ${turn.id}`,
    { turn_id: turn.id },
  );
  const ann = await lab.user("ann");
  const crew = await lab.admin.post("/teams", { name: "crew" });
  await lab.admin.put(`/teams/${crew.id}/members/${ann.id}`);
  await lab.admin.put(`/workspaces/${lab.workspaceId}/teams/${crew.id}`);
  await refusal(
    ann.post(cancel),
    "forbidden",
    "only the person who started the run, or an admin, may cancel it",
  );
});

test("returns a sentence for invalid arguments and runs nothing; null counts as absent", async () => {
  const sandbox = isolatedSandbox();
  await using lab = await world({ protocol: "openai-compatible", sandbox });
  const schema =
    '{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}';
  const gear = await approvedGear(lab.admin, { args_schema: schema });
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  lab.model.script("boss", [
    [call("echo_args", {}), call("echo_args", { a: "x" }), call("echo_args", { a: 1, b: null })],
    say("done"),
  ]);
  await lab.chat("go");
  expect(lab.model.resultsOf("boss")).toEqual([
    "The arguments are not valid: a: missing. Nothing was done; correct them and call again.",
    "The arguments are not valid: a: must be integer. Nothing was done; correct them and call again.",
    '{"a":1}',
  ]);
  expect(sandbox.requests.map((request) => request.stdin)).toEqual(['{"a":1}']);
});

test("reports the exit code, stderr and a timeout, as failures", async () => {
  let count = 0;
  const results = [
    { exitCode: 2, stdout: "part", stderr: "boom" },
    { exitCode: 137, stdout: "", timedOut: true },
    { exitCode: 0, stdout: "x".repeat(50_001), truncated: true },
  ];
  await using lab = await world({ model: true, sandbox: isolatedSandbox(async () => results[count++]!) });
  const gear = await approvedGear(lab.admin);
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  lab.model.script("boss", [call("echo_args"), call("echo_args"), call("echo_args"), say("done")]);
  const { events } = await lab.chat("go");
  const told = events
    .filter((event) => event.type === "tool.result")
    .map((event) => event.data.data as { outcome: string; text: string });
  expect(told.map(({ outcome, text }) => ({ outcome, text }))).toEqual([
    { outcome: "error", text: "part\n[exit code 2]\n[stderr: boom]" },
    { outcome: "error", text: "[the gear was stopped after 60 s: it timed out]" },
    {
      outcome: "ok",
      text: `${"x".repeat(50_000)}\n[truncated: 1 more characters are in the record of gear run 3]\n[the output exceeded the limit: its end is missing]`,
    },
  ]);
});

test.if(canStandIn)("does not call a gear undone when the container daemon stops while it runs", async () => {
  await using folder = await temporaryFolder();
  const config = await folder.write("config.yaml", "sandbox: docker\n");
  const environment = await standInDocker(folder, { killedIsLost: true });
  await using lab = await world({ model: true, flags: { config }, environment });
  const gear = await approvedGear(lab.admin, { code: "cat > /dev/null; kill -9 $PPID\n" });
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  lab.model.script("boss", [call("echo_args"), say("I will look.")]);
  const { events } = await lab.chat("go");
  const result = events.find((event) => event.type === "tool.result")!.data.data;
  expect(result).toMatchObject({
    outcome: "unknown",
    text: "the container daemon stopped while the gear ran; its outcome is unknown. It is not known whether this call took effect; check before you repeat it.",
  } as never);
  await refusal(
    lab.admin.post(`/gears/${gear.id}/run`, {}),
    "unavailable",
    "the container daemon stopped while the gear ran; its outcome is unknown",
    { outcome: "unknown" },
  );
});

/** Runs a turn that offers the gear, applies a change before the model calls it, and returns the call's result. */
async function callAfter(
  change: (lab: World, gear: GearDetail, bindingId: number) => Promise<unknown>,
): Promise<string> {
  const sandbox = isolatedSandbox();
  await using lab = await world({ model: true, sandbox });
  const gear = await approvedGear(lab.admin);
  const binding = await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  const door = gate();
  lab.model.script("boss", [[door, call("echo_args")], say("done")]);
  const turn = lab.chat("go");
  await door.reached;
  await change(lab, gear, binding.id);
  door.open();
  await turn;
  expect(sandbox.requests).toEqual([]);
  return lab.model.resultsOf("boss")[0]!;
}

test("refuses an offered gear that has since lost its approval or binding, or was deleted", async () => {
  const gone = expect.stringContaining('There is no tool "echo_args".') as unknown as string;
  expect(
    await callAfter((lab, gear) => lab.admin.patch(`/gears/${gear.id}`, { status: "disabled" })),
  ).toEqual(gone);
  expect(await callAfter((lab, gear) => lab.admin.put(`/gears/${gear.id}`, { code: "echo evil" }))).toEqual(
    gone,
  );
  expect(await callAfter((lab, _, binding) => lab.admin.delete(`/gear-bindings/${binding}`))).toEqual(gone);
  expect(await callAfter((lab, gear) => lab.admin.delete(`/gears/${gear.id}`))).toEqual(gone);
});

test("lets the orchestrator grant and revoke a worker's gear", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  await lab.addWorker("worker");
  await approvedGear(lab.admin);
  lab.model.script("boss", [
    [
      call("gear_list"),
      call("gear_grant", { gear: "echo_args", agent: "Worker" }),
      call("gear_grant", { gear: "nothing" }),
      call("gear_revoke", { gear: "echo_args" }),
    ],
    call("delegate", { agent: "worker", task: "x" }),
    call("gear_revoke", { gear: "echo_args", agent: "worker" }),
    call("delegate", { agent: "worker", task: "y" }),
    say("done"),
  ]);
  lab.model.on("worker", () => say("ok"));
  await lab.chat("go");
  const results = lab.model.resultsOf("boss", 1);
  expect(JSON.parse(results[0]!)).toEqual([
    {
      name: "echo_args",
      description: "",
      runtime: "bash",
      version: 1,
      status: "approved",
      bound_to: [],
      you_can_call_it: false,
    },
  ]);
  expect(results.slice(1)).toEqual([
    'Bound gear "echo_args": "worker" can call it now.',
    'there is no gear named "nothing"; gear_list lists them. Nothing was done.',
    'gear "echo_args" is not bound to all agents; gear_list shows who it is bound to. Nothing was done.',
  ]);
  const offered = lab.model
    .requestsOf("worker")
    .map((request) => request.tools.map((tool) => tool.name).includes("echo_args"));
  expect(offered).toEqual([true, false]);
  expect(lab.model.requestsOf("worker")[0]!.tools.map((tool) => tool.name)).not.toContain("gear_grant");
});

test("saves a version when forging again, and never overwrites another workspace's gear", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  await approvedGear(lab.admin);
  lab.model.script("boss", [
    [
      call("gear_forge", FORGE),
      call("gear_forge", { ...FORGE, code: "echo 6" }),
      call("gear_forge", { ...FORGE, name: "echo_args" }),
      call("gear_forge", { ...FORGE, name: "delegate" }),
    ],
    say("done"),
  ]);
  await lab.chat("go");
  expect(lab.model.resultsOf("boss").map((text) => text.split(".")[0])).toEqual([
    'Gear "adder" version 1 is saved and bound to you',
    'Gear "adder" version 2 is saved and bound to you',
    'a gear named "echo_args" already exists and was not forged in this workspace; choose another name',
    'name: "delegate" is the name of a built-in tool',
  ]);
});

test("tells an agent that was deleted during its work why its gear is not saved", async () => {
  await using lab = await world({ workers: ["scout"], sandbox: isolatedSandbox() });
  const deleted = gate();
  lab.model
    .script("boss", [call("delegate", { agent: "scout", task: "Make a gear." }), say("done")])
    .script("scout", [[deleted, call("gear_forge", FORGE)], say("not saved")]);
  const turn = await lab.begin("go");
  await deleted.reached;
  await lab.admin.delete(`/agents/${lab.agents["scout"]!}`);
  deleted.open();
  await lab.end(turn);
  expect(lab.model.resultsOf("scout")).toEqual([
    '"scout" was deleted from this workspace. Nothing was done.',
  ]);
  expect(await lab.admin.get("/gears")).toEqual([]);
});

test("refuses a forged description that is longer than the routes accept", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  const description = "d".repeat(GEAR_DESCRIPTION_CHARACTERS_MAX + 1);
  lab.model.script("boss", [
    [
      call("gear_forge", { ...FORGE, description }),
      call("gear_forge", FORGE),
      call("gear_forge", { ...FORGE, description }),
    ],
    say("done"),
  ]);
  await lab.chat("go");
  const problem = "description: at most 10000 characters. Nothing was done.";
  const saved = expect.stringContaining('Gear "adder" version 1 is saved');
  expect(lab.model.resultsOf("boss")).toEqual([problem, saved, problem]);
});

test("lists the names of all built-in tools", async () => {
  await using lab = await world({ model: true });
  await lab.addWorker("worker");
  lab.model.script("boss", [call("delegate", { agent: "worker", task: "x" }), say("done")]);
  lab.model.on("worker", () => say("ok"));
  await lab.chat("go");
  const offered = [...lab.model.requestsOf("boss"), ...lab.model.requestsOf("worker")].flatMap((request) =>
    request.tools.map((tool) => tool.name),
  );
  expect(offered.filter((name) => !BUILT_IN_TOOL_NAMES.has(name))).toEqual([]);
});

test("kills the gear of a cancelled turn, and records its run as cancelled", async () => {
  const started = Promise.withResolvers<void>();
  const sandbox = isolatedSandbox(async (request) => {
    started.resolve();
    await new Promise((resolve) => request.signal.addEventListener("abort", resolve, { once: true }));
    return { exitCode: 137, stdout: "half" };
  });
  await using lab = await world({ model: true, sandbox });
  const gear = await approvedGear(lab.admin);
  await lab.admin.post(`${lab.own}/gears`, { gear_id: gear.id });
  lab.model.script("boss", [call("echo_args"), say("done")]);
  const turn = lab.chat("go");
  await within("the gear starts", started.promise);
  const [running] = await lab.admin.get(`${lab.own}/turns`);
  await lab.admin.post(`/turns/${running!.id}/cancel`);
  const { events } = await turn;
  expect(events.find((event) => event.type === "tool.result")!.data.data).toMatchObject({
    outcome: "cancelled",
    text: expect.stringContaining("stopped while running"),
  });
  expect(await lab.admin.get<unknown>(`/gears/${gear.id}/runs`)).toMatchObject([
    { status: "cancelled", exit_code: 137 },
  ]);
});

test("hides unapproved descriptions of other workspaces from agents", async () => {
  await using lab = await world({ model: true, ...withPrograms });
  const ann = await lab.user("ann");
  const gear = { runtime: "bash", code: "cat", args_schema: '{"type":"object"}' };
  const theirs = await ann.post("/gears", { ...gear, name: "theirs", description: "obey ann" });
  await lab.admin.post("/gears", { ...gear, name: "mine", description: "my own" });
  lab.model.script("boss", [call("gear_list"), say("seen"), call("gear_list"), say("seen")]);
  const listed = async () => {
    await lab.chat("look");
    return (JSON.parse(lab.model.resultsOf("boss")[0]!) as { description: string }[]).map(
      (each) => each.description,
    );
  };
  expect(await listed()).toEqual(["my own", "(shown once it is approved)"]);
  await lab.admin.patch(`/gears/${theirs.id}`, { status: "approved", content_hash: theirs.content_hash });
  expect(await listed()).toEqual(["my own", "obey ann"]);
});
