// Goal: every event of every type matches its schema, so that viewers can rely on it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { eventData, storedEventData } from "../../src/service/events.ts";
import type { StreamEvent } from "../kit/http/client.ts";
import { misfits } from "../kit/http/event-check.ts";
import { isolatedSandbox } from "../kit/service/gears.ts";
import { inhabited, type Inhabited } from "../kit/service/inhabited.ts";
import { demoOrchestrator, demoWorker, gate, say } from "../kit/model/index.ts";
import { searchable } from "../kit/service/searching.ts";
import { type World, world } from "../kit/service/world.ts";

/** All events stored so far, up to the one that the blueprint names. */
async function storedEvents(lab: World): Promise<StreamEvent[]> {
  const path = lab.own;
  const { event_id: last } = await lab.admin.get(`${path}/blueprint`);
  await using reader = await lab.admin.events(`${path}/events?after=0`);
  await reader.until((event) => event.id === last);
  return reader.seen;
}

/** Events that the furnishing turn does not emit. */
async function changeEverything(lab: Inhabited): Promise<void> {
  const { admin, workspaceId, ids } = lab;
  await admin.patch(`/workspaces/${workspaceId}`, { budget: { cost_per_day: 5 } });
  await admin.patch(`/agents/${ids["agents"]}`, { name: "second helper" });
  await admin.delete(`/entries/${ids["entries"]}`);
  await admin.post(`/entries/${ids["entries"]}/restore`);
  await admin.put(`/instructions/${ids["instructions"]}`, { text: "Be briefer." });
  await admin.delete(`/instruction-bindings/${ids["instruction-bindings"]}`);
  await admin.delete(`/context-bindings/${ids["context-bindings"]}`);
  await admin.post(`/instruction-proposals/${ids["instruction-proposals"]}/decision`, { decision: "accept" });
  await admin.put(`/gears/${ids["gears"]}`, { code: "true\n" });
  await admin.delete(`/gears/${ids["gears"]}`);
  await admin.delete(`/wires/${ids["wires"]}`);
  await admin.delete(`/agents/${ids["agents"]}`);
  if (searchable) await admin.delete(`/egress-grants/${ids["egress-grants"]}`);
}

async function queueCancelResume(lab: World): Promise<void> {
  const wait = gate();
  lab.model.script("boss", [[say("One moment. "), wait, say("never said")], say("Resumed.")]);
  const first = await lab.begin("Wait.");
  await wait.reached;
  const second = await lab.begin("Then this.", { queue: true });
  await lab.admin.post(`/turns/${second.id}/cancel`);
  await lab.admin.post(`/turns/${first.id}/cancel`);
  await lab.admin.post(`/turns/${first.id}/resume`);
  await lab.end(first);
  await lab.admin.put(`${lab.own}/branch`, { turn_id: first.id });
}

test("events match their schema in a workspace where everything was changed", async () => {
  await using lab = await inhabited();
  await changeEverything(lab);
  await queueCancelResume(lab);
  const events = await storedEvents(lab);
  expect(misfits(events)).toEqual([]);
  const seen = new Set(events.map(({ type }) => type));
  // Its gear writes no live output, which the demo's turns cover. The taint tests cover events of searches, the memory tests those of memory.
  const elsewhere = [
    "tool.output",
    "entry.taint_cleared",
    "memory.written",
    ...(searchable ? [] : ["grant.created", "grant.removed"]),
  ];
  const expected = Object.keys(storedEventData).filter((type) => !elsewhere.includes(type));
  expect(expected.filter((type) => !seen.has(type))).toEqual([]);
});

test("events match their schema in the demo's turns, with workers and a forged, approved and called gear", async () => {
  const sandbox = isolatedSandbox(async ({ output }) => {
    output("stdout", new TextEncoder().encode('{"words":2}\n'));
    return { stdout: '{"words":2}\n' };
  });
  await using lab = await world({ protocol: "openai-compatible", sandbox });
  await lab.addModel("worker");
  lab.model.on("boss", (request) => demoOrchestrator(request)).on("worker", (request) => demoWorker(request));
  for (const text of ["What is new?", "Count the words: one two"]) await lab.chat(text);
  const [gear] = await lab.admin.get("/gears");
  await lab.admin.patch(`/gears/${gear!.id}`, { status: "approved", content_hash: gear!.content_hash });
  await lab.chat("Count the words: one two");
  const events = await storedEvents(lab);
  expect(misfits(events)).toEqual([]);
  const types = events.map(({ type }) => type);
  for (const type of ["agent.created", "tool.output", "approval.requested", "approval.decided"])
    expect(types).toContain(type);
});

test("events match their schema when sent but not stored", async () => {
  await using lab = await world({ model: true });
  const [early, late] = [gate(), gate()];
  lab.model.script("boss", [[say("So "), early, say("it "), late, say("is.")]]);
  const path = `${lab.own}/events`;
  await using first = await lab.admin.events(path);
  const turn = await lab.begin("Speak.");
  await first.until((event) => event.type === "delta");
  await early.reached;
  await using second = await lab.admin.events(path);
  const partial = await second.until((event) => event.type === "partial");
  early.open();
  late.open();
  await lab.end(turn);
  await lab.admin.delete(lab.own);
  const removed = await first.until((event) => event.type === "workspace.removed");
  expect(misfits([...first.seen, ...second.seen])).toEqual([]);
  expect(partial.data).toEqual({
    turn_id: turn.id,
    data: { run_id: 1, agent_id: lab.orchestratorId, text: "So ", reasoning: "" },
  });
  expect(removed).toEqual({
    id: undefined,
    type: "workspace.removed",
    data: { turn_id: null, data: { workspace_id: lab.workspaceId } },
  });
});

test("events are exactly those described in docs/turns.md", async () => {
  const page = await Bun.file(join(ROOT, "docs/turns.md")).text();
  const rows = page.split("The content of `data`:")[1]!.matchAll(/^\| (`[^|]*`) +\|/gm);
  const described = [...rows].flatMap((row) => [...row[1]!.matchAll(/`([^`]+)`/g)].map((name) => name[1]!));
  expect(described.toSorted()).toEqual(Object.keys(eventData).toSorted());
});

test("the check finds a mismatch", () => {
  const event = (type: string, data: unknown) => ({ id: 1, type, data: { turn_id: null, time: "", data } });
  expect(misfits([event("wire.removed", { wire_id: 3 })])).toEqual([]);
  expect(misfits([event("wire.removed", { wire_id: "3" }), event("wire.moved", {})])).toEqual([
    'wire.removed: wire_id: expected an integer in {"wire_id":"3"}',
    "wire.moved: unknown",
  ]);
  expect(misfits([event("wire.removed", { wire_id: 3, more: 1 })])).toEqual([
    'wire.removed: more: unknown field in {"wire_id":3,"more":1}',
  ]);
});
