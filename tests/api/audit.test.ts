// Goal: every decision is recorded with its author and their authentication, and tampering with the record is detected.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, turnOfOthers } from "../../src/kit/clock.ts";
import { Audit } from "../../src/service/audit/audit.ts";
import type { ListedRecord } from "../../src/service/audit/schema.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { testDatabase } from "../kit/database.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { eventually } from "../kit/eventually.ts";
import { shared } from "../kit/group-resource.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { type World, world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const ANOTHER_TEXT = "was rewritten: the text differs from the one recorded";
const PASSWORD = "canary-password-71";
const KEY = "canary-key-71";

/** Makes every kind of decision once, as the loopback admin. */
async function decide(at: World): Promise<{ tokens: string[] }> {
  const { admin } = at;
  const anna = await at.user("anna");
  await admin.patch(`/users/${anna.id}`, { name: "Anne", role: "team-lead" });
  const { token } = await admin.post(`/users/${anna.id}/tokens`);
  await admin.put(`/users/${anna.id}/password`, { password: PASSWORD });
  const session = await admin.post("/login", { user: "anne", password: PASSWORD });
  const team = await at.team("team", anna);
  await admin.patch(`/teams/${team}`, { name: "Team" });
  await admin.patch(`/providers/${at.providerId}`, { api_key: KEY });
  await admin.patch(`/providers/${at.providerId}`, { base_url: "http://127.0.0.1:10", api_key: "" });
  const model = await admin.post("/models", { provider_id: at.providerId, model_name: "other" });
  await admin.patch(`/models/${model.id}`, { label: "Other" });
  await admin.delete(`/models/${model.id}`);
  const spare = await admin.post("/providers", { name: "spare", type: "vendor-a", api_key: KEY });
  await admin.delete(`/providers/${spare.id}`);
  const lab = await at.workspace("lab");
  await admin.put(`/workspaces/${lab.id}/teams/${team}`);
  await admin.delete(`/workspaces/${lab.id}/teams/${team}`);
  const wire = await at
    .in(lab.id)
    .wire((await at.in(lab.id).orchestrator()).id, (await at.in(lab.id).agent("worker")).id);
  await admin.delete(`/wires/${wire.id}`);
  await admin.delete(`/workspaces/${lab.id}`);
  await admin.delete(`/teams/${team}/members/${anna.id}`);
  await admin.delete(`/teams/${team}`);
  await admin.delete(`/users/${anna.id}/tokens`);
  await admin.delete(`/users/${anna.id}`);
  return { tokens: [anna.token, token, session.token, at.program.token] };
}

test("records every decision in order, in an intact chain", async () => {
  await using at = await world({ model: "silent" });
  await decide(at);

  const records = await at.admin.get("/audit?limit=500");

  expect(records.toReversed().map((record) => record.action)).toEqual([
    "user.create",
    "provider.create",
    "model.create",
    "user.create",
    "user.rename",
    "user.role",
    "token.create",
    "user.password",
    "login.success",
    "team.create",
    "team.member.add",
    "team.rename",
    "provider.key",
    "provider.update",
    "provider.key",
    "model.create",
    "model.update",
    "model.delete",
    "provider.create",
    "provider.key",
    "provider.delete",
    "workspace.create",
    "workspace.share",
    "workspace.unshare",
    "agent.create",
    "wire.create",
    "wire.delete",
    "workspace.delete",
    "team.member.remove",
    "team.delete",
    "token.revoke",
    "user.delete",
  ]);
  expect(records.map((record) => record.seq)).toEqual(records.map((_, index) => records.length - index));
  expect(await at.admin.get("/audit/verify")).toEqual({
    ok: true,
    entries: records.length,
    head: records[0]!.hash,
    broken_at: null,
    problem: null,
  });
});

test("records the user, authentication, address, act, time and request", async () => {
  const clock = manualClock();
  await using at = await world({ model: "silent", clock });
  const boss = await at.user("boss", "admin");
  await at.admin.put(`/users/${boss.id}/password`, { password: PASSWORD });
  const { token } = await at.admin.post("/login", { user: "boss", password: PASSWORD });
  const [loopback, byToken, bySession] = [at.admin, at.as(at.program.token), at.as(token)];

  for (const [client, name] of [
    [loopback, "a"],
    [byToken, "b"],
    [bySession, "c"],
  ] as const) {
    await client.raw("POST", "/teams", { body: { name }, headers: { "X-Request-Id": `request-${name}` } });
  }

  const records = (await at.admin.get("/audit?action=team.create")).toReversed();
  expect(
    records.map(({ actor_id, actor, auth, detail, request_id }) => ({
      actor_id,
      actor,
      auth,
      detail,
      request_id,
    })),
  ).toEqual([
    { actor_id: 1, actor: "admin", auth: "loopback", detail: { name: "a" }, request_id: "request-a" },
    { actor_id: 1, actor: "admin", auth: "token", detail: { name: "b" }, request_id: "request-b" },
    { actor_id: boss.id, actor: "boss", auth: "session", detail: { name: "c" }, request_id: "request-c" },
  ]);
  expect(records[0]).toEqual({
    seq: expect.any(Number),
    time: "2026-01-01T12:00:00.000Z",
    actor_id: 1,
    actor: "admin",
    role: "admin",
    auth: "loopback",
    address: "127.0.0.1",
    action: "team.create",
    target: "team:1",
    target_name: "a",
    detail: { name: "a" },
    content_hash: null,
    request_id: "request-a",
    prev: expect.stringMatching(/^[0-9a-f]{64}$/),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("does not record a refused decision as done", async () => {
  await using at = await world({ model: "silent" });
  const before = await at.admin.get("/audit");
  await refusalOf(at.admin.delete("/users/1"));
  await refusalOf(at.admin.patch("/users/1", { name: "renamed", role: "member" }));
  await refusalOf(at.admin.post("/providers", { name: "nobody", type: "anthropic", api_key: KEY }));
  expect(await at.admin.get("/audit")).toEqual(before);
});

test("lists records in pages, by action and by actor, for admins only", async () => {
  await using at = await world({ model: "silent" });
  for (const name of ["a", "b", "c"]) await at.team(name);
  const seqs = async (query: string) => (await at.admin.get(`/audit?${query}`)).map((record) => record.seq);

  expect(await seqs("limit=2")).toEqual([6, 5]);
  expect(await seqs("limit=2&before=5")).toEqual([4, 3]);
  expect(await seqs("actor=service")).toEqual([1]);
  expect(await seqs("action=team.create&actor=admin&limit=1")).toEqual([6]);
  expect(await seqs("action=team.%25")).toEqual([]);
  const lead = await at.user("lead", "team-lead");
  for (const path of ["/audit", "/audit/verify"]) {
    await refusal(lead.get(path), "forbidden", "only an admin may do this");
  }
});

test("keeps tokens, passwords and keys out of records, logs and responses", async () => {
  await using folder = await temporaryFolder();
  const at = await world({ model: "silent", data: folder.path });
  const { tokens } = await decide(at);
  const shown = JSON.stringify([
    await at.admin.get("/audit?limit=500"),
    await at.admin.get("/users"),
    await at.admin.get("/providers"),
    at.program.log.filter((line) => !line.includes("admin created")),
  ]);
  await at[Symbol.asyncDispose]();

  using db = new Database(`${folder.path}/service.db`);
  const stored = JSON.stringify(db.query("SELECT record FROM audit").all());
  for (const secret of [...tokens, PASSWORD, KEY]) {
    expect(shown).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
});

const inRecord5 = (value: string) => `UPDATE audit SET record = ${value} WHERE seq = 5`;

const EDITS: [what: string, sql: string, brokenAt: number, problem: string][] = [
  ["a record was edited", inRecord5(`replace(record, '"b"', '"x"')`), 5, "was edited"],
  ["a record is no longer JSON", inRecord5("'gone'"), 5, "was edited"],
  ["a field was added", inRecord5("json_set(record, '$.extra', 1)"), 5, "was edited"],
  [
    "an edited record was rehashed",
    "UPDATE audit SET hash = iif(hash LIKE 'f%', '0', 'f') || substr(hash, 2) WHERE seq = 5",
    5,
    "was edited",
  ],
  [
    "white space was inserted into a record",
    inRecord5(`replace(record, '{"action"', '{ "action"')`),
    5,
    ANOTHER_TEXT,
  ],
  [
    "a field was duplicated with another value",
    inRecord5(`'{"actor":"nobody",' || substr(record, 2)`),
    5,
    ANOTHER_TEXT,
  ],
  ["a letter was escaped", inRecord5("replace(record, 'admin', '\\u0061dmin')"), 5, ANOTHER_TEXT],
  [
    "fields were reordered",
    inRecord5("json_set(json_remove(record, '$.action'), '$.action', record ->> 'action')"),
    5,
    ANOTHER_TEXT,
  ],
  ["a middle record was deleted", "DELETE FROM audit WHERE seq = 4", 4, "record 4 is missing"],
  ["the first record was deleted", "DELETE FROM audit WHERE seq = 1", 1, "record 1 is missing"],
  [
    "two records were swapped",
    "UPDATE audit SET seq = CASE seq WHEN 4 THEN -5 ELSE -4 END WHERE seq IN (4, 5); UPDATE audit SET seq = -seq WHERE seq < 0",
    4,
    "does not follow the record before it",
  ],
  ["the tail was truncated", "DELETE FROM audit WHERE seq > 4", 5, "2 records are missing at the end"],
  ["the last record was deleted", "DELETE FROM audit WHERE seq = 6", 6, "1 record is missing at the end"],
  ["everything was deleted", "DELETE FROM audit", 1, "6 records are missing at the end"],
  [
    "a record was put before the first",
    "INSERT INTO audit (seq, record, prev, hash) SELECT -1, record, prev, hash FROM audit WHERE seq = 1",
    1,
    "record -1 was added before it",
  ],
  [
    "the anchor was set back",
    "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit WHERE seq = 4)",
    5,
    "2 records were added after the anchored one",
  ],
  [
    "the anchor was changed",
    "UPDATE audit_head SET hash = 'x'",
    6,
    "the last record is not the anchored one",
  ],
];

/** The data of a stopped service, with six records. */
const stopped = shared(async () => {
  const folder = await temporaryFolder();
  await using at = await world({ model: "silent", data: folder.path });
  for (const name of ["a", "b", "c"]) await at.team(name);
  expect(await at.admin.get("/audit/verify")).toMatchObject({ ok: true, entries: 6 });
  return folder;
});

test.each(EDITS)("detects that %s, and where", async (_, sql, brokenAt, problem) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "service.db");
  copyFileSync(join(stopped.path, "service.db"), path);
  {
    using db = new Database(path);
    db.run(sql);
  }

  await using at = await world({ data: folder.path });
  expect(await at.admin.get("/audit/verify")).toMatchObject({ ok: false, broken_at: brokenAt, problem });
  // The start logs it too.
  const said = () => at.program.log.filter((line) => line.includes("the audit chain is broken"));
  await eventually(() => said().length, 1);
  expect(JSON.parse(said()[0]!)).toMatchObject({ level: "error", at: brokenAt, problem });
  expect((await at.admin.raw("GET", "/audit")).status).toBe(200);
});

test("shows unreadable records as such and the rest unchanged, and verification names the first", async () => {
  await using folder = await temporaryFolder();
  const first = await world({ model: "silent", data: folder.path });
  for (const name of ["a", "b", "c"]) await first.team(name);
  const before = await first.admin.get("/audit");
  await first[Symbol.asyncDispose]();
  {
    using db = new Database(`${folder.path}/service.db`);
    db.run("UPDATE audit SET record = '{\"seq\":4,' WHERE seq = 4");
    db.run("UPDATE audit SET record = json_remove(record, '$.actor') WHERE seq = 5");
    db.run("UPDATE audit SET record = '[]' WHERE seq = 6");
  }

  await using second = await world({ data: folder.path });
  const unreadable = (seq: number): ListedRecord => ({
    seq,
    time: null,
    actor_id: null,
    actor: "",
    role: "",
    auth: "system",
    address: "",
    action: "unreadable",
    target: `audit:${seq}`,
    detail: { problem: "this record was changed in the database and is unreadable" },
    content_hash: null,
    request_id: "",
    target_name: null,
    prev: before.find((record) => record.seq === seq)!.prev,
    hash: before.find((record) => record.seq === seq)!.hash,
  });
  const readable = before.filter((record) => record.seq < 4);
  expect(await second.admin.get("/audit")).toEqual([
    unreadable(6),
    unreadable(5),
    unreadable(4),
    ...readable,
  ]);
  expect(await second.admin.get("/audit?actor=admin")).toEqual(
    readable.filter((record) => record.actor === "admin"),
  );
  expect(await second.admin.get("/audit?action=team.create")).toEqual([unreadable(5)]);
  expect(await second.admin.get("/audit/verify")).toMatchObject({
    ok: false,
    broken_at: 4,
    problem: "was edited",
  });
});

/** Of the fields of a record. */
const OLD_ORDER =
  "seq time actor_id actor role auth address action target detail content_hash request_id".split(
    " ",
  ) as (keyof ListedRecord)[];

test("verifies a chain of an earlier build, and finds a duplicate field in it", async () => {
  await using folder = await temporaryFolder();
  const first = await world({ model: "silent", data: folder.path });
  await first[Symbol.asyncDispose]();
  const path = `${folder.path}/service.db`;
  const inOldOrder = (text: string) => {
    const record = JSON.parse(text) as ListedRecord;
    return JSON.stringify(Object.fromEntries(OLD_ORDER.map((field) => [field, record[field]])));
  };
  const edit = (change: (text: string) => string) => {
    using db = new Database(path);
    for (const { seq, record } of db
      .query<{ seq: number; record: string }, []>("SELECT seq, record FROM audit")
      .all())
      db.run("UPDATE audit SET record = ? WHERE seq = ?", [change(record), seq]);
    db.run("UPDATE audit_head SET canonical_from = seq + 1");
  };
  edit(inOldOrder);
  {
    await using second = await world({ data: folder.path });
    await second.admin.post("/teams", { name: "new" });
    expect(await second.admin.get("/audit/verify")).toMatchObject({ ok: true, entries: 4 });
  }
  {
    using db = new Database(path);
    db.run(
      `UPDATE audit SET record = replace(record, '"actor":', '"actor":"nobody","actor":') WHERE seq = 2`,
    );
  }
  await using third = await world({ data: folder.path });
  expect(await third.admin.get("/audit/verify")).toMatchObject({
    ok: false,
    broken_at: 2,
    problem: ANOTHER_TEXT,
  });
});

test("verifies a chain of 10,000 records without blocking requests", async () => {
  await using at = await testDatabase(migrations);
  const { db } = at;
  const audit = new Audit(db, systemClock);
  db.writeNow(() => {
    for (let index = 0; index < 10_000; index++) audit.record(null, { action: "a.b", target: `t:${index}` });
  });
  // Verification yields after each page of 100 records, which takes about 2 ms.
  const verified = audit.check();
  let turns = 0;
  while (Bun.peek.status(verified) === "pending") {
    await turnOfOthers();
    turns += 1;
  }
  expect(await verified).toMatchObject({ ok: true, entries: 10_000 });
  expect(turns).toBeGreaterThanOrEqual(100);
});
