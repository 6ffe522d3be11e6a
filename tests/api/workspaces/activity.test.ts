// Goal: the list of workspaces shows each person what runs, what waits for them, the last activity and today's cost, and is told what changes.

import { expect, test } from "bun:test";
import type { Client } from "../../kit/http/client.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { DAY_MS, manualClock } from "../../kit/manual-clock.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { world } from "../../kit/service/world.ts";

const activity = async (client: Client, query = "") =>
  (await client.get(`/workspaces/activity${query}`)).workspaces;
const NOTHING = { tokens: 0, cost: 0, unpriced_calls: 0 };

test("shows what runs, what is queued and what waits for the person who asks", async () => {
  await using lab = await world({ model: true });
  const anna = await lab.user("anna");
  await lab.share(anna);
  const quiet = await lab.workspace("quiet", anna);
  const hanging = gate();
  lab.model.script("boss", [
    [call("instruction_save", { name: "manners", text: "Say please." })],
    [say("One moment."), hanging, say("Done.")],
  ]);
  const turn = await lab.begin("Go.");
  await hanging.reached;
  const queued = await lab.begin("Then this.", { queue: true });
  const row = {
    workspace_id: lab.workspaceId,
    turn: { id: turn.id, number: 1, status: "running", started_at: expect.any(String) },
    queued: 1,
    approvals: 1,
    last_activity_at: expect.any(String),
  } as const;
  const [busy, idle] = await activity(lab.admin);
  expect(busy).toMatchObject(row as never);
  expect(idle).toEqual({
    workspace_id: quiet.id,
    turn: null,
    queued: 0,
    approvals: 0,
    last_activity_at: expect.any(String),
    today: NOTHING,
  });
  expect((await activity(anna)).map(({ workspace_id: id }) => id)).toEqual([lab.workspaceId, quiet.id]);
  await lab.admin.post(`/turns/${queued.id}/cancel`);
  hanging.open();
  await lab.end(turn);
  expect((await activity(lab.admin))[0]).toMatchObject({ turn: null, queued: 0, approvals: 1 });
});

test("shows no workspace that the person may not see, also when it is asked for by its id", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const [hers, his] = [await at.workspace("hers", anna), await at.workspace("his", bert)];
  const ids = async (client: Client, query = "") =>
    (await activity(client, query)).map(({ workspace_id: id }) => id).sort();
  expect(await ids(anna)).toEqual([hers.id]);
  expect(await ids(anna, `?ids=${his.id},${hers.id},999`)).toEqual([hers.id]);
  expect(await ids(at.admin)).toEqual([hers.id, his.id]);
  expect(await ids(at.admin, `?ids=${his.id}`)).toEqual([his.id]);
  for (const bad of ["", "x", "1,,2", "0", "1e3", "-1"])
    await refusal(
      anna.get(`/workspaces/activity?ids=${bad}`),
      "invalid",
      "query parameter ids: expected ids separated by commas",
      { in: "query", field: "ids", problem: "expected ids separated by commas" },
    );
  const many = Array.from({ length: 101 }, (_, index) => index + 1).join(",");
  await refusal(anna.get(`/workspaces/activity?ids=${many}`), "invalid");
});

test("shows an unknown cost as unknown and a known one as a sum, and forgets it the next day", async () => {
  const clock = manualClock();
  await using lab = await world({ model: true, clock });
  const today = async () => (await activity(lab.admin))[0]!.today;
  expect(await today()).toEqual(NOTHING);
  lab.model.script("boss", [say("One.")]);
  await lab.chat("Go.");
  expect(await today()).toMatchObject({ cost: null, unpriced_calls: 1 });
  await lab.admin.patch(`/models/${lab.bossId}`, { input_price: 1, output_price: 1 });
  lab.model.script("boss", [say("Two.")]);
  await lab.chat("Again.");
  const { tokens, cost, unpriced_calls: unpriced } = await today();
  expect(tokens).toBeGreaterThan(0);
  expect(cost).toBeGreaterThan(0);
  expect(unpriced).toBe(1);
  clock.advance(DAY_MS);
  expect(await today()).toEqual(NOTHING);
});

test("sorts by the last activity, latest first", async () => {
  const clock = manualClock();
  await using at = await world({ model: "silent", clock });
  const made = [];
  for (const name of ["one", "two", "three"]) {
    clock.advance(1000);
    made.push((await at.workspace(name)).id);
  }
  const [one, two, three] = made as [number, number, number];
  clock.advance(60_000);
  await at.in(one).agent("worker", { model: "boss" });
  const rows = await activity(at.admin);
  expect(rows.map(({ workspace_id: id }) => id)).toEqual([one, three, two]);
  expect(rows.map(({ last_activity_at: time }) => time.slice(11, 19))).toEqual([
    "12:01:03",
    "12:00:03",
    "12:00:02",
  ]);
});

test("tells viewers which workspaces changed, and each only those that they see", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const [hers, his] = [await at.workspace("hers", anna), await at.workspace("his", bert)];
  await using all = await at.admin.events("/workspaces/events");
  await using own = await anna.events("/workspaces/events");
  await at.in(his.id).agent("worker", { model: "boss" });
  await at.in(hers.id).agent("worker", { model: "boss" });

  const idsIn = (reader: typeof all) => reader.seen.flatMap((event) => event.data.workspace_ids as number[]);
  await all.until(() => [hers.id, his.id].every((id) => idsIn(all).includes(id)));
  await own.until(() => idsIn(own).includes(hers.id));
  expect(new Set(all.seen.map(({ type }) => type))).toEqual(new Set(["activity.changed"]));
  expect(idsIn(own)).toEqual([hers.id]);

  // The end of a workspace is told to those who saw it.
  const shared = await at.workspace("shared", bert);
  const team = await at.team("both", anna, bert);
  await at.admin.put(`/workspaces/${shared.id}/teams/${team}`);
  await own.until(() => idsIn(own).includes(shared.id));
  const [before, beforeAll] = [own.seen.length, all.seen.length];
  await at.admin.delete(`/workspaces/${his.id}`);
  await at.admin.delete(`/workspaces/${shared.id}/teams/${team}`);
  const toldSince = (reader: typeof all, from: number) =>
    reader.seen.slice(from).flatMap((event) => event.data.workspace_ids as number[]);
  await own.until(() => toldSince(own, before).includes(shared.id));
  await all.until(() => toldSince(all, beforeAll).includes(his.id));
  expect(toldSince(own, before)).not.toContain(his.id);

  // A person who loses access is told nothing more.
  await at.admin.delete(`/users/${anna.id}/tokens`);
  await at.in(hers.id).agent("another", { model: "boss" });
  const told = own.seen.length;
  expect((await own.all()).length).toBe(told);
});

test("tells viewers which workspaces they gained or lost with a team, although nothing happens there", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  const shared = await at.workspace("shared");
  const other = await at.workspace("other");
  const [team, rest] = [await at.team("both"), await at.team("rest", anna)];
  for (const [workspace, to] of [
    [shared, team],
    [other, rest],
  ] as const)
    await at.admin.put(`/workspaces/${workspace.id}/teams/${to}`);
  await using own = await anna.events("/workspaces/events");
  const told = () => own.seen.flatMap((event) => event.data.workspace_ids as number[]);
  const tellsNext = async () => {
    const before = told().length;
    await own.until(() => told().length > before);
    return told().slice(before);
  };
  await at.admin.put(`/teams/${team}/members/${anna.id}`);
  expect(await tellsNext()).toEqual([shared.id]);
  await at.admin.delete(`/teams/${team}/members/${anna.id}`);
  expect(await tellsNext()).toEqual([shared.id]);
  await at.admin.delete(`/teams/${rest}`);
  expect(await tellsNext()).toEqual([other.id]);
});

test("ends the stream of a person whose tokens are revoked, although nothing happens", async () => {
  await using at = await world({ model: "silent" });
  const anna = await at.user("anna");
  await using own = await anna.events("/workspaces/events");
  await at.admin.delete(`/users/${anna.id}/tokens`);
  expect(await own.all()).toEqual([]);
});
