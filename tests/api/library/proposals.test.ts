// Goal: an agent's proposal changes nothing in the library until a person approves its exact wording.

import { expect, test } from "bun:test";
import { canonicalJson, sha256Hex } from "../../../src/kit/crypto.ts";
import { type World, world } from "../../kit/service/world.ts";
import { refusal } from "../../kit/http/refusal.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const hashOf = (name: string, text: string) => sha256Hex(canonicalJson({ name, text }));

interface Proposal {
  id: number;
  content_hash: string;
}

async function propose(lab: World, name: string, text: string): Promise<Proposal> {
  await lab.callTools(["instruction_save", { name, text }]);
  return (await lab.admin.get("/instruction-proposals")).at(-1)!;
}

const decide = (id: number) => `/instruction-proposals/${id}/decision`;

test("lets agents list and read instructions", async () => {
  await using lab = await world({ model: true });
  expect(await lab.callTools(["instruction_list", {}])).toEqual(["The library is empty."]);
  const { id } = await lab.admin.post("/instructions", { name: "Style", text: "Be brief." });
  await lab.admin.post("/instructions", { name: "other", text: "x" });
  await lab.admin.post(`${lab.own}/instructions`, { instruction_id: id });
  const told = await lab.callTools(
    ["instruction_list", {}],
    ["instruction_read", { name: " style " }],
    ["instruction_read", { name: "none" }],
  );
  expect(told).toEqual([
    "other (version 1)\nStyle (version 1, bound to you)",
    "Be brief.",
    'there is no instruction named "none"; instruction_list lists them. Nothing was done.',
  ]);
});

test("proposes, lists and accepts a new instruction", async () => {
  await using lab = await world({ model: true });
  const { admin } = lab;
  const told = await lab.callTools(
    ["instruction_save", { name: " Style ", text: "Be brief." }],
    ["instruction_save", { name: "Style", text: "Be brief." }],
  );
  const sentence =
    'Proposed "Style" as a new instruction. It takes effect once a person approves it. Continue without it.';
  expect(told).toEqual([sentence, sentence]);
  expect(await admin.get("/instructions")).toEqual([]);
  const hash = hashOf("Style", "Be brief.");
  const waiting = {
    id: 1,
    workspace_id: lab.workspaceId,
    instruction_id: null,
    base_version: null,
    name: "Style",
    text: "Be brief.",
    content_hash: hash,
    agent: "orchestrator",
    requested_by: "admin",
    turn_id: 1,
    tainted: false,
    status: "pending",
    decided_by: null,
    decided_at: null,
    created_at: TIME,
  };
  expect(await admin.get<unknown>("/instruction-proposals")).toEqual([waiting]);
  const approval = {
    kind: "instruction",
    id: 1,
    title: 'Add the instruction "Style"',
    subject: "Style",
    facts: ["It is a new instruction, 9 characters long."],
    callers: null,
    content_hash: hash,
    workspace_id: lab.workspaceId,
    agent: "orchestrator",
    requested_by: "admin",
    requested_at: TIME,
    expires_at: null,
    decide: { method: "POST", path: `/api/v1${decide(1)}` },
  };
  expect(await admin.get<unknown>("/approvals")).toEqual([approval]);

  const accepted = { ...waiting, status: "accepted", decided_by: "admin", decided_at: TIME };
  expect(await admin.post(decide(1), { decision: "accept", content_hash: hash })).toEqual(accepted);
  expect(await admin.get<unknown>("/instruction-proposals/1")).toEqual(accepted);
  expect(await admin.get("/instructions")).toMatchObject([{ name: "Style", version: 1, author: "admin" }]);
  expect(await admin.get("/instructions/1/versions")).toMatchObject([
    { version: 1, proposed_by: "orchestrator", content_hash: hash },
  ]);
  expect(await admin.get("/approvals")).toEqual([]);
  const [record] = await admin.get("/audit?action=instruction-proposal.accept");
  expect(record).toMatchObject({
    actor: "admin",
    auth: "loopback",
    target: "instruction-proposal:1",
    content_hash: hash,
  });
  await using reader = await admin.events(`${lab.own}/events?after=0`);
  const decided = await reader.until((event) => event.type === "approval.decided");
  expect(decided.data).toEqual({
    turn_id: 1,
    time: TIME,
    data: {
      kind: "instruction",
      id: 1,
      decision: "accepted",
      by: "admin",
      auth: "loopback",
      reason: null,
      content_hash: hash,
      subject: approval.subject,
      version: null,
      agent: "orchestrator",
      requested_at: TIME,
    },
  });
  expect(reader.seen.find((event) => event.type === "approval.requested")!.data).toEqual({
    turn_id: 1,
    time: TIME,
    data: { approval },
  });
});

test("keeps an instruction when a change is refused, and makes a version when it is accepted", async () => {
  await using lab = await world({ model: true });
  const { admin } = lab;
  const { id } = await admin.post("/instructions", { name: "Style", text: "one" });
  await admin.post(`${lab.own}/instructions`, { instruction_id: id });
  const first = await propose(lab, "style", "two");
  expect(await admin.get("/approvals")).toMatchObject([
    {
      title: 'Change the instruction "style"',
      facts: [
        "It is a change to version 1, 3 characters long.",
        "It is bound in 1 place and will be part of those prompts.",
      ],
    },
  ]);
  expect(await admin.post(decide(first.id), { decision: "refuse" })).toMatchObject({ status: "refused" });
  expect(await admin.get(`/instructions/${id}`)).toMatchObject({ version: 1, text: "one" });
  const second = await propose(lab, "Style", "two");
  await admin.post(decide(second.id), { decision: "accept" });
  expect(await admin.get(`/instructions/${id}`)).toMatchObject({ version: 2, text: "two" });
  expect(await lab.callTools(["instruction_save", { name: "Style", text: "two" }])).toEqual([
    '"Style" already has exactly this text. Nothing was done.',
  ]);
});

test("refuses decisions on another wording, decided proposals, changed instructions and missing proposals", async () => {
  await using lab = await world({ model: true });
  const { admin } = lab;
  const { id } = await admin.post("/instructions", { name: "Style", text: "one" });
  const proposal = await propose(lab, "Style", "two");
  const conflict = (message: string) => ["conflict", message] as const;
  await refusal(
    admin.post(decide(proposal.id), { decision: "accept", content_hash: hashOf("Style", "other") }),
    ...conflict("content_hash: not the hash of this proposal; review it again"),
  );
  await admin.put(`/instructions/${id}`, { text: "by a person" });
  await refusal(
    admin.post(decide(proposal.id), { decision: "accept" }),
    ...conflict('"Style" has changed since this was proposed; reject it and ask for a new proposal'),
  );
  expect(await admin.get(`/instruction-proposals/${proposal.id}`)).toMatchObject({ status: "pending" });
  await admin.post(decide(proposal.id), { decision: "refuse", content_hash: proposal.content_hash });
  await refusal(
    admin.post(decide(proposal.id), { decision: "accept" }),
    ...conflict("this proposal is already rejected"),
  );
  const orphan = await propose(lab, "Style", "four");
  await admin.delete(`/instructions/${id}`);
  await refusal(
    admin.post(decide(orphan.id), { decision: "accept" }),
    ...conflict('"Style" has changed since this was proposed; reject it and ask for a new proposal'),
  );
  await refusal(
    admin.post(decide(999), { decision: "accept" }),
    "not_found",
    "instruction proposal 999: not found",
  );
  await refusal(admin.post(decide(orphan.id), { decision: "maybe" }), "invalid");
});

test("lets people of the workspace decide on new ones, the author or an admin on changes, and strangers see none", async () => {
  await using lab = await world({ model: true });
  const { admin } = lab;
  const member = await lab.user("member");
  const stranger = await lab.user("stranger");
  const team = await lab.share(member);
  await admin.post("/instructions", { name: "admins", text: "one" });
  const change = await propose(lab, "admins", "two");
  const fresh = await propose(lab, "fresh", "new");

  expect(await stranger.get("/instruction-proposals")).toEqual([]);
  expect(await stranger.get("/approvals")).toEqual([]);
  const hidden = ["not_found", `instruction proposal ${fresh.id}: not found`] as const;
  await refusal(stranger.get(`/instruction-proposals/${fresh.id}`), ...hidden);
  await refusal(stranger.post(decide(fresh.id), { decision: "accept" }), ...hidden);

  expect((await member.get("/instruction-proposals")).map((each) => each.id)).toEqual([change.id, fresh.id]);
  expect((await member.get("/approvals")).map((each) => each.id)).toEqual([fresh.id]);
  const forbidden = [
    "forbidden",
    "only the instruction's author or an admin may decide on a change to it",
  ] as const;
  await refusal(member.post(decide(change.id), { decision: "accept" }), ...forbidden);
  const other = await lab.user("other");
  await admin.put(`/teams/${team}/members/${other.id}`);
  await member.post(decide(fresh.id), { decision: "accept" });
  await refusal(
    other.post(decide(fresh.id), { decision: "accept" }),
    "conflict",
    "this proposal is already approved",
  );
  expect(await admin.get("/instructions")).toMatchObject([
    { name: "admins", author: "admin" },
    { name: "fresh", author: "member" },
  ]);
  const [record] = await admin.get("/audit?action=instruction-proposal.accept");
  expect(record).toMatchObject({ actor: "member", auth: "token" });
});

test("limits pending proposals", async () => {
  await using lab = await world({ model: true });
  const save = (index: number) =>
    ["instruction_save", { name: `note ${index}`, text: "x" }] as [string, object];
  const told = await lab.callTools(...Array.from({ length: 51 }, (_, index) => save(index)));
  expect(told.filter((text) => text.startsWith("Proposed"))).toHaveLength(50);
  expect(told.at(-1)).toBe("this workspace already has 50 pending proposals. Nothing was done.");
});
