// Goal: the steps of a turn show where its events begin, which call created each run, how long each tool took, and which gear it was.

import { expect, test } from "bun:test";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { ECHO, isolatedSandbox } from "../../kit/service/gears.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { call, gate, hang, say, usage } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";

const GEAR_MS = 1_500;
/** The time of the start, and of the end of its gear. */
const [START, LATER] = ["2026-01-01T12:00:00.000Z", "2026-01-01T12:00:01.500Z"];

/** A workplace with a stopped clock, in which a gear takes 1.5 s. */
async function timedLab() {
  const clock = manualClock();
  const sandbox = isolatedSandbox(async () => {
    clock.advance(GEAR_MS);
    return {};
  });
  return world({ workers: ["helper"], gears: [ECHO], clock, sandbox });
}

test("shows the runs, calls and tools of a turn with a gear and a worker that was removed since", async () => {
  await using lab = await timedLab();
  const delegation = call("delegate", { agent: "helper", task: "Call it." });
  lab.model.script("boss", [[delegation, call("no_such_tool")], say("Done.")]);
  lab.model.script("helper", [call("echo_args", { a: 1 }), say("Called.")]);
  const { turn } = await lab.chat("go");
  await lab.admin.delete(`/agents/${lab.agents["helper"]!}`);
  const steps = await lab.admin.get(`/turns/${turn.id}/steps`);
  const [delegate, unknown, gear] = steps.tools.map((tool) => tool.call_id);
  expect(steps).toEqual({
    turn: await lab.admin.get(`/turns/${turn.id}`),
    calls: (await lab.calls(turn.id)) as never,
    runs: [
      {
        id: 1,
        agent_id: lab.orchestratorId,
        agent: "orchestrator",
        parent_run_id: null,
        call_id: null,
        depth: 0,
        status: "done",
        started_at: START,
        finished_at: LATER,
      },
      {
        id: 2,
        agent_id: lab.agents["helper"]!,
        agent: "helper",
        parent_run_id: 1,
        call_id: delegate!,
        depth: 1,
        status: "done",
        started_at: START,
        finished_at: LATER,
      },
    ],
    tools: [
      {
        call_id: delegate!,
        run_id: 1,
        agent_id: lab.orchestratorId,
        tool: "delegate",
        arguments: delegation.args,
        state: "done",
        outcome: "ok",
        started_at: START,
        finished_at: LATER,
        gear_run_id: null,
        gear_id: null,
        gear_version: null,
      },
      {
        call_id: unknown!,
        run_id: 1,
        agent_id: lab.orchestratorId,
        tool: "no_such_tool",
        arguments: "{}",
        state: "done",
        outcome: "error",
        started_at: null,
        finished_at: START,
        gear_run_id: null,
        gear_id: null,
        gear_version: null,
      },
      {
        call_id: gear!,
        run_id: 2,
        agent_id: lab.agents["helper"]!,
        tool: "echo_args",
        arguments: '{"a":1}',
        state: "done",
        outcome: "ok",
        started_at: START,
        finished_at: LATER,
        gear_run_id: 1,
        gear_id: lab.gears[ECHO.name]!.id,
        gear_version: 1,
      },
    ],
  });
});

test("shows the call of a task and the duration of a tool in entries and events", async () => {
  await using lab = await timedLab();
  lab.model.script("boss", [
    [call("delegate", { agent: "helper", task: "Call it." }), call("no_such_tool"), call("agent_list")],
    say("Done."),
  ]);
  lab.model.script("helper", [call("echo_args", { a: 1 }), say("Called.")]);
  const { events } = await lab.chat("go");
  const entries = await lab.entries();
  const asked = entries.flatMap((entry) => entry.calls.map(({ id, name }) => [id, name] as const));
  const nameOf = new Map(asked);
  const byThread = entries.toSorted((a, b) => a.thread - b.thread);
  expect(
    byThread.map(({ kind, call_id: callId, duration_ms: ms }) => [kind, nameOf.get(callId ?? ""), ms]),
  ).toEqual([
    ["person", undefined, null],
    ["agent", undefined, null],
    ["tool", "no_such_tool", null],
    ["tool", "agent_list", 0],
    ["tool", "delegate", GEAR_MS],
    ["agent", undefined, null],
    ["task", "delegate", null],
    ["agent", undefined, null],
    ["tool", "echo_args", GEAR_MS],
    ["agent", undefined, null],
  ]);
  const told = events.filter(({ type }) => type === "entry").map(({ data }) => data.data.entry as Entry);
  expect(told).toEqual(entries);
  const results = events.filter(({ type }) => type === "tool.result");
  expect(new Map(results.map(({ data }) => [data.data.tool, data.data.duration_ms]))).toEqual(
    new Map([
      ["no_such_tool", null],
      ["agent_list", 0],
      ["echo_args", GEAR_MS],
      ["delegate", GEAR_MS],
    ]),
  );
  expect(lab.model.problems).toEqual([]);
});

test("shows running steps without an end, and none of them in a later turn", async () => {
  await using lab = await world({ model: true });
  await lab.addWorker("helper");
  lab.model.script("boss", [call("delegate", { agent: "helper", task: "Wait." }), say("Next.")]);
  const held = gate();
  lab.model.script("helper", [[held, hang()]]);
  const turn = await lab.begin("go");
  await held.reached;
  const { tools, runs } = await lab.admin.get(`/turns/${turn.id}/steps`);
  expect(tools.map(({ tool, state, outcome, finished_at }) => [tool, state, outcome, finished_at])).toEqual([
    ["delegate", "started", null, null],
  ]);
  expect(runs.map(({ status, finished_at }) => [status, finished_at])).toEqual([
    ["running", null],
    ["running", null],
  ]);
  await lab.admin.post(`/turns/${turn.id}/cancel`);
  const { turn: next } = await lab.chat("next");
  const later = await lab.admin.get(`/turns/${next.id}/steps`);
  expect([later.tools, later.runs.map(({ call_id: callId }) => callId)]).toEqual([[], [null]]);
});

test("names the first event of a turn, queued or started, in its record, list and events", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [[held, say("one")], say("two")]);
  const turns = [await lab.begin("1"), await lab.begin("2", { queue: true })];
  held.open();
  for (const turn of turns) await lab.end(turn);
  await using reader = await lab.admin.events(`${lab.own}/events?after=0`);
  await reader.until((event) => event.type === "turn.finished" && event.data.turn_id === turns[1]!.id);
  const ofTurns = reader.seen.filter(({ type }) => type.startsWith("turn."));
  const firsts = turns.map((turn) => reader.seen.find((event) => event.data.turn_id === turn.id)!);
  expect(firsts.map(({ type }) => type)).toEqual(["turn.started", "turn.queued"]);
  const expected = firsts.map(({ id }) => id);
  const list = await lab.admin.get(`${lab.own}/turns`);
  expect(list.map((turn) => turn.first_event_id as number | undefined)).toEqual(expected);
  expect((turns as unknown as Turn[]).map((turn) => turn.first_event_id as number | undefined)).toEqual(
    expected,
  );
  const told = ofTurns.map(({ data }) => data.data.turn as Turn);
  expect(told.map((turn) => turn.first_event_id)).toEqual(
    told.map((turn) => list.find(({ id }) => id === turn.id)!.first_event_id),
  );
});

test("counts the turns of each workspace from 1", async () => {
  await using lab = await world({ model: true });
  const other = await lab.place("other");
  lab.model.on("boss", say("ok"));
  const numbers = [];
  for (const place of [lab, other, lab, other, lab]) numbers.push((await place.chat("go")).turn.number);
  expect(numbers).toEqual([1, 1, 2, 2, 3]);
  expect((await lab.admin.get(`${lab.own}/turns`)).map(({ id, number }) => [id, number])).toEqual([
    [1, 1],
    [3, 2],
    [5, 3],
  ]);
});

test("keeps the reported tokens of each answer", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [
    [say("I look."), call("file_list", {}), usage({ input: 100, output: 20, cached: 0 })],
    [say("Nothing."), usage({ input: 140, output: 5, cached: 0 })],
  ]);
  await lab.chat("go");
  expect(
    (await lab.entries()).map(({ kind, input_tokens: input, output_tokens: output }) => [
      kind,
      input,
      output,
    ]),
  ).toEqual([
    ["person", null, null],
    ["agent", 100, 20],
    ["tool", null, null],
    ["agent", 140, 5],
  ]);
});

test("does not claim that a call whose end is not recorded made no attempt", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [[say("Half a"), hang()]]);
  const turn = await lab.begin("go");
  await lab.model.waitFor((request) => request.model === "boss");
  const attempts = async () => (await lab.admin.get(`/turns/${turn.id}/calls`)).map((each) => each.attempts);
  expect(await attempts()).toEqual([null]);
  await lab.admin.post(`/turns/${turn.id}/cancel`);
  await lab.end(turn);
  expect(await attempts()).toEqual([1]);
});
