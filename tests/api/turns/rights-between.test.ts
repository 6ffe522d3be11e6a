// Goal: a turn itself finds out that its person lost their rights: before each model round, before each tool, and inside the write of a tool. Those
// who take rights also tell running turns, which ends them; here that message comes too late or not at all.

import { expect, spyOn, test } from "bun:test";
import { Recorder } from "../../../src/service/turns/recorder.ts";
import { Turns } from "../../../src/service/turns/turns.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { world, type World } from "../../kit/service/world.ts";

const LOST = "ann lost access to this workspace";
const CANCELLED = { outcome: "cancelled" as const, text: "Cancelled by a person before it was done." };

/** Running turns are not told that rights changed. */
const toldNothing = () => spyOn(Turns.prototype, "recheck").mockImplementation(() => {});

/** A turn of a member of a team with which the workspace is shared. */
async function turnOfAnn(at: World) {
  const ann = await at.user("ann");
  const team = await at.share(ann);
  const begin = async () => (await ann.post(`${at.own}/chat`, { text: "Go." })).turn;
  return { begin, lose: () => at.admin.delete(`/teams/${team}/members/${ann.id}`) };
}

async function toolResults(at: World) {
  const results = (await at.entries()).filter(({ kind }) => kind === "tool");
  return results.map(({ outcome, text }) => ({ outcome, text }));
}

const askedOf = (at: World) => at.model.requests.map(({ model }) => model);

test("asks before each model round", async () => {
  await using at = await world({ workers: ["scout"] });
  using _told = toldNothing();
  const { begin, lose } = await turnOfAnn(at);
  const held = gate();
  at.model.script("boss", [call("delegate", { agent: "scout", task: "Look." }), say("Never asked for.")]);
  at.model.script("scout", [[held, say("Seen.")]]);
  const turn = await begin();
  await held.reached;
  await lose();
  held.open();
  expect(await at.end(turn)).toMatchObject({ status: "cancelled", error: LOST });
  expect(askedOf(at)).toEqual(["boss", "scout"]);
});

test("asks before each tool", async () => {
  await using at = await world({ workers: ["scout"] });
  using _told = toldNothing();
  const { begin, lose } = await turnOfAnn(at);
  const held = gate();
  const calls = [
    call("agent_list", {}),
    call("delegate", { agent: "scout", task: "Look." }),
    call("file_write", { path: "a.txt", content: "x" }),
  ];
  at.model.script("boss", [[held, ...calls]]);
  const turn = await begin();
  await held.reached;
  await lose();
  held.open();
  expect(await at.end(turn)).toMatchObject({ status: "cancelled", error: LOST });
  expect(await toolResults(at)).toEqual([CANCELLED, CANCELLED, CANCELLED]);
  // Not even the worker's task is recorded.
  expect((await at.entries()).filter(({ kind }) => kind === "task")).toEqual([]);
  expect(askedOf(at)).toEqual(["boss"]);
});

test("asks once more when the start of a tool is recorded", async () => {
  await using at = await world({ model: true });
  using _told = toldNothing();
  const { begin, lose } = await turnOfAnn(at);
  const { startTool } = Recorder.prototype;
  using starts = spyOn(Recorder.prototype, "startTool").mockImplementation(async function (
    this: Recorder,
    started,
  ) {
    await lose();
    return startTool.call(this, started);
  });
  at.model.script("boss", [call("file_write", { path: "a.txt", content: "x" })]);
  expect(await at.end(await begin())).toMatchObject({ status: "cancelled", error: LOST });
  expect(starts).toHaveBeenCalledTimes(1);
  expect(await toolResults(at)).toEqual([CANCELLED]);
});

test("asks inside the write of a tool", async () => {
  await using at = await world({ model: true });
  const { begin, lose } = await turnOfAnn(at);
  const { applyTool } = Recorder.prototype;
  // The turn is told, but a write that is about to begin does not look.
  using writes = spyOn(Recorder.prototype, "applyTool").mockImplementation(async function (
    this: Recorder,
    ...given
  ) {
    await lose();
    return applyTool.apply(this, given);
  });
  const before = (await at.blueprint()).agents;
  // Of this tool, neither the rule nor the audit asks for the role of the person.
  at.model.script("boss", [call("agent_update", { agent: "orchestrator", role: "Spy." })]);
  expect(await at.end(await begin())).toMatchObject({ status: "cancelled", error: LOST });
  expect(writes).toHaveBeenCalledTimes(1);
  expect(await toolResults(at)).toEqual([
    { outcome: "error", text: `the turn may not continue: ${LOST}. Nothing was done.` },
  ]);
  expect((await at.blueprint()).agents).toEqual(before);
});
