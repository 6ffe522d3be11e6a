// Goal: a question can be asked again, in other words or of another model; the previous answer stays, can be switched back to, and is not replayed
// meanwhile. Sent prompts stay on record exactly.

import { describe, expect, test } from "bun:test";
import { call, gate, hang, say } from "../../kit/model/index.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";
import { type World, world } from "../../kit/service/world.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";

const branches = (lab: World) => lab.admin.get(`${lab.own}/branches`);
const switchTo = (lab: World, { id }: Turn) => lab.admin.put(`${lab.own}/branch`, { turn_id: id });
const sent = (lab: World) => lab.model.requests.at(-1)!.messages.map(({ text }) => text);

/** A turn that ends; `fields` of the message. */
async function ask(lab: World, text: string, answer: string, fields: Record<string, unknown> = {}) {
  lab.model.script("boss", [say(answer)]);
  return lab.end(await lab.begin(text, fields));
}

async function threeTurns() {
  const lab = await world({ model: true });
  const one = await ask(lab, "one", "1");
  const two = await ask(lab, "two", "2");
  const three = await ask(lab, "three", "3");
  return { lab, one, two, three };
}

describe("branches", () => {
  test("a conversation without any has one end and no forks", async () => {
    await using lab = await world({ model: true });
    expect(await branches(lab)).toEqual({ turn_id: null, forks: [] });
    const turn = await ask(lab, "one", "1");
    expect([turn.after_id, turn.model_id]).toEqual([null, null]);
    expect(await branches(lab)).toEqual({ turn_id: turn.id, forks: [] });
  });

  test("a question in other words starts a branch; the former one stays, and goes on after a switch", async () => {
    const { lab, one, two, three } = await threeTurns();
    await using _ = lab;
    await using viewer = await lab.admin.events(`${lab.own}/events?after=0`);
    const again = await ask(lab, "two, please", "2b", { after: one.id });
    expect(again.after_id).toBe(one.id);
    expect(sent(lab)).toEqual(["one", "1", "two, please"]);
    expect(await lab.conversation()).toEqual(["person: one", "agent: 1", "person: two, please", "agent: 2b"]);
    const turns = [
      { id: two.id, text: "two", current: false },
      { id: again.id, text: "two, please", current: true },
    ];
    expect(await branches(lab)).toEqual({ turn_id: again.id, forks: [{ after_id: one.id, turns }] });
    const all = await lab.admin.get(`${lab.own}/entries?branches=all`);
    expect(all.map(({ text, aside }) => `${text} ${aside}`)).toEqual([
      "one false",
      "1 false",
      "two true",
      "2 true",
      "three true",
      "3 true",
      "two, please false",
      "2b false",
    ]);

    // The newest turn below the chosen one is its end.
    expect(await switchTo(lab, two)).toMatchObject({ turn_id: three.id });
    await ask(lab, "four", "4");
    expect(sent(lab)).toEqual(["one", "1", "two", "2", "three", "3", "four"]);
    expect((await switchTo(lab, again)).turn_id).toBe(again.id);
    expect((await lab.conversation()).at(-1)).toBe("agent: 2b");
    await viewer.until((event) => event.type === "branch.switched");

    // The record shows the prompts as they were sent.
    const [last] = await lab.calls(three.id);
    const { parts } = await lab.admin.get(`/calls/${last!.id}`);
    const texts = parts.filter(({ kind }) => kind === "entry").map(({ text }) => text);
    expect(texts).toEqual(["one", "1", "two", "2", "three"]);
    expect(lab.model.problems).toEqual([]);
  });

  test("a question is asked of another model for one turn, also from the beginning", async () => {
    const { lab } = await threeTurns();
    await using _ = lab;
    const model_id = await lab.modelId("other");
    lab.model.script("other", [say("1 of other")]);
    const again = await lab.end(await lab.begin("one", { after: null, model_id }));
    expect(again).toMatchObject({ after_id: null, model_id, status: "done" });
    expect([lab.model.requests.at(-1)!.model, sent(lab)]).toEqual(["other", ["one"]]);
    await ask(lab, "and?", "yes");
    expect([lab.model.requests.at(-1)!.model, sent(lab)]).toEqual(["boss", ["one", "1 of other", "and?"]]);
    expect((await branches(lab)).forks.map(({ after_id }) => after_id)).toEqual([null]);
  });

  test("a turn whose chosen model is deleted fails with what to do, also when it is resumed", async () => {
    await using lab = await world({ model: true });
    const model_id = await lab.modelId("other");
    const held = gate();
    lab.model.script("other", [[held, call("agent_list")], say("never")]);
    const turn = await lab.begin("one", { model_id });
    await held.reached;
    await lab.admin.delete(`/models/${model_id}`);
    held.open();
    const failed = {
      status: "failed",
      error: "its model was deleted; send the message again with another one",
    };
    expect(await lab.end(turn)).toMatchObject(failed);
    await lab.admin.post(`/turns/${turn.id}/resume`);
    expect(await lab.end(turn)).toMatchObject(failed);
  });

  test("a queued turn goes where its person said, when it begins", async () => {
    const { lab, one } = await threeTurns();
    await using _ = lab;
    const held = gate();
    lab.model.script("boss", [[held, say("4")], say("2c"), say("5")]);
    const running = await lab.begin("four");
    const placed = await lab.begin("two again", { queue: true, after: one.id });
    const next = await lab.begin("five", { queue: true });
    expect([placed.after_id, next.after_id]).toEqual([one.id, null]);
    held.open();
    expect((await lab.end(next)).after_id).toBe(placed.id);
    expect((await lab.admin.get(`/turns/${running.id}`)).status).toBe("done");
    expect(sent(lab)).toEqual(["one", "1", "two again", "2c", "five"]);
  });

  test("an interrupted turn is resumed at the end of the current branch only", async () => {
    const { lab, two } = await threeTurns();
    await using _ = lab;
    lab.model.script("boss", [hang()]);
    const cut = await lab.begin("four");
    await lab.model.waitFor((request) => request.messages.at(-1)?.text === "four");
    await lab.admin.post(`/turns/${cut.id}/cancel`);
    const other = await ask(lab, "three again", "3b", { after: two.id });
    expect(await refusalOf(lab.admin.post(`/turns/${cut.id}/resume`))).toMatchObject({
      code: "conflict",
      details: { branch: cut.id },
    });
    await switchTo(lab, cut);
    lab.model.script("boss", [say("4 at last")]);
    await lab.admin.post(`/turns/${cut.id}/resume`);
    expect(await lab.end(cut)).toMatchObject({ status: "done" });
    expect(sent(lab)).toEqual(["one", "1", "two", "2", "three", "3", "four"]);
    await ask(lab, "five", "5");
    // Of two branches, the one that was begun last.
    expect((await switchTo(lab, two)).turn_id).toBe(other.id);
    await switchTo(lab, cut);
    expect((await lab.conversation()).at(-1)).toBe("agent: 5");
  });

  test("refusals name what is wrong, and change nothing", async () => {
    const { lab, one, two } = await threeTurns();
    await using _ = lab;
    await using other = await world({ model: true });
    expect(other.own).toBe(lab.own);
    const before = await branches(lab);
    const chat = (fields: object) => lab.admin.post(`${lab.own}/chat`, { text: "x", ...fields });
    await refusal(chat({ after: 999 }), "not_found", "turn 999: not found");
    await refusal(chat({ model_id: 999 }), "not_found", "model 999: not found");
    await refusal(lab.admin.put(`${lab.own}/branch`, { turn_id: 999 }), "not_found", "turn 999: not found");
    lab.model.script("boss", [hang()]);
    const open = await lab.begin("four");
    await refusal(switchTo(lab, two), "turn_running");
    const waiting = await lab.begin("five", { queue: true });
    await refusal(chat({ after: waiting.id, queue: true }), "not_found", `turn ${waiting.id}: not found`);
    await lab.admin.post(`/turns/${waiting.id}/cancel`);
    await lab.admin.post(`/turns/${open.id}/cancel`);
    expect(await branches(lab)).toEqual({ ...before, turn_id: open.id });
    const ann = await lab.user("ann");
    await refusal(ann.get(`${lab.own}/branches`), "not_found");
    await refusal(ann.put(`${lab.own}/branch`, { turn_id: one.id }), "not_found");
  });
});
