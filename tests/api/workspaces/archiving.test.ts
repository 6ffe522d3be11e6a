// Goal: owners and admins rename and archive workspaces; an archived one is hidden and readable, and refuses every change.

import { expect, test } from "bun:test";
import { everything, inhabited } from "../../kit/service/inhabited.ts";
import { gate, say } from "../../kit/model/index.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { world } from "../../kit/service/world.ts";

const ARCHIVED = [
  "refused",
  "the workspace is archived; unarchive it to change it",
  { archived: true },
] as const;

test("changes the display name, and neither name nor branch; null restores it", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const lab = await at.workspace("lab", anna);
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("both", anna, bert)}`);
  const shared = await anna.get(`/workspaces/${lab.id}`);
  const path = `/workspaces/${lab.id}`;
  await using stream = await bert.events(`${path}/events?after=0`);

  const named = { ...shared, display_name: "Laboratory ✨" };
  expect(await anna.patch(path, { display_name: "  Laboratory ✨ " })).toEqual(named);
  expect(await bert.get(path)).toEqual(named);
  expect((await bert.get("/workspaces"))[0]).toEqual(named);
  const told = await stream.until(
    (event) => event.type === "workspace.updated" && event.data.data.workspace.display_name !== "lab",
  );
  expect(told.data.data).toEqual({ workspace: named });

  await refusal(
    bert.patch(path, { display_name: "Mine" }),
    "forbidden",
    "only the owner or an admin may change its display name",
  );
  for (const bad of ["", " ", "a\u202eb", "x".repeat(101), "two\nlines"])
    await refusal(anna.patch(path, { display_name: bad }), "invalid");
  await anna.patch(path, { display_name: "Laboratory ✨" });
  expect(await at.admin.patch(path, { display_name: null })).toEqual(shared);
  const records = await at.admin.get("/audit?limit=4");
  expect(records.filter(({ action }) => action === "workspace.rename").map(({ detail }) => detail)).toEqual([
    { from: "Laboratory ✨", to: "lab" },
    { from: "lab", to: "Laboratory ✨" },
  ]);
});

test("hides an archived workspace from the list and shows it in the list of archived ones", async () => {
  await using at = await world({ model: "silent" });
  const [anna, bert] = [await at.user("anna"), await at.user("bert")];
  const [lab, other] = [await at.workspace("lab", anna), await at.workspace("other", anna)];
  await at.admin.put(`/workspaces/${lab.id}/teams/${await at.team("both", anna, bert)}`);
  const names = async (query = "", as = anna) =>
    (await as.get(`/workspaces${query}`)).map(({ name }) => name);
  await refusal(
    bert.post(`/workspaces/${lab.id}/archive`),
    "forbidden",
    "only the owner or an admin may archive a workspace",
  );
  await refusal(bert.post(`/workspaces/${other.id}/archive`), "not_found");

  const archived = await anna.post(`/workspaces/${lab.id}/archive`);

  expect(archived.archived_at).not.toBeNull();
  expect(await anna.post(`/workspaces/${lab.id}/archive`)).toEqual(archived);
  expect(await names()).toEqual(["other"]);
  expect(await names("?archived=1", bert)).toEqual(["lab"]);
  expect(await bert.get(`/workspaces/${lab.id}`)).toEqual(archived);
  await refusal(
    bert.post(`/workspaces/${lab.id}/unarchive`),
    "forbidden",
    "only the owner or an admin may unarchive a workspace",
  );
  expect((await anna.post(`/workspaces/${lab.id}/unarchive`)).archived_at).toBeNull();
  expect(await names()).toEqual(["lab", "other"]);
  expect(await names("?archived=true")).toEqual([]);
});

test("refuses every change of an archived workspace, and changes nothing; access can still be taken away", async () => {
  await using lab = await inhabited();
  const { admin, ids, own } = lab;
  await admin.put(`${own}/teams/${ids["teams"]}`);
  await admin.post(`${own}/archive`);
  const before = await everything(lab);
  const attempts: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ["POST", `${own}/chat`, { text: "Hello?" }],
    ["POST", `/turns/${ids["turns"]}/resume`],
    ["PUT", `${own}/branch`, { turn_id: ids["turns"] }],
    ["DELETE", `/entries/${ids["entries"]}`],
    ["POST", `/entries/${ids["entries"]}/restore`],
    ["POST", `/entries/${ids["entries"]}/clear-taint`],
    ["POST", `${own}/clear-taint`, { through: ids["entries"] }],
    ["PATCH", own, { budget: null }],
    ["PATCH", own, { display_name: "New" }],
    ["POST", `${own}/agents`, { name: "new", role: "", model_id: lab.bossId }],
    ["PATCH", `/agents/${ids["agents"]}`, { role: "new" }],
    ["DELETE", `/agents/${ids["agents"]}`],
    ["POST", `${own}/wires`, { from_agent_id: ids["agents"], to_agent_id: lab.orchestratorId }],
    ["DELETE", `/wires/${ids["wires"]}`],
    ["PUT", `${own}/file?path=notes.md`, "new"],
    ["POST", `${own}/gears`, { gear_id: ids["gears"], agent_id: ids["agents"] }],
    ["DELETE", `/gear-bindings/${ids["gear-bindings"]}`],
    ["POST", `${own}/instructions`, { instruction_id: ids["instructions"], agent_id: ids["agents"] }],
    ["DELETE", `/instruction-bindings/${ids["instruction-bindings"]}`],
    ["POST", `${own}/context`, { path: "team/other.md" }],
    ["DELETE", `/context-bindings/${ids["context-bindings"]}`],
    ["POST", `${own}/egress`, { agent_id: ids["agents"] }],
    ["PUT", `${own}/teams/${ids["teams"]}`],
  ];
  for (const [method, path, body] of attempts)
    await refusal(await admin.raw(method, path, body === undefined ? {} : { body }), ...ARCHIVED);
  expect(await everything(lab)).toEqual(before);

  await admin.delete(`${own}/teams/${ids["teams"]}`);
  await admin.post(`${own}/clone`);
  await admin.delete(own);
});

test("refuses to archive while a turn runs or is queued, and works once they are cancelled", async () => {
  await using lab = await world({ model: true });
  const hanging = gate();
  lab.model.script("boss", [[say("One moment. "), hanging, say("late")]]);
  const first = await lab.begin("Go.");
  await hanging.reached;
  const second = await lab.begin("Then this.", { queue: true });
  const busy = [
    "turn_running",
    "a turn is running or queued in this workspace; wait for it or cancel it",
  ] as const;

  await refusal(lab.admin.post(`${lab.own}/archive`), ...busy);
  await lab.admin.post(`/turns/${second.id}/cancel`);
  await refusal(lab.admin.post(`${lab.own}/archive`), ...busy);
  await lab.admin.post(`/turns/${first.id}/cancel`);
  hanging.open();

  expect((await lab.admin.post(`${lab.own}/archive`)).archived_at).not.toBeNull();
  expect(await lab.admin.get(`${lab.own}/entries`)).not.toEqual([]);
});
