// Goal: a turn acts with its person's current rights, and ends with the reason when they lose them.

import { expect, test } from "bun:test";
import type { Client } from "../../kit/http/client.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { call, gate, say } from "../../kit/model/index.ts";
import { type World, world } from "../../kit/service/world.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";

const FORGE = call("gear_forge", {
  name: "mine",
  description: "",
  runtime: "bash",
  code: "cat",
  args_schema: '{"type":"object"}',
});

/** A member of a team with which the workspace is shared. */
async function member(lab: World, name = "ann") {
  const ann = await lab.user(name);
  return { ann, team: await lab.share(ann) };
}

type Member = Awaited<ReturnType<typeof member>>;

async function chatAs(lab: World, { ann }: { ann: Client }, queue = false): Promise<Turn> {
  return (await ann.post(`${lab.own}/chat`, { text: "go", queue })).turn;
}

async function effects(lab: World): Promise<string[]> {
  const agents = await lab.admin.get(`${lab.own}/agents`);
  const gears = await lab.admin.get("/gears");
  const files = await lab.admin.get(`${lab.own}/files`);
  return [
    ...agents.map(({ name }) => name),
    ...gears.map(({ name }) => name),
    ...files.map(({ path }) => path),
  ];
}

const LOST = "ann lost access to this workspace";

const losses: [what: string, reason: string, take: (lab: World, who: Member) => Promise<unknown>][] = [
  [
    "removed from the team",
    LOST,
    ({ admin }, { ann, team }) => admin.delete(`/teams/${team}/members/${ann.id}`),
  ],
  [
    "the workspace is no longer shared",
    LOST,
    ({ admin, workspaceId }, { team }) => admin.delete(`/workspaces/${workspaceId}/teams/${team}`),
  ],
  ["the team is deleted", LOST, ({ admin }, { team }) => admin.delete(`/teams/${team}`)],
  ["deleted", "ann was deleted", ({ admin }, { ann }) => admin.delete(`/users/${ann.id}`)],
  [
    "tokens revoked",
    "the tokens of ann were revoked",
    ({ admin }, { ann }) => admin.delete(`/users/${ann.id}/tokens`),
  ],
  [
    "password reset",
    "the password of ann was reset",
    ({ admin }, { ann }) => admin.put(`/users/${ann.id}/password`, { password: "a new password" }),
  ],
];

test.each(losses)("%s: later requests of the model are not executed", async (_, reason, take) => {
  await using lab = await world({ model: true });
  const who = await member(lab);
  const before = await effects(lab);
  const held = gate();
  lab.model.script("boss", [
    [
      held,
      call("agent_create", { name: "spy", role: "r", model: "boss" }),
      FORGE,
      call("file_write", { path: "spy.txt", content: "x" }),
    ],
  ]);
  const turn = await chatAs(lab, who);
  const queued = await chatAs(lab, who, true);
  await held.reached;
  await take(lab, who);
  held.open();
  expect(await lab.end(turn)).toMatchObject({ status: "cancelled", error: reason });
  expect(await lab.end(queued)).toMatchObject({ status: "cancelled", error: reason });
  expect(await effects(lab)).toEqual(before);
  expect(lab.model.requests).toHaveLength(1);
});

test("ends a deleted or demoted admin's turns in the workspaces of others", async () => {
  await using lab = await world({ model: true });
  const owner = await lab.user("owner");
  const [model] = await lab.admin.get("/models");
  const { id } = await owner.post("/workspaces", { name: "theirs", orchestrator_model_id: model!.id });
  const takes = {
    "root was deleted": (user: number) => lab.admin.delete(`/users/${user}`),
    "boss lost access to this workspace": (user: number) =>
      lab.admin.patch(`/users/${user}`, { role: "member" }),
  };
  for (const [reason, take] of Object.entries(takes)) {
    const admin = await lab.user(reason.split(" ")[0]!, "admin");
    const held = gate();
    lab.model.script("boss", [[held, call("file_write", { path: "a.txt", content: "x" })]]);
    const { turn } = await admin.post(`/workspaces/${id}/chat`, { text: "go" });
    await held.reached;
    await take(admin.id);
    held.open();
    expect(await lab.end(turn, owner)).toMatchObject({ status: "cancelled", error: reason });
  }
  expect(await owner.get(`/workspaces/${id}/files`)).toEqual([]);
});

test("continues with a changed role if the person still sees the workspace", async () => {
  await using lab = await world({ model: true });
  const boss = await lab.user("boss", "admin");
  const [model] = await lab.admin.get("/models");
  const { id } = await boss.post("/workspaces", { name: "own", orchestrator_model_id: model!.id });
  const held = gate();
  lab.model.script("boss", [
    [held, call("agent_create", { name: "helper", role: "r", model: "boss" })],
    say("done"),
  ]);
  const { turn } = await boss.post(`/workspaces/${id}/chat`, { text: "go" });
  await held.reached;
  await lab.admin.patch(`/users/${boss.id}`, { role: "member" });
  held.open();
  expect(await lab.end(turn, boss)).toMatchObject({ status: "done", error: null });
  const [record] = await lab.admin.get("/audit?action=wire.create&limit=1");
  expect(record).toMatchObject({ actor: "boss", role: "member" });
});

test("stops a worker during its run", async () => {
  await using lab = await world({ model: true });
  const who = await member(lab);
  await lab.addWorker("scribe");
  const held = gate();
  lab.model.script("boss", [call("delegate", { agent: "scribe", task: "write" }), say("never")]);
  lab.model.script("scribe", [[held, call("file_write", { path: "a.txt", content: "x" })]]);
  const turn = await chatAs(lab, who);
  await held.reached;
  await lab.admin.delete(`/teams/${who.team}/members/${who.ann.id}`);
  held.open();
  expect(await lab.end(turn)).toMatchObject({ status: "cancelled", error: LOST });
  expect(await lab.admin.get(`${lab.own}/files`)).toEqual([]);
});

test("ends no turn on logout, but those of other tokens when users change their password", async () => {
  await using lab = await world({ model: true });
  const { ann, team } = await member(lab);
  const passwords = ["the first password", "the second password"] as const;
  await lab.admin.put(`/users/${ann.id}/password`, { password: passwords[0] });
  const login = async (password: string) =>
    lab.as((await lab.admin.post("/login", { user: "ann", password })).token);
  const who = { ann: await login(passwords[0]), team };
  const [out, changed] = [gate(), gate()];
  lab.model.script("boss", [[out, say("done")], [changed, say("never")], say("done")]);
  const first = await chatAs(lab, who);
  await out.reached;
  await who.ann.post("/logout");
  out.open();
  expect(await lab.end(first)).toMatchObject({ status: "done", error: null });

  const [left, kept] = [await login(passwords[0]), await login(passwords[0])];
  const second = await chatAs(lab, { ann: left });
  const third = await chatAs(lab, { ann: kept }, true);
  await changed.reached;
  await kept.put(`/users/${ann.id}/password`, { password: passwords[1], current_password: passwords[0] });
  expect(await lab.end(second)).toMatchObject({
    status: "cancelled",
    error: "the password of ann was changed",
  });
  expect(await lab.end(third)).toMatchObject({ status: "done", error: null });
});

test("acts for the person who resumed the turn", async () => {
  await using lab = await world({ model: true });
  const who = await member(lab);
  const held = gate();
  lab.model.script("boss", [
    [held, say("never")],
    call("agent_create", { name: "helper", role: "r", model: "boss" }),
    say("done"),
  ]);
  const turn = await chatAs(lab, who);
  await held.reached;
  await lab.admin.delete(`/users/${who.ann.id}`);
  await lab.end(turn);
  await lab.admin.post(`/turns/${turn.id}/resume`);
  expect(await lab.end(turn)).toMatchObject({ status: "done", error: null, user_name: "ann" });
  const [record] = await lab.admin.get("/audit?action=wire.create&limit=1");
  expect(record).toMatchObject({ actor: "admin", role: "admin", detail: { agent: "orchestrator" } });
});

test("starts a queued turn after a restart with its person's current rights", async () => {
  await using folder = await temporaryFolder();
  await using lab = await world({ model: true, data: folder.path });
  const [ann, bob] = [await member(lab, "ann"), await member(lab, "bob")];
  const held = gate();
  lab.model.script("boss", [[held, say("never")], call("agent_list"), say("done")]);
  const first = await lab.begin("go");
  await held.reached;
  const [second, third] = [await chatAs(lab, ann, true), await chatAs(lab, bob, true)];
  await lab.admin.delete(`/users/${ann.ann.id}`);
  await lab.program.service.stop("test");
  await using again = await world({ data: folder.path });
  expect(await again.end(third)).toMatchObject({ status: "done", error: null });
  expect(await again.admin.get(`/turns/${first.id}`)).toMatchObject({ status: "interrupted" });
  expect(await again.admin.get(`/turns/${second.id}`)).toMatchObject({
    status: "cancelled",
    error: "ann was deleted",
  });
});
