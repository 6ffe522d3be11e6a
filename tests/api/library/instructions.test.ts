// Goal: people write versioned instructions and bind them to workspaces and agents, and each refusal is specific.

import { describe, expect, test } from "bun:test";
import { canonicalJson, sha256Hex } from "../../../src/kit/crypto.ts";
import { world } from "../../kit/service/world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const hashOf = (name: string, text: string) => sha256Hex(canonicalJson({ name, text }));

interface Made {
  id: number;
}

describe("instructions", () => {
  test("creates, reads, lists and deletes instructions", async () => {
    await using lab = await world({ model: true });
    const { admin } = lab;
    expect(await admin.get("/instructions")).toEqual([]);
    const style = await admin.post("/instructions", { name: "  Style ", text: "Be brief.\n" });
    const summary = {
      id: style.id,
      name: "Style",
      version: 1,
      author_id: 1,
      author: "admin",
      created_at: TIME,
      updated_at: TIME,
    };
    expect(style as object).toEqual({ ...summary, text: "Be brief.\n" });
    const other = await admin.post("/instructions", { name: "answers", text: "Answer." });
    expect(await admin.get("/instructions")).toEqual([
      { ...summary, id: other.id, name: "answers" },
      summary,
    ]);
    expect(await admin.get(`/instructions/${style.id}`)).toEqual({ ...summary, text: "Be brief.\n" });
    expect((await admin.raw("DELETE", `/instructions/${style.id}`)).status).toBe(204);
    const gone = ["not_found", `instruction ${style.id}: not found`] as const;
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/versions"],
    ] as const) {
      await refusal(admin.raw(method, `/instructions/${style.id}${path}`), ...gone);
    }
    await refusal(admin.put(`/instructions/${style.id}`, { text: "x" }), ...gone);
  });

  test("makes each change a version, but not an identical save, and keeps all versions", async () => {
    await using lab = await world({ model: true });
    const { admin } = lab;
    const { id } = await admin.post("/instructions", { name: "style", text: "one" });
    expect(await admin.put(`/instructions/${id}`, { text: "two" })).toMatchObject({
      version: 2,
      text: "two",
      name: "style",
    });
    expect(await admin.put(`/instructions/${id}`, { text: "two" })).toMatchObject({ version: 2 });
    expect(await admin.put(`/instructions/${id}`, { name: "Style guide" })).toMatchObject({
      version: 3,
      text: "two",
      name: "Style guide",
    });
    const version = (number: number, name: string, text: string) => ({
      version: number,
      name,
      text,
      content_hash: hashOf(name, text),
      author: "admin",
      proposed_by: null,
      created_at: TIME,
    });
    const all = [version(1, "style", "one"), version(2, "style", "two"), version(3, "Style guide", "two")];
    expect(await admin.get(`/instructions/${id}/versions`)).toEqual(all);
    expect(await admin.get(`/instructions/${id}/versions?limit=2`)).toEqual(all.slice(1));
    expect(await admin.get(`/instructions/${id}/versions?before=2`)).toEqual(all.slice(0, 1));
  });

  test("refuses the second of two concurrent changes, by body or by If-Match", async () => {
    await using lab = await world({ model: true });
    const { admin } = lab;
    const { id } = await admin.post("/instructions", { name: "style", text: "one" });
    expect((await admin.raw("GET", `/instructions/${id}`)).headers.get("etag")).toBe('"1"');
    await admin.put(`/instructions/${id}`, { text: "two", expected_version: 1 });
    const stale = [
      "stale",
      `instruction ${id} was changed since you read it: it is at version 2`,
      { current: 2 },
    ] as const;
    await refusal(admin.put(`/instructions/${id}`, { text: "three", expected_version: 1 }), ...stale);
    for (const [header, status] of [
      ['"1"', 412],
      ["1", 400],
      ["v2", 400],
      ['"nonsense"', 400],
      ['"2"', 200],
      ["*", 200],
    ] as const) {
      const answer = await admin.raw("PUT", `/instructions/${id}`, {
        body: { text: "three" },
        headers: { "If-Match": header },
      });
      expect([header, answer.status]).toEqual([header, status]);
    }
    expect(await admin.get(`/instructions/${id}`)).toMatchObject({ version: 3, text: "three" });
    const writers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.raw("PUT", `/instructions/${id}`, { body: { text: `writer ${index}`, expected_version: 3 } }),
      ),
    );
    expect(writers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array(9).fill(412)]);
  });

  test("lets anyone read and create, and only the author and admins change and delete", async () => {
    await using lab = await world({ model: true });
    const author = await lab.user("author");
    const other = await lab.user("other");
    const { id } = await author.post("/instructions", { name: "style", text: "one" });
    expect(await other.get(`/instructions/${id}`)).toMatchObject({ author: "author", text: "one" });
    const forbidden = ["forbidden", "only its author or an admin may change an instruction"] as const;
    await refusal(other.put(`/instructions/${id}`, { text: "mine" }), ...forbidden);
    await refusal(other.delete(`/instructions/${id}`), ...forbidden);
    expect(await author.put(`/instructions/${id}`, { text: "two" })).toMatchObject({ version: 2 });
    expect(await lab.admin.put(`/instructions/${id}`, { text: "three" })).toMatchObject({
      version: 3,
      author: "author",
    });
    expect((await author.raw("DELETE", `/instructions/${id}`)).status).toBe(204);
  });

  test("refuses invalid names, texts and unknown fields", async () => {
    await using lab = await world({ model: true });
    const { admin } = lab;
    const { id } = await admin.post("/instructions", { name: "Style", text: "one" });
    const other = await admin.post("/instructions", { name: "other", text: "one" });
    const cases: [body: object, status: number, code: string, message: string][] = [
      [{ name: " style ", text: "x" }, 409, "conflict", 'name: an instruction named "Style" already exists'],
      [
        { name: "ｓｔｙｌｅ", text: "x" },
        409,
        "conflict",
        'name: an instruction named "Style" already exists',
      ],
      [{ name: "", text: "x" }, 400, "invalid", "name: must not be empty"],
      [
        { name: "a\u202eb", text: "x" },
        400,
        "invalid",
        "name: must not contain control or invisible characters",
      ],
      [{ name: "x".repeat(101), text: "x" }, 400, "invalid", "name: at most 100 characters"],
      [{ name: "x", text: " \n" }, 400, "invalid", "text: must not be empty"],
      [{ name: "x" }, 400, "invalid", "text: missing"],
      [{ name: "x", text: "x", version: 7 }, 400, "invalid", "version: unknown field"],
      [{ name: "x", text: "x", author_id: 7 }, 400, "invalid", "author_id: unknown field"],
    ];
    for (const [body, status, code, message] of cases)
      expect(await refusalOf(admin.post("/instructions", body))).toEqual({ status, code, message });
    await refusal(admin.post("/instructions", { name: "x", text: "x".repeat(100_001) }), "invalid");
    await refusal(
      admin.put(`/instructions/${other.id}`, { name: "STYLE" }),
      "conflict",
      'name: an instruction named "Style" already exists',
    );
    expect(await admin.put(`/instructions/${id}`, { name: "STYLE" })).toMatchObject({
      name: "STYLE",
      version: 2,
    });
  });
});

describe("bindings", () => {
  test("binds to the workspace and to one agent, in the order of the prompt, with events", async () => {
    await using lab = await world({ model: true });
    const { admin, workspaceId } = lab;
    const path = `/workspaces/${workspaceId}/instructions` as const;
    expect(await admin.get(path)).toEqual([]);
    const worker = await lab.addWorker("writer");
    const [zeta, alpha] = [
      await admin.post("/instructions", { name: "zeta", text: "Z" }),
      await admin.post("/instructions", { name: "Alpha", text: "A" }),
    ];
    const own = await admin.post(path, { instruction_id: alpha.id, agent_id: worker });
    const all = await admin.post(path, { instruction_id: zeta.id, agent_id: null });
    const binding = (id: number, name: string, instruction: Made, agent: number | null) => ({
      id,
      workspace_id: workspaceId,
      instruction_id: instruction.id,
      name,
      version: 1,
      agent_id: agent,
      created_at: TIME,
    });
    expect(own as object).toEqual(binding(own.id, "Alpha", alpha, worker));
    expect(await admin.get(path)).toEqual([
      binding(all.id, "zeta", zeta, null),
      binding(own.id, "Alpha", alpha, worker),
    ]);
    await admin.put(`/instructions/${zeta.id}`, { text: "ZZ" });
    expect((await admin.raw("DELETE", `/instruction-bindings/${own.id}`)).status).toBe(204);
    await admin.delete(`/instructions/${zeta.id}`);
    expect(await admin.get(path)).toEqual([]);
    await using reader = await admin.events(`/workspaces/${workspaceId}/events?after=0`);
    await reader.until(
      (event) => event.type === "instruction.unbound" && event.data.data.binding_id === all.id,
    );
    const events = reader.seen
      .filter((event) => event.type.startsWith("instruction."))
      .map((event) => [event.type, event.data.data]);
    expect(events).toEqual([
      ["instruction.bound", { binding: binding(own.id, "Alpha", alpha, worker) }],
      ["instruction.bound", { binding: binding(all.id, "zeta", zeta, null) }],
      ["instruction.updated", { instruction_id: zeta.id, name: "zeta", version: 2, user: "admin" }],
      ["instruction.unbound", { binding_id: own.id, instruction_id: alpha.id, agent_id: worker }],
      ["instruction.unbound", { binding_id: all.id, instruction_id: zeta.id, agent_id: null }],
    ]);
  });

  test("refuses duplicates, agents of other workspaces, missing records and strangers", async () => {
    await using lab = await world({ model: true });
    const { admin, workspaceId } = lab;
    const path = `/workspaces/${workspaceId}/instructions` as const;
    const { id } = await admin.post("/instructions", { name: "style", text: "one" });
    const other = await admin.post(`/workspaces/${workspaceId}/clone`);
    const [foreign] = await admin.get(`/workspaces/${other.id}/agents`);
    const bound = await admin.post(path, { instruction_id: id });
    await admin.post(path, { instruction_id: id, agent_id: lab.orchestratorId });
    const bind = (body: object) => admin.post(path, body);
    await refusal(
      bind({ instruction_id: id, agent_id: null }),
      "conflict",
      '"style" is already bound to this workspace',
    );
    await refusal(
      bind({ instruction_id: id, agent_id: lab.orchestratorId }),
      "conflict",
      '"style" is already bound to "orchestrator"',
    );
    await refusal(
      bind({ instruction_id: id, agent_id: foreign!.id }),
      "invalid",
      `agent_id: agent ${foreign!.id} is not in this workspace`,
    );
    await refusal(bind({ instruction_id: 999 }), "not_found", "instruction 999: not found");
    await refusal(bind({ instruction_id: id, name: "x" }), "invalid", "name: unknown field");

    const stranger = await lab.user("stranger");
    const hidden = (what: string) => ["not_found", `${what}: not found`] as const;
    await refusal(stranger.get(path), ...hidden(`workspace ${workspaceId}`));
    await refusal(stranger.post(path, { instruction_id: id }), ...hidden(`workspace ${workspaceId}`));
    await refusal(
      stranger.delete(`/instruction-bindings/${bound.id}`),
      ...hidden(`instruction binding ${bound.id}`),
    );
    await refusal(stranger.delete("/instruction-bindings/999"), ...hidden("instruction binding 999"));
  });

  test("ignores a removed agent's bindings, and copies bindings to a clone", async () => {
    await using lab = await world({ model: true });
    const { admin, workspaceId } = lab;
    const path = `/workspaces/${workspaceId}/instructions` as const;
    const [kept, removed] = [await lab.addWorker("kept"), await lab.addWorker("removed")];
    const { id } = await admin.post("/instructions", { name: "style", text: "one" });
    await admin.post(path, { instruction_id: id });
    await admin.post(path, { instruction_id: id, agent_id: kept });
    const lost = await admin.post(path, { instruction_id: id, agent_id: removed });
    await admin.delete(`/agents/${removed}`);
    await refusal(
      admin.delete(`/instruction-bindings/${lost.id}`),
      "not_found",
      `instruction binding ${lost.id}: not found`,
    );

    const clone = await admin.post(`/workspaces/${workspaceId}/clone`);
    const agents = await admin.get(`/workspaces/${clone.id}/agents`);
    const bindings = await admin.get(`/workspaces/${clone.id}/instructions`);
    const keptCopy = agents.find((agent) => agent.name === "kept")!.id;
    expect(bindings.map((each) => [each.workspace_id, each.agent_id])).toEqual([
      [clone.id, null],
      [clone.id, keptCopy],
    ]);
    expect(await admin.get(path)).toHaveLength(2);
  });

  test("records every decision with its author, authentication and exact content", async () => {
    await using lab = await world({ model: true });
    const author = await lab.user("author");
    const { id } = await author.post("/instructions", { name: "style", text: "one" });
    await author.put(`/instructions/${id}`, { text: "two" });
    const { id: binding } = await lab.admin.post(`${lab.own}/instructions`, { instruction_id: id });
    await lab.admin.delete(`/instruction-bindings/${binding}`);
    await author.delete(`/instructions/${id}`);
    const records = await lab.admin.get("/audit?limit=5");
    expect(
      records.map(({ action, actor, auth, content_hash }) => [action, actor, auth, content_hash]),
    ).toEqual([
      ["instruction.delete", "author", "token", null],
      ["instruction.unbind", "admin", "loopback", null],
      ["instruction.bind", "admin", "loopback", null],
      ["instruction.update", "author", "token", hashOf("style", "two")],
      ["instruction.create", "author", "token", hashOf("style", "one")],
    ]);
  });
});
