// Goal: a viewer sees everything once and in order, whenever it joins, drops and returns; a viewer who loses access is disconnected; no viewer
// affects another.

import { expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { Replays } from "../../../src/kit/http/replay.ts";
import { ViewerRights } from "../../../src/kit/http/viewer-rights.ts";
import { call, gate, hang, httpError, huge, say, stream } from "../../kit/model/index.ts";
import type { EventReader, StreamEvent } from "../../kit/http/client.ts";
import { until } from "../../kit/eventually.ts";
import { rawStream } from "../../kit/http/raw-http.ts";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";
import { within } from "../../kit/within.ts";

const idsOf = (events: readonly StreamEvent[]) => events.flatMap((event) => event.id ?? []);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** The text so far of an agent's run, from a viewer's events. */
function saidBy(events: readonly StreamEvent[], runId: number): string {
  const spoken = events.filter(
    (event) => ["delta", "partial"].includes(event.type) && event.data.data.run_id === runId,
  );
  return spoken.map((event) => event.data.data.text).join("");
}

async function untilSaid(reader: EventReader, runId: number, text: string): Promise<void> {
  while (saidBy(reader.seen, runId) !== text) if (!(await reader.next())) throw new Error("the stream ended");
}

test("numbers events without gaps, even across rolled-back changes", async () => {
  await using lab = await world({ model: true });
  await lab.addModel("worker");
  const create = (name: string) => call("agent_create", { name, role: "r", model: "worker" });
  lab.model.script("boss", [
    [create("a"), create("a"), call("wire_create", { from: "a", to: "a" }), create("b")],
    say("done"),
  ]);
  await using viewer = await lab.admin.events(`${lab.own}/events?after=0`);
  await lab.chat("go");
  await viewer.until((event) => event.type === "turn.finished");
  expect(idsOf(viewer.seen)).toEqual(upTo(idsOf(viewer.seen).length));
});

test("tells a viewer who joins during the pause of a refused call how long it still lasts", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [httpError(429, "slow down", { retryAfter: 30 })]);
  await using first = await lab.admin.events(`${lab.own}/events?after=0`);
  const turn = await lab.begin("go");
  const { data: begun } = await first.until(({ type }) => type === "retry");
  expect(begun.data).toMatchObject({ wait_ms: 30_000, status: 429 });
  for (const path of [`${lab.own}/events?after=0`, `/turns/${turn.id}/events?after=0`]) {
    await using late = await lab.admin.events(path);
    const { data: joined } = await late.until(({ type }) => type === "retry");
    expect(joined.data).toMatchObject({ run_id: begun.data.run_id, status: 429 });
    expect(joined.data.wait_ms).toBeGreaterThan(0);
    expect(joined.data.wait_ms).toBeLessThanOrEqual(30_000);
  }
  await lab.admin.post(`/turns/${turn.id}/cancel`);
});

test("sends a returning viewer everything once", async () => {
  await using lab = await world({ model: true });
  const [one, two] = [gate(), gate()];
  lab.model.script("boss", [
    [say("a"), one, call("agent_list")],
    [two, say("b")],
  ]);
  const turn = await lab.begin("go");
  const path = `${lab.own}/events`;
  const first = await lab.admin.events(`${path}?after=0`);
  await first.until((event) => event.type === "status");
  const seen = idsOf(first.seen);
  await first[Symbol.asyncDispose]();
  one.open();
  await two.reached;
  await using second = await lab.admin.events(`${path}?after=0`, {
    headers: { "Last-Event-ID": String(seen.at(-1)) },
  });
  await second.until((event) => event.type === "tool.result");
  two.open();
  await second.until((event) => event.type === "turn.finished");
  const all = [...seen, ...idsOf(second.seen)];
  expect(all).toEqual(upTo(all.length));
  await using later = await lab.admin.events(`/turns/${turn.id}/events?after=${all.at(-1)! - 1}`);
  expect((await later.all()).map((event) => event.type)).toEqual(["turn.finished"]);
  expect(await refusalText(lab.admin.raw("GET", path, { headers: { "Last-Event-ID": "x" } }))).toBe(
    "invalid: header Last-Event-ID: expected the ID of an event",
  );
});

test("sends a late viewer the stored events, one partial per open answer, and the following deltas", async () => {
  await using lab = await world({ model: true });
  const [early, late] = [gate(), gate()];
  for (const name of ["ann", "bob"]) await lab.addWorker(name);
  const delegate = (agent: string) => call("delegate", { agent, task: "speak" });
  lab.model.script("boss", [[delegate("ann"), delegate("bob")], say("done")]);
  lab.model.script("ann", [[say("I am "), early, say("ann, truly")]]);
  lab.model.script("bob", [[say("And I "), early, late, say("am bob")]]);
  const turn = await lab.begin("go");
  await using from = await lab.admin.events(`/turns/${turn.id}/events`);
  await untilSaid(from, 2, "I am ");
  await untilSaid(from, 3, "And I ");
  await using joiner = await lab.admin.events(`/turns/${turn.id}/events`);
  await joiner.until((event) => event.type === "partial");
  await joiner.next();
  const kinds = joiner.seen.map((event) => event.type);
  expect(kinds.slice(kinds.indexOf("partial"))).toEqual(["partial", "partial"]);
  expect(joiner.seen.filter((event) => event.type === "partial").map((event) => event.data.data)).toEqual([
    { run_id: 2, agent_id: 2, text: "I am ", reasoning: "" },
    { run_id: 3, agent_id: 3, text: "And I ", reasoning: "" },
  ]);
  early.open();
  await joiner.until((event) => event.type === "tool.result");
  late.open();
  await joiner.all();
  await from.all();
  for (const reader of [joiner, from]) {
    expect([1, 2, 3].map((run) => saidBy(reader.seen, run))).toEqual([
      "done",
      "I am ann, truly",
      "And I am bob",
    ]);
  }
  expect(idsOf(joiner.seen)).toEqual(idsOf(from.seen));
});

test("gives viewers the same text whenever they join", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [stream({ chunks: 300, everyMs: 1 })]);
  const turn = await lab.begin("go");
  const join = async () => {
    await using reader = await lab.admin.events(`/turns/${turn.id}/events`);
    return await reader.all();
  };
  const joiners: Promise<StreamEvent[]>[] = [];
  await using pace = await lab.admin.events(`/turns/${turn.id}/events`);
  for (let n = 0; n < 10; n++) {
    joiners.push(join());
    for (let chunk = 0; chunk < 20; chunk++) await pace.next();
  }
  const seen = await Promise.all(joiners);
  const [, answer] = await lab.entries();
  expect(seen.map((events) => saidBy(events, 1))).toEqual(seen.map(() => answer!.text));
  expect(seen.map((events) => idsOf(events))).toEqual(seen.map(() => idsOf(seen[0]!)));
});

test("disconnects a viewer that does not read, without affecting others", async () => {
  await using lab = await world({ model: true });
  const answers = Array.from({ length: 11 }, () => [huge(1_000_000), call("agent_list")]);
  lab.model.script("boss", [...answers, say("end")]);
  const socket = connect(lab.program.service.port, "127.0.0.1");
  socket.write(
    `GET /api/v1/workspaces/${lab.workspaceId}/events?after=0 HTTP/1.1\r\nHost: ${new URL(lab.url).host}\r\n\r\n`,
  );
  await within("the stream begins", new Promise((resolve) => socket.once("readable", resolve)));
  const { turn, events } = await lab.chat("go");
  expect(turn.status).toBe("done");
  expect(saidBy(events, 1)).toHaveLength(11 * 1_000_000 + 3);
  let received = "";
  const ended = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    if (received.endsWith("0\r\n\r\n")) ended.resolve();
  });
  await within("the stream ends", ended.promise);
  socket.destroy();
  expect(received.length).toBeGreaterThan(1_000_000);
  expect(received).not.toContain("turn.finished");
  const id = Number([...received.matchAll(/^id: (\d+)$/gm)].at(-1)![1]);
  await using again = await lab.admin.events(`/turns/${turn.id}/events`, {
    headers: { "Last-Event-ID": String(id) },
  });
  expect((await again.all()).at(-1)!.type).toBe("turn.finished");
});

test("keeps nothing of a viewer that asks for the headers only, or leaves at any moment", async () => {
  await using lab = await world({ model: true });
  const { token } = await lab.user("ann", "admin");
  const headers = { Authorization: `Bearer ${token}` };
  const url = `${lab.url}/api/v1/workspaces/${lab.workspaceId}/events?after=0`;
  expect((await fetch(url, { method: "HEAD", headers })).status).toBe(200);
  const missing = url.replace(/workspaces\/\d+/, "workspaces/999");
  expect((await fetch(missing, { headers })).status).toBe(404);
  for (let waitMs = 0; waitMs < 10; waitMs++) {
    const leaving = new AbortController();
    const reading = fetch(url, { headers, signal: leaving.signal }).then((response) => response.text());
    await Bun.sleep(waitMs);
    leaving.abort();
    await reading.catch(() => {});
  }
  await until(async () =>
    (await (await fetch(`${lab.url}/metrics`)).text()).includes("\nservice_sse_clients 0\n"),
  );
});

test("ends the stream of a finished turn, and continues that of a resumed one", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [hang(), [held, say("now")]]);
  const turn = await lab.begin("go");
  await lab.model.waitFor(1);
  await lab.admin.post(`/turns/${turn.id}/cancel`);
  await using first = await lab.admin.events(`/turns/${turn.id}/events`);
  expect((await first.all()).map((event) => event.type)).toEqual([
    "turn.started",
    "entry",
    "status",
    "usage",
    "status",
    "turn.finished",
  ]);
  await lab.admin.post(`/turns/${turn.id}/resume`);
  await using second = await lab.admin.events(`/turns/${turn.id}/events?after=${first.seen.at(-1)!.id}`);
  await second.until((event) => event.type === "turn.resumed");
  held.open();
  expect((await second.all()).at(-1)!.data.data.turn).toMatchObject({ id: turn.id, status: "done" });

  // A live end is final; a replay shows that the turn continued.
  const ends = (events: readonly StreamEvent[]) =>
    events
      .filter(({ type }) => type === "turn.finished")
      .map(({ data }) => [data.data.turn.status, data.data.final]);
  expect(ends([...first.seen, ...second.seen])).toEqual([
    ["cancelled", true],
    ["done", true],
  ]);
  for (const path of [`/turns/${turn.id}`, lab.own]) {
    await using replay = await lab.admin.events(`${path}/events?after=0`);
    await replay.until(({ type, data }) => type === "turn.finished" && data.data.turn.status === "done");
    expect(ends(replay.seen)).toEqual([
      ["cancelled", false],
      ["done", true],
    ]);
  }
});

test("sends a viewer of one turn nothing of another", async () => {
  await using lab = await world({ model: true });
  const held = gate();
  lab.model.script("boss", [[say("first"), held], say("second")]);
  const first = await lab.begin("1");
  const second = await lab.begin("2", { queue: true });
  await using watcher = await lab.admin.events(`/turns/${first.id}/events`);
  await untilSaid(watcher, 1, "first");
  await using viewer = await lab.admin.events(`/turns/${second.id}/events`);
  await viewer.until((event) => event.type === "turn.queued");
  held.open();
  const events = await viewer.all();
  expect([...new Set(events.map((event) => event.data.turn_id))]).toEqual([second.id]);
  expect(saidBy(events, 2)).toBe("second");
});

test("disconnects viewers who lose access, and keeps the others", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const held = gate();
  lab.model.script("boss", [[say("so far"), held, say(" so good")]]);
  const turn = await lab.begin("go");
  await using hers = await ann.events(`${lab.own}/events?after=0`);
  await using mine = await lab.admin.events(`/turns/${turn.id}/events`);
  await untilSaid(hers, 1, "so far");
  await lab.admin.delete(`${lab.own}/teams/${team}`);
  await hers.all();
  held.open();
  await mine.all();
  expect([saidBy(hers.seen, 1), saidBy(mine.seen, 1)]).toEqual(["so far", "so far so good"]);
  await refusal(ann.get(`${lab.own}/events`), "not_found");
});

test("closes the connection of an ended stream, at the end of its turn and of access", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const held = gate();
  lab.model.script("boss", [[held, say("done")]]);
  const turn = await lab.begin("go");
  await using ofTurn = await rawStream(lab.url, `/api/v1/turns/${turn.id}/events`, ann.token);
  held.open();
  expect(await ofTurn.closed).toEndWith("\r\n0\r\n\r\n");
  await using ofWorkspace = await rawStream(
    lab.url,
    `/api/v1/workspaces/${lab.workspaceId}/events`,
    ann.token,
  );
  await lab.admin.delete(`${lab.own}/teams/${team}`);
  expect(await ofWorkspace.closed).toEndWith("\r\n0\r\n\r\n");
});

test("stops the turn of a deleted workspace and notifies its viewers", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [[say("so far"), hang()]]);
  const turn = await lab.begin("go");
  await lab.begin("next", { queue: true });
  await using viewer = await lab.admin.events(`${lab.own}/events?after=0`);
  await untilSaid(viewer, 1, "so far");
  const [late] = await Promise.all([
    lab.admin.raw("POST", `${lab.own}/chat`, { body: { text: "too late", queue: true } }),
    lab.admin.delete(lab.own),
  ]);
  expect([202, 404]).toContain(late.status);
  const events = await viewer.all();
  const finished = events
    .filter((event) => event.type === "turn.finished")
    .map((event) => event.data.data.turn.status);
  expect(finished.every((status) => status === "cancelled")).toBe(true);
  expect(events.at(-1)).toMatchObject({
    type: "workspace.removed",
    data: { data: { workspace_id: lab.workspaceId } },
  });
  await lab.model.waitFor((request) => request.state === "aborted");
  await refusal(lab.admin.get(`/turns/${turn.id}`), "not_found", `turn ${turn.id}: not found`);
  expect(lab.model.requests).toHaveLength(1);
  expect(lab.program.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test("ends the streams when the service stops", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [[say("so far"), hang()]]);
  const turn = await lab.begin("go");
  await using viewer = await lab.admin.events(`/turns/${turn.id}/events`);
  await using other = await lab.admin.events(`${lab.own}/events`);
  await untilSaid(viewer, 1, "so far");
  await lab.program.service.stop("test");
  expect((await viewer.all()).at(-1)!.data.data.turn.status).toBe("interrupted");
  await other.all();
});

test("asks for the right of a viewer before each page of stored events, if the recheck of all viewers comes late", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const moves = Array.from({ length: 250 }, (_, x) => ({ position: { x, y: 0 } }));
  await Promise.all(moves.map((move) => lab.admin.patch(`/agents/${lab.orchestratorId}`, move)));

  const { start } = Replays.prototype;
  using _sweep = spyOn(ViewerRights.prototype, "changed").mockImplementation(() => {});
  using starts = spyOn(Replays.prototype, "start").mockImplementation(function (this: Replays, replay) {
    spyOn(replay.watching.viewer, "drained").mockImplementationOnce(async () => {
      await lab.admin.delete(`/teams/${team}/members/${ann.id}`);
      return true;
    });
    return start.call(this, replay);
  });
  await using viewer = await ann.events(`${lab.own}/events?after=0`);
  // One page.
  await viewer.until(({ id }) => id === 200);
  expect(await viewer.next()).toBeUndefined();
  expect(starts).toHaveBeenCalledTimes(1);
});
