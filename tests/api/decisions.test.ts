// Goal: what people decide in a workspace is listed with who, how, when and which content, after a restart too, for whoever sees the
// workspace; a gear names the decisions on each of its versions.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { refusal } from "../kit/http/refusal.ts";
import { searchable, searchLab } from "../kit/service/searching.ts";
import { world } from "../kit/service/world.ts";
import { withoutLibraryLists } from "../kit/service/earlier-build.ts";

const QUERY = "heron migration 2026";
const forge = (code: string) =>
  call("gear_forge", {
    name: "word_count",
    description: "Counts.",
    runtime: "bash",
    code,
    args_schema: '{"type":"object"}',
  });

test.if(searchable)(
  "lists decisions on gears, searches, instructions, permissions and marks, in order",
  async () => {
    await using lab = await searchLab({ sandbox: isolatedSandbox() });
    const { admin, own, orchestratorId } = lab;
    const grant = await lab.grant();
    lab.model.script("boss", [
      [forge("cat\n"), call("instruction_save", { name: "tone", text: "Be brief.\n" })],
      call("web_search", { query: QUERY }),
      call("web_search", { query: QUERY }),
      say("Done."),
    ]);
    const turn = await lab.begin("All of it.");
    const [asked] = await lab.pending();
    const [gear] = await admin.get("/gears");
    const [proposal] = await admin.get("/instruction-proposals");
    await admin.patch(`/gears/${gear!.id}`, { status: "approved" });
    await admin.post(`/instruction-proposals/${proposal!.id}/decision`, { decision: "refuse" });
    await lab.decide(asked!, "approve");
    await lab.decide((await lab.pending())[0]!, "refuse");
    await lab.end(turn);
    // Nobody asked for it.
    await admin.patch(`/gears/${gear!.id}`, { status: "disabled" });
    await admin.post(`${own}/clear-taint`, { through: 1_000_000 });
    await admin.delete(`/egress-grants/${grant.id}`);
    const common = {
      by: "admin",
      auth: "loopback",
      reason: null,
      time: expect.any(String),
      agent_id: null,
      id: 0,
    };
    const by = { ...common, agent: "orchestrator", requested_at: expect.any(String), turn_id: turn.id };
    const none = { subject: null, version: null, content_hash: null, agent: null, requested_at: null };
    const search = { ...by, kind: "search", subject: QUERY, version: null, content_hash: asked!.query_hash };
    const permission = { ...common, ...none, kind: "grant", subject_id: grant.id, agent_id: orchestratorId };
    const { content_hash } = gear!;
    const onGear = { ...by, kind: "gear", subject_id: gear!.id, subject: "word_count", turn_id: null };
    const about = [
      { ...permission, decision: "granted", turn_id: null },
      { ...onGear, decision: "approved", version: 1, content_hash },
      {
        ...by,
        kind: "instruction",
        subject_id: proposal!.id,
        decision: "refused",
        subject: "tone",
        version: null,
        content_hash: proposal!.content_hash,
      },
      { ...search, subject_id: 1, decision: "approved" },
      { ...search, subject_id: 2, decision: "refused" },
      { ...onGear, decision: "disabled", version: 1, content_hash, requested_at: null },
      { ...permission, decision: "revoked", turn_id: null },
    ];
    const listed = async () => (await admin.get(`${own}/decisions`)).map((one) => ({ ...one, id: 0 }));
    const all = await listed();
    expect(all.filter(({ kind }) => kind !== "taint")).toEqual(about as never);
    const cleared = all.filter(({ kind }) => kind === "taint");
    expect(cleared.length).toBeGreaterThan(0);
    expect(cleared[0]).toMatchObject({
      decision: "cleared",
      by: "admin",
      auth: "loopback",
      turn_id: turn.id,
    });
    await lab.restart();
    expect(await listed()).toEqual(all);
    // The pages before.
    const newest = await admin.get(`${own}/decisions?limit=1`);
    const before = await admin.get(`${own}/decisions?limit=2&before=${newest[0]!.id}`);
    expect([...before, ...newest].map(({ kind }) => kind)).toEqual(["taint", "taint", "grant"]);
    const member = await lab.user("mira");
    await refusal(member.get(`${own}/decisions`), "not_found", `workspace ${lab.workspaceId}: not found`);
  },
);

test("names who decided on which version of a gear, also decisions from before they were kept with the gear", async () => {
  await using lab = await world({ sandbox: isolatedSandbox() });
  const { admin } = lab;
  const second = await lab.user("Second Admin", "admin");
  const made = await makeGear(admin, { name: "counted" });
  await admin.patch(`/gears/${made.id}`, { status: "approved" });
  await admin.patch(`/gears/${made.id}`, { status: "approved" });
  await admin.put(`/gears/${made.id}`, { code: "cat\necho two\n" });
  await second.patch(`/gears/${made.id}`, { status: "disabled" });
  await second.patch(`/gears/${made.id}`, { status: "pending" });
  const { decisions } = await admin.get(`/gears/${made.id}`);
  const facts = decisions.map(({ version, decision, by, auth, isolated }) => [
    version,
    decision,
    by,
    auth,
    isolated,
  ]);
  expect(facts).toEqual([
    [1, "approved", "admin", "loopback", true],
    [2, "disabled", "Second Admin", "token", true],
    [2, "withdrawn", "Second Admin", "token", true],
  ]);
  expect(decisions[0]!.content_hash).toBe(made.content_hash);
  const versions = await admin.get(`/gears/${made.id}/versions`);
  expect(versions.map(({ decisions: on }) => on.length)).toEqual([1, 2]);
  // As an earlier build left it: the audit alone knows.
  await lab.restart((data) => {
    using db = new Database(join(data, "service.db"));
    db.run("DROP TABLE gear_decisions");
    db.run("DROP INDEX events_decisions");
    db.run("DROP INDEX calls_days");
    db.run("DROP TABLE arrived_texts");
    withoutLibraryLists(db);
    db.run("DELETE FROM migrations WHERE name >= '020'");
  });
  // The audit took its time a moment earlier.
  const time = expect.any(String);
  expect((await lab.admin.get(`/gears/${made.id}`)).decisions).toEqual(
    decisions.map((one) => ({ ...one, time })),
  );
});
