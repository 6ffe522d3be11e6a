// Goal: a workspace is exported as one file without secrets and comes back from it, equal but for ids; a file is imported whole or not at all.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Imported } from "../../../src/service/transfer/schema.ts";
import type { Client } from "../../kit/http/client.ts";
import { eventually } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { inhabited, type Inhabited } from "../../kit/service/inhabited.ts";
import { addTurns } from "../../kit/service/long-conversation.ts";
import { gate, say } from "../../kit/model/index.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";
import { KEY, world, type World } from "../../kit/service/world.ts";

type Line = Record<string, unknown>;

const exported = async (client: Client, id: number, query = ""): Promise<string> => {
  const response = await client.raw("GET", `/workspaces/${id}/export${query}`);
  expect(response.status).toBe(200);
  return response.text();
};
const send = (client: Client, file: string, query = "") =>
  client.raw("PUT", `/workspaces/import${query}`, {
    body: file,
    headers: { "Content-Type": "application/x-ndjson" },
  });
const imported = async (client: Client, file: string, query = ""): Promise<Imported> => {
  const response = await send(client, file, query);
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Imported;
};
const linesOf = (file: string): Line[] =>
  file
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
/** Without what may differ: the name and the time in the first line, the hash in the last. */
const comparable = (file: string) => {
  const lines = linesOf(file);
  return [{ ...lines[0], exported_at: "", name: "", created_at: "" }, ...lines.slice(1, -1)];
};
/** A file with these lines, and with the last line that belongs to them. */
const fileOf = (lines: readonly Line[]) => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ type: "end", lines: lines.length, sha256 })}\n`;
};
const edited = (file: string, edit: (lines: Line[]) => void) => {
  const lines = linesOf(file).slice(0, -1);
  edit(lines);
  return fileOf(lines);
};

/** Everything that an export may hold: branches, a forgotten entry, a removed agent, a long text, files. */
async function furnished(): Promise<Inhabited> {
  const lab = await inhabited();
  const { admin, own, ids } = lab;
  lab.model.script("boss", [say("x".repeat(300_000)), say("Another way.")]);
  await lab.chat("At length, please.");
  await lab.end(await lab.begin("Or so?", { after: ids["turns"] }));
  await admin.delete(`/entries/${ids["entries"]}`);
  const gone = await lab.agent("gone");
  await admin.delete(`/agents/${gone.id}`);
  await admin.patch(own, { display_name: "Laboratory", budget: { tokens_per_day: 1_000_000 } });
  await admin.raw("PUT", `${own}/file?path=deep/er/file.txt`, { body: "ü\n".repeat(100_000) });
  return lab;
}

test("comes back from its file equal but for ids, and again", async () => {
  await using lab = await furnished();
  const { admin, workspaceId, own } = lab;
  const file = await exported(admin, workspaceId);
  expect(file).not.toContain(KEY);
  const kinds = new Set(linesOf(file).map(({ type }) => type));
  expect(kinds).toEqual(
    new Set(
      `workspace model agent wire instruction instruction_binding gear gear_file gear_binding document part turn run
       tool_call entry call branch file more end`.split(/\s+/),
    ),
  );

  const { workspace, gears, instructions } = await imported(admin, file);

  expect(workspace).toMatchObject({ display_name: "Laboratory", archived_at: null, team_ids: [] });
  // Gears and instructions are here already, with the same content.
  expect([...gears, ...instructions].filter(({ created }) => created)).toEqual([]);
  const again = await exported(admin, workspace.id);
  expect(comparable(again)).toEqual(comparable(file));
  const third = await imported(admin, again, "?name=third");
  expect(third.workspace.name).toBe("third");
  expect(comparable(await exported(admin, third.workspace.id))).toEqual(comparable(file));

  const there = `/workspaces/${workspace.id}` as const;
  const [before, after] = [
    await admin.get(`${own}/entries?branches=all`),
    await admin.get(`${there}/entries?branches=all`),
  ];
  const said = (entries: typeof before) =>
    entries.map(({ kind, text, forgotten, aside, tainted }) => ({ kind, text, forgotten, aside, tainted }));
  expect(said(after)).toEqual(said(before));
  const read = await admin.get(`${there}/file?path=deep/er/file.txt`);
  expect(read.content).toBe("ü\n".repeat(100_000));
  // The exact prompts are there, and the conversation goes on.
  const turns = await admin.get(`${there}/turns`);
  const calls = await admin.get(`/turns/${turns[0]!.id}/calls`);
  const call = await admin.get(`/calls/${calls[0]!.id}`);
  expect(call.parts.map(({ text }) => text).join()).toContain("Go.");
  const place = await lab.in(workspace.id).enter(workspace.id);
  lab.model.script("boss", [say("Still here.")]);
  expect(await place.chat("Are you there?")).toMatchObject({
    turn: { status: "done", number: turns.at(-1)!.number + 1 },
  });
  await admin.delete(there);
});

test("a turn keeps the name of its person as text, and is nobody's here", async () => {
  await using lab = await furnished();
  const { admin, workspaceId, own } = lab;
  const sent = await admin.get(`${own}/turns`);
  expect(new Set(sent.map(({ user_name, imported: is }) => `${user_name} ${is}`))).toEqual(
    new Set(["admin false"]),
  );
  const file = edited(await exported(admin, workspaceId), (lines) => {
    for (const line of lines) if (line.type === "turn") line.user = "Grace";
  });
  const { workspace } = await imported(admin, file);
  const there = `/workspaces/${workspace.id}` as const;
  const turns = await admin.get(`${there}/turns`);
  expect(new Set(turns.map(({ user_name, imported: is }) => `${user_name} ${is}`))).toEqual(
    new Set(["Grace true"]),
  );
  const again = linesOf(await exported(admin, workspace.id)).filter(({ type }) => type === "turn");
  expect(new Set(again.map(({ user }) => user))).toEqual(new Set(["Grace"]));
  const place = await lab.in(workspace.id).enter(workspace.id);
  lab.model.script("boss", [say("Here.")]);
  await place.chat("Mine.");
  expect((await admin.get(`${there}/turns`)).at(-1)).toMatchObject({ user_name: "admin", imported: false });
});

test("brings gears to another server as pending, and matches models by their names", async () => {
  await using lab = await furnished();
  const file = await exported(lab.admin, lab.workspaceId);
  await using other = await world({ model: "silent" });
  const missing = await refusalOf(await send(other.admin, file));
  expect(missing).toMatchObject({
    code: "refused",
    details: { models: { 1: expect.stringMatching(/ \/ boss$/), 2: expect.stringMatching(/ \/ helper$/) } },
  });
  expect(await other.admin.get("/workspaces")).toEqual([]);
  expect(await other.admin.get("/gears")).toEqual([]);

  const made = await imported(other.admin, file, `?models=1:${other.bossId},2:${other.bossId}`);

  expect(made.gears).toEqual([{ id: expect.any(Number), name: "echo_args", as: "echo_args", created: true }]);
  const gear = await other.admin.get(`/gears/${made.gears[0]!.id}`);
  expect(gear).toMatchObject({
    status: "pending",
    approval: null,
    version: 1,
    workspace_id: made.workspace.id,
  });
  const approvals = await other.admin.get("/approvals");
  expect(approvals.map(({ subject, workspace_id: id }) => [subject, id])).toEqual([
    ["echo_args", made.workspace.id],
  ]);
  const agents = await other.admin.get(`/workspaces/${made.workspace.id}/agents`);
  expect(agents.map(({ name, model_id: id }) => [name, id])).toEqual([
    ["orchestrator", other.bossId],
    ["helper", other.bossId],
  ]);
  await refusal(await send(other.admin, file, "?models=1:999"), "not_found", "model 999: not found");
  await refusal(await send(other.admin, file, "?models=x"), "invalid");
  const own = other.bossId;
  for (const [pairs, problem] of [
    [`1:${own},2:${own},9:${own}`, "the file has no model 9"],
    [`1:${own},2:${own},1:${own}`, "names model 1 of the file twice"],
  ])
    await refusal(
      await send(other.admin, file, `?models=${pairs}`),
      "invalid",
      `query parameter models: ${problem}`,
      { in: "query", field: "models", problem },
    );
});

test("uses what is here under the same name only if its content is the same", async () => {
  await using lab = await furnished();
  const { admin, ids, workspaceId } = lab;
  const file = await exported(admin, workspaceId);
  await admin.put(`/instructions/${ids["instructions"]}`, { text: "Be verbose." });
  await admin.put(`/gears/${ids["gears"]}`, { code: "true\n" });
  const made = await imported(admin, file);
  expect(made.instructions.filter(({ name }) => name === "style")).toEqual([
    { id: expect.any(Number), name: "style", as: "style (2)", created: true },
  ]);
  expect(made.gears).toEqual([
    { id: expect.any(Number), name: "echo_args", as: "echo_args_2", created: true },
  ]);
  const bound = await admin.get(`/workspaces/${made.workspace.id}/gears`);
  expect(bound.map(({ gear_name: name, gear_status: status }) => [name, status])).toEqual([
    ["echo_args_2", "pending"],
  ]);
});

test("is the owner's and the admins' to export, and everyone's to import", async () => {
  await using lab = await world({ model: true, people: { anna: "member", bert: "member" } });
  const { anna, bert } = lab.people;
  await lab.share(anna);
  await refusal(
    await anna.raw("GET", `${lab.own}/export`),
    "forbidden",
    "only the owner or an admin may export a workspace",
  );
  await refusal(await bert.raw("GET", `${lab.own}/export`), "not_found");
  const file = await exported(lab.admin, lab.workspaceId);
  const { workspace } = await imported(bert, file);
  expect(workspace).toMatchObject({ owner_id: bert.id, team_ids: [] });
  await refusal(anna.get(`/workspaces/${workspace.id}`), "not_found");
  // A second one gets a free name; a name that was asked for is taken or refused.
  expect((await imported(bert, file)).workspace.name).toBe(`${workspace.name} copy`);
  await refusal(await send(bert, file, `?name=${encodeURIComponent(workspace.name)}`), "conflict");
  // The headers of an export export nothing, and are refused to the same people.
  const heads = [lab.admin, anna, bert].map(
    async (who) => (await who.raw("HEAD", `${lab.own}/export`)).status,
  );
  expect(await Promise.all(heads)).toEqual([200, 403, 404]);
  const actions = (await lab.admin.get("/audit?limit=50")).map(({ action }) => action);
  expect(actions.filter((action) => /workspace\.(import|export)/.test(action)).toSorted()).toEqual([
    "workspace.export",
    "workspace.import",
    "workspace.import",
  ]);
});

test("exports the turns that are over while another one runs", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("First.")]);
  await lab.chat("One.");
  const hanging = gate();
  lab.model.script("boss", [[say("Second "), hanging, say("late.")]]);
  const turn = await lab.begin("Two.");
  await hanging.reached;
  const lines = linesOf(await exported(lab.admin, lab.workspaceId));
  expect(lines.filter(({ type }) => type === "turn").map(({ text }) => text)).toEqual(["One."]);
  expect(lines.filter(({ type }) => type === "entry").map(({ text }) => text)).toEqual(["One.", "First."]);
  expect(lines.find(({ type }) => type === "branch")).toEqual({ type: "branch", turn: 1 });
  hanging.open();
  await lab.end(turn);
});

const find = (lines: Line[], type: string, skip = 0) => lines.filter((line) => line["type"] === type)[skip]!;

type Edit = (lines: Line[]) => void;
/** Sets a field of the first record of a type, or of the one after `skip` others. */
const set =
  (type: string, field: string, value: unknown, skip = 0): Edit =>
  (lines) =>
    void (find(lines, type, skip)[field] = value);

const HOSTILE: readonly (readonly [name: string, edit: Edit, problem: RegExp])[] = [
  ["another format", set("workspace", "format", "zip"), /not an exported workspace/],
  ["a later version", set("workspace", "version", 2), /version 2 of the format/],
  [
    "no orchestrator",
    (lines) => void lines.splice(lines.indexOf(find(lines, "agent")), 1),
    /id 2 is not the next/,
  ],
  ["two orchestrators", set("agent", "orchestrator", true, 1), /only one agent is the orchestrator/],
  ["a hidden direction in a name", set("agent", "name", "a\u202eb", 1), /control or invisible/],
  ["a wire to nobody", set("wire", "to", 99), /to 99 is not in the file/],
  ["a wire to itself", (lines) => Object.assign(find(lines, "wire"), { from: 1, to: 1 }), /not a new wire/],
  ["an unknown field", set("turn", "status_", "done"), /line \d+: status_: unknown field/],
  [
    "an unknown record",
    (lines) => void lines.splice(3, 0, { type: "provider", api_key: "x" }),
    /unknown type of record/,
  ],
  ["an open turn", set("turn", "status", "running"), /status/],
  ["a turn that follows itself", set("turn", "after", 1), /follows a later turn/],
  ["a run of another turn", set("run", "turn", 99), /turn 99 is not in the file/],
  ["a second run without a parent", set("run", "parent", null, 1), /one run without a parent/],
  ["an entry of no run", set("entry", "run", 99), /run 99 is not in the file/],
  ["an entry that names a call of nobody", set("entry", "calls", [9_999], 1), /call 9999 is not in the file/],
  ["a part that is none", set("part", "content", '{"kind":"role"}'), /not a part of a prompt/],
  [
    "a prompt of entries without end",
    set("call", "parts", "e1-2,".repeat(500) + "e1"),
    /more entries than there are/,
  ],
  ["a prompt of nonsense", set("call", "parts", "e1;DROP"), /not references/],
  ["a branch that never was", set("branch", "turn", 99), /turn 99 is not in the file/],
  ["a file outside", set("file", "path", "../../etc/passwd"), /path/],
  ["a file twice", (lines) => void lines.push({ ...find(lines, "file") }), /appears twice/],
  ["a gear that claims an approval", set("gear", "status", "approved"), /status: unknown field/],
  ["a gear with a name of a tool", set("gear", "name", "file_write"), /built-in tool/],
  ["a gear file outside", set("gear_file", "path", "../main.sh"), /path/],
  [
    "records in another order",
    (lines) => void lines.push(...lines.splice(1, 1)),
    /not at its place|not the next/,
  ],
  ["a time of nobody", set("turn", "created_at", "yesterday"), /RFC 3339/],
];

test("refuses a hostile file whole, with its problem, and changes nothing", async () => {
  await using lab = await furnished();
  const { admin } = lab;
  const file = await exported(admin, lab.workspaceId);
  const state = async () =>
    JSON.stringify([
      await admin.get("/workspaces"),
      await admin.get("/gears"),
      await admin.get("/instructions"),
    ]);
  const before = await state();
  const problems: string[] = [];
  for (const [name, edit, expected] of HOSTILE) {
    const { code, message } = await refusalOf(await send(admin, edited(file, edit)));
    if (code !== "invalid" || !expected.test(message)) problems.push(`${name}: ${code} ${message}`);
  }
  expect(problems).toEqual([]);
  expect(await state()).toBe(before);
  await nothingUnseen(lab);
});

test("refuses a damaged or truncated file, and what is no file at all", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("First.")]);
  await lab.chat("One.");
  const { admin } = lab;
  const file = await exported(admin, lab.workspaceId);
  const refused = async (text: string, problem: RegExp) =>
    refusal(await send(admin, text), "invalid", problem, expect.anything() as never).catch(async () =>
      refusal(await send(admin, text), "invalid", problem),
    );
  await refused(file.replace("First.", "Wurst."), /does not match its hash/);
  await refused(file.slice(0, -10), /truncated/);
  await refused(file.slice(0, file.lastIndexOf('{"type":"end"')), /truncated/);
  await refused(`${file}{}\n`, /text after the end/);
  await refused("", /truncated/);
  await refused("PK\u0003\u0004 not this\n", /line 1: not valid JSON/);
  await refused(`${"[".repeat(10_000)}\n`, /nested more than/);
  await refused(`[${"1,".repeat(200_000)}1]\n`, /more keys or values than a record has/);
  await refused(`{"a":"${"x".repeat(5_000_000)}`, /a line has more than/);
  await refused(`[]\n`, /not a JSON object/);
  expect((await admin.get("/workspaces")).length).toBe(1);
});

/** Until the background has removed every workspace that nobody sees. */
async function nothingUnseen({ data }: World): Promise<void> {
  await eventually(() => {
    using db = new Database(`${data}/service.db`, { readonly: true });
    return db.query("SELECT id FROM workspace_rows WHERE state <> 'live'").all();
  }, []);
}

test("a crash in the middle of an import leaves nothing, and the service starts", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("First.")]);
  await lab.chat("One.");
  const file = await exported(lab.admin, lab.workspaceId);
  const long = edited(file, (lines) => {
    const entry = find(lines, "entry");
    const more = Array.from({ length: 8_000 }, (_, index) => ({
      ...entry,
      id: index + 3,
      text: `Entry ${index}`,
    }));
    lines.splice(lines.indexOf(find(lines, "entry", 1)) + 1, 0, ...more);
    lines.push({ type: "file", path: "late.txt", encoding: "utf8", content: "late" });
  });
  await using crashed = await temporaryFolder();
  // A killed process leaves the state that is on disk at that moment.
  const importing = send(lab.admin, long);
  const half = async () => {
    using db = new Database(`${lab.data}/service.db`, { readonly: true });
    db.run("BEGIN");
    const found = db.query<{ n: number }, []>(
      "SELECT count(*) AS n FROM entries e JOIN workspace_rows w ON w.id = e.workspace_id WHERE w.state = 'coming'",
    );
    if (found.get()!.n <= 100) return false;
    writeFileSync(`${crashed.path}/service.db`, db.serialize());
    return true;
  };
  await eventually(half, true);
  expect((await importing).status).toBe(201);

  mkdirSync(`${crashed.path}/files/2/deep`, { recursive: true });
  writeFileSync(`${crashed.path}/files/2/deep/half.txt`, "half");
  await using after = await world({ data: crashed.path });
  expect((await after.admin.get("/workspaces")).map(({ id }) => id)).toEqual([lab.workspaceId]);
  await nothingUnseen(after);
  await eventually(() => existsSync(`${crashed.path}/files/2`), false);
  expect(await after.admin.get(`${lab.own}/entries`)).toHaveLength(2);
});

test("thousands of entries, of several pages, come back in their order, while others are served", async () => {
  await using folder = await temporaryFolder();
  await using lab = await world({ model: true, data: folder.path });
  lab.model.script("boss", [say("First.")]);
  await lab.chat("One.");
  await lab.restart((data) => {
    using db = new Database(`${data}/service.db`);
    addTurns(db, lab.workspaceId, 2_500);
  });
  const file = await exported(lab.admin, lab.workspaceId);
  const lines = linesOf(file);
  expect(lines.filter(({ type }) => type === "entry")).toHaveLength(5_002);
  const importing = imported(lab.admin, file);
  // Others write meanwhile.
  const meanwhile = await lab.in(lab.workspaceId).agent("meanwhile", { model: "boss" });
  await lab.admin.delete(`/agents/${meanwhile.id}`);
  const { workspace } = await importing;
  expect(comparable(await exported(lab.admin, workspace.id))).toEqual(comparable(file));
  const last = await lab.admin.get(`/workspaces/${workspace.id}/entries?limit=1`);
  expect(last[0]!.text).toStartWith("Answer 2500.");
  expect((await lab.admin.get(`/workspaces/${workspace.id}/turns?limit=1`))[0]!.number).toBe(2_501);
});
