// Goal: a workspace runs one turn at a time; others are refused or visibly queued in order; a turn does not depend on its viewers.

import { expect, test } from "bun:test";
import { gate, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

test("refuses one of two concurrent chats with turn_running", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [[held, say("first")]]);
  const path = `${lab.own}/chat` as const;
  const answers = await Promise.all(
    [1, 2, 3].map((n) => lab.admin.raw("POST", path, { body: { text: `chat ${n}` } })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([202, 409, 409]);
  const message =
    "a turn is running in this workspace; wait for it, cancel it, or send queue: true to queue the message";
  await refusal(lab.admin.post(path, { text: "more" }), "turn_running", message);
  const winner = await answers.find((answer) => answer.status === 202)!.json();
  held.open();
  expect(await lab.end(winner.turn)).toMatchObject({ status: "done" });
  expect(await lab.conversation()).toEqual(["person: chat 1", "agent: first"]);
});

test("shows queued turns, starts them in order, and cancels them", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [[held, say("one")], say("three")]);
  const first = await lab.begin("1");
  await using viewer = await lab.admin.events(`${lab.own}/events?after=0`);
  const second = await lab.begin("2", { queue: true });
  const third = await lab.begin("3", { queue: true });
  expect([first, second, third].map((turn) => turn.status)).toEqual(["running", "queued", "queued"]);
  const queued = await viewer.until((event) => event.type === "turn.queued");
  expect(queued.data).toMatchObject({
    turn_id: second.id,
    data: { turn: { id: second.id, status: "queued", text: "2" } },
  });
  expect(await lab.admin.post(`/turns/${second.id}/cancel`)).toMatchObject({
    status: "cancelled",
    started_at: null,
  });
  expect(await lab.end(second)).toMatchObject({ status: "cancelled" });
  held.open();
  expect(await lab.end(third)).toMatchObject({ status: "done" });
  expect(await lab.conversation()).toEqual(["person: 1", "agent: one", "person: 3", "agent: three"]);
  await viewer.until((event) => event.type === "turn.finished" && event.data.turn_id === third.id);
  const life = viewer.seen
    .filter((event) => event.type.startsWith("turn."))
    .map((event) => `${event.type} ${event.data.turn_id}`);
  expect(life).toEqual([
    "turn.started 1",
    "turn.queued 2",
    "turn.queued 3",
    "turn.finished 2",
    "turn.finished 1",
    "turn.started 3",
    "turn.finished 3",
  ]);
});

test("limits the queue", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.on("boss", [held, say("ok")]);
  await lab.begin("0");
  for (let n = 1; n <= 16; n++) await lab.begin(`${n}`, { queue: true });
  await refusal(lab.begin("17", { queue: true }), "refused", "16 turns are already queued");
  held.open();
  expect(await lab.end({ id: 17 })).toMatchObject({ status: "done" });
  expect(lab.model.requests.map((request) => request.messages.at(-1)!.text)).toEqual(
    Array.from({ length: 17 }, (_, n) => `${n}`),
  );
});

test("cancels a queued turn whose person lost access, and starts the next", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const held = gate();
  lab.model.script("boss", [[held, say("one")], say("three")]);
  await lab.begin("1");
  const path = `${lab.own}/chat` as const;
  const { turn } = await ann.post(path, { text: "2", queue: true });
  const third = await lab.begin("3", { queue: true });
  await lab.admin.delete(`${lab.own}/teams/${team}`);
  held.open();
  expect(await lab.end(third)).toMatchObject({ status: "done" });
  const error = "ann lost access to this workspace";
  expect(await lab.admin.get(`/turns/${turn.id}`)).toMatchObject({
    status: "cancelled",
    error,
    started_at: null,
  });
  await refusal(ann.get(`/turns/${turn.id}`), "not_found", `turn ${turn.id}: not found`);
});

test("refuses an empty text, and accepts a long one", async () => {
  await using lab = await world({ protocol: "openai-compatible" });
  lab.model.on("boss", say("ok"));
  const path = `${lab.own}/chat` as const;
  for (const text of ["", " \n\t"]) {
    await refusal(lab.admin.post(path, { text }), "invalid", "text: must not be empty");
  }
  await refusal(lab.admin.post(path, { text: "x".repeat(400_001) }), "invalid");
  const long = `${"long ".repeat(79_999)}\u0000é𝄞`;
  expect((await lab.chat(long)).turn.status).toBe("done");
  expect(lab.model.requests[0]!.messages.at(-1)!.text).toBe(long);
  expect(lab.model.problems).toEqual([]);
});

test("continues a turn when its viewer leaves", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [[say("before "), held, say("after")]]);
  const viewer = await lab.admin.events(`${lab.own}/chat`, {
    method: "POST",
    body: { text: "hello" },
  });
  const started = await viewer.until((event) => event.type === "turn.started");
  await viewer.until((event) => event.type === "delta");
  await viewer[Symbol.asyncDispose]();
  held.open();
  expect(await lab.end({ id: started.data.turn_id })).toMatchObject({ status: "done" });
  expect(await lab.conversation()).toEqual(["person: hello", "agent: before after"]);
  expect(lab.model.requests.map((request) => request.state)).toEqual(["done"]);
});
