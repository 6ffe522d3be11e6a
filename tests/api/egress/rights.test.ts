// Goal: only the right people see, grant, decide and switch off, and every refusal is specific.

import { expect, test } from "bun:test";
import { call, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { searchable, searchLab } from "../../kit/service/searching.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const ADMIN_ONLY = ["forbidden", "only an admin may do this"] as const;

test.if(searchable)(
  "lets admins create one grant per agent, visible to anyone who sees the workspace",
  async () => {
    await using lab = await searchLab();
    const member = await lab.user("mia");
    const path = `${lab.own}/egress`;
    await refusal(member.post(path, { agent_id: lab.orchestratorId }), ...ADMIN_ONLY);
    await refusal(member.get(path), "not_found", `workspace ${lab.workspaceId}: not found`);
    const grant = await lab.grant();
    expect(grant).toEqual({
      id: 1,
      workspace_id: lab.workspaceId,
      agent_id: lab.orchestratorId,
      granted_by: "admin",
      auth: "loopback",
      created_at: expect.any(String) as string,
    });
    expect(await lab.admin.get<unknown>(path)).toEqual([grant]);
    await refusal(
      lab.admin.post(path, { agent_id: lab.orchestratorId }),
      "conflict",
      'agent "orchestrator" already has a grant for web search',
    );
    await refusal(
      lab.admin.post(path, { agent_id: 99 }),
      "invalid",
      "agent_id: agent 99 is not in this workspace",
    );
    await refusal(
      lab.admin.post("/workspaces/99/egress", { agent_id: 1 }),
      "not_found",
      "workspace 99: not found",
    );
    await refusal(member.delete("/egress-grants/1"), ...ADMIN_ONLY);
    await lab.admin.delete("/egress-grants/1");
    expect(await lab.admin.get<unknown>(path)).toEqual([]);
    await refusal(lab.admin.delete("/egress-grants/1"), "not_found", "egress grant 1: not found");
  },
);

test("refuses grants while lock 1 is closed, and says what to do", async () => {
  await using at = await world({ model: "silent" });
  const workspace = await at.workspace("lab");
  const agent = await at.in(workspace.id).orchestrator();
  const reason =
    "web search is off for this installation (lock 1 of 3); the operator enables it with egress and egress_key in the configuration";
  expect(await at.admin.get("/egress/status")).toEqual({ on: false, reason });
  await refusal(
    at.admin.post(`/workspaces/${workspace.id}/egress`, { agent_id: agent.id }),
    "refused",
    reason,
  );
});

test.if(searchable)("offers the tool only if both locks are open", async () => {
  await using lab = await searchLab();
  const offered = () =>
    lab.model
      .requestsOf("boss")
      .at(-1)!
      .tools.some((tool) => tool.name === "web_search");
  lab.model.script("boss", [say("One."), say("Two."), say("Three.")]);
  await lab.chat("one");
  expect(offered()).toBe(false);
  await lab.grant();
  await lab.chat("two");
  expect(offered()).toBe(true);
  await lab.admin.delete("/egress-grants/1");
  await lab.chat("three");
  expect(offered()).toBe(false);
});

test.if(searchable)("copies no grant to a clone, and drops that of a removed agent", async () => {
  await using lab = await searchLab();
  await lab.grant();
  const worker = await lab.addWorker("scout");
  await lab.grant(worker);
  const copy = await lab.admin.post(`${lab.own}/clone`, {});
  expect(await lab.admin.get<unknown>(`/workspaces/${copy.id}/egress`)).toEqual([]);
  await lab.admin.delete(`/agents/${worker}`);
  expect(await lab.admin.get(`${lab.own}/egress`)).toMatchObject([{ agent_id: lab.orchestratorId }]);
});

test.if(searchable)("lets admins decide once, on the reviewed query", async () => {
  await using lab = await searchLab();
  await lab.grant();
  const member = await lab.user("mia");
  const other = await lab.user("ada", "admin");
  lab.model.script("boss", [call("web_search", { query: "tea" }), say("Done.")]);
  const turn = await lab.begin("go");
  const [request] = await lab.pending();
  const path = "/egress/requests/1/decision";
  const approve = { decision: "approve", query_hash: request!.query_hash };
  await refusal(member.post(path, approve), ...ADMIN_ONLY);
  expect(await member.get("/egress/pending")).toEqual([]);
  expect(await member.get("/approvals")).toEqual([]);
  await refusal(member.get("/egress/log"), ...ADMIN_ONLY);
  await refusal(member.post("/egress/off"), ...ADMIN_ONLY);
  await refusal(
    lab.admin.post(path, { ...approve, query_hash: "0".repeat(64) }),
    "conflict",
    "query_hash: not the hash of this request's query; review it again",
  );
  await refusal(lab.admin.post(path, { decision: "approve" }), "invalid", "query_hash: missing");
  expect((await refusalOf(lab.admin.post(path, { ...approve, decision: "maybe" }))).message).toBe(
    "decision: expected one of: approve, refuse",
  );
  await refusal(
    lab.admin.post("/egress/requests/99/decision", approve),
    "not_found",
    "search request 99: not found",
  );

  const both = await Promise.all([lab.admin, other].map((who) => who.raw("POST", path, { body: approve })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await lab.end(turn);
  await refusal(
    other.post(path, { ...approve, decision: "refuse" }),
    "conflict",
    "this search is already done",
  );
  expect(lab.service.queries).toEqual(["tea"]);
});

test.if(searchable)(
  "records the kind of authentication, and keeps the record after the workspace",
  async () => {
    await using lab = await searchLab();
    await lab.grant();
    const other = await lab.user("ada", "admin");
    lab.model.script("boss", [call("web_search", { query: "tea" }), say("Done.")]);
    const turn = await lab.begin("go");
    await lab.decide((await lab.pending())[0]!, "approve", other);
    await lab.end(turn);
    await lab.admin.delete(lab.own);
    expect(await other.get("/egress/log")).toMatchObject([
      {
        query: "tea",
        workspace: "lab",
        chain: ["orchestrator"],
        decided_by: "ada",
        auth: "token",
        state: "done",
      },
    ]);
  },
);

test.if(searchable)("blocks no writes while a request is pending", async () => {
  await using lab = await searchLab();
  await lab.grant();
  lab.model.script("boss", [call("web_search", { query: "tea" }), say("Done.")]);
  const turn = await lab.begin("go");
  const [request] = await lab.pending();
  // Goal: the wait holds no transaction, or none of these would end.
  await lab.user("mia");
  await lab.admin.patch(`/agents/${lab.orchestratorId}`, { role: "Other." });
  await lab.decide(request!, "refuse");
  expect(await lab.end(turn)).toMatchObject({ status: "done" });
});
